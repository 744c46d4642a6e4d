package shell

import (
	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
)

// A parsed receives the parts of its command line from the parser of argument vectors.
var _ argv.Host[expansion.Word] = (*parsed)(nil)

// Literal returns a word that is known to the byte.
func (p *parsed) Literal(text string) expansion.Word {
	return expansion.Word{Kind: expansion.Literal, Text: text}
}

// Tail returns a word of which only the end is meant.
func (p *parsed) Tail(word expansion.Word, text string) expansion.Word {
	word.Text, word.Class, word.Holes = text, nil, nil
	return word
}

// BothWays reads words as options that the style takes for operands.
func (p *parsed) BothWays(program *argv.Program, words []expansion.Word) {
	moved, dirs := p.moved, p.dirs
	if command := p.args.AsOptions(program, words); command || p.moved && !moved {
		p.c.Caveats.Add("dynamic_option")
	}
	p.moved, p.dirs = moved, dirs
}

// MayLead reports whether a word begins with the mark of an option, or may. A pattern
// that could match such a name adds what has to hold: that no such file exists.
func (p *parsed) MayLead(word expansion.Word) bool {
	switch word.Kind {
	case expansion.Literal:
		return len(word.Text) > 1 && word.Text != "--" && (word.Text[0] == '-' || word.Text[0] == '+')
	case expansion.Pipe:
		return false // the shell names it /dev/fd/63
	case expansion.Names:
		return word.MayBeginWithDash()
	case expansion.Number, expansion.Hash:
		return word.MayBeginWithDash()
	default:
		return word.Split || word.MayBeginWithDash() && !p.beginsPlain(word, "-")
	}
}

// Unlisted notes the risk of an option that the table doesn't list.
func (p *parsed) Unlisted(option string, behind []expansion.Word) {
	riskReader{&p.effects}.option(option, behind)
}

// subject is what a question about the disk is about.
type subject uint8

const (
	aboutLinks subject = iota
	aboutEntering
	aboutReading
	aboutText
	aboutToplevel
	aboutMatches
	aboutValue
)

// question is one thing that the surroundings were asked while a line was
// explained, and what they said.
type question struct {
	about subject
	path  string
	yes   bool
	text  string
}

// host answers questions about the disk that a line is explained on.
type host struct {
	options Options
	// asked are the questions that were asked so far; unsteady is true if one was answered in two
	// ways.
	asked    []question
	fewAsked [2]question
	unsteady bool
}

// ask puts a question to the surroundings. What isn't known there is no.
func (o *Options) ask(about subject, path string) question {
	q := question{about: about, path: path}
	switch {
	case about == aboutLinks && o.Plain != nil:
		q.yes = o.Plain(path)
	case about == aboutEntering && o.Enterable != nil:
		q.yes = o.Enterable(path)
	case about == aboutReading && o.Readable != nil:
		q.yes = o.Readable(path)
	case about == aboutText && o.Textual != nil:
		q.yes = o.Textual(path)
	case about == aboutToplevel && o.Toplevel != nil:
		q.text = o.Toplevel(path)
	case about == aboutMatches && o.Directories != nil:
		q.text = o.Directories(path)
	case about == aboutValue && o.Produced != nil:
		q.text = o.Produced(path)
	}
	return q
}

// ask does the same, and keeps what was said: with the line, the options and
// these answers the explanation is settled.
func (h *host) ask(about subject, path string) question {
	q := h.options.ask(about, path)
	for i := range h.asked {
		if h.asked[i].about == about && h.asked[i].path == path {
			h.unsteady = h.unsteady || h.asked[i] != q
			return q
		}
	}
	h.asked = append(h.asked, q)
	return q
}

func (h *host) isPlain(dir string) bool     { return h.ask(aboutLinks, dir).yes }
func (h *host) isEnterable(dir string) bool { return h.ask(aboutEntering, dir).yes }
func (h *host) isReadable(path string) bool { return h.ask(aboutReading, path).yes }
func (h *host) isTextual(path string) bool  { return h.ask(aboutText, path).yes }
func (h *host) toplevel(dir string) string  { return h.ask(aboutToplevel, dir).text }

// surely reports whether an access is one to a file that is there for everyone,
// and that nothing of the line can have taken away.
func (d *diskView) surely(c *command.Command, a *command.Access) bool {
	if a.Op != v1.OpRead || a.Naming == command.Unnamed || a.Naming == command.ByGlob || a.Below == command.Tree || c.Cwd.Others || !d.onlyRead() {
		return false
	}
	return c.Everywhere(a, d.isReadable)
}
