package shell

import (
	"policyd/extract/argv"
)

// A parsed receives the parts of its command line from the parser of argument vectors.
var _ argv.Host[Word] = (*parsed)(nil)

// Argument returns what the parse of an argument vector depends on.
func (w Word) Argument() argv.Argument {
	out := argv.Argument{Text: w.Text, MayBeNone: w.Vanishes}
	if !w.Split {
		out.Option = w.Option
	}
	switch {
	case w.Kind == Literal:
		out.Class, out.Option = argv.Literal, ""
	case w.Kind == Glob:
		out.Class = argv.Pattern
	case w.Kind == Number && !w.signed():
		out.Class = argv.Digits
	case w.Kind == Number, w.Kind == Hash, w.Kind == Output:
		out.Class = argv.OneWord
	}
	return out
}

// Literal returns a word that is known to the byte.
func (p *parsed) Literal(text string) Word { return Word{Kind: Literal, Text: text} }

// Tail returns a word of which only the end is meant.
func (p *parsed) Tail(word Word, text string) Word {
	word.Text, word.class, word.holes = text, nil, nil
	return word
}

// BothWays reads words as options that the style takes for operands.
func (p *parsed) BothWays(program *argv.Program, words []Word) {
	moved, dirs := p.moved, p.dirs
	if command := p.args.AsOptions(program, words); command || p.moved && !moved {
		p.c.Caveats.Add("dynamic_option")
	}
	p.moved, p.dirs = moved, dirs
}

// MayLead reports whether a word begins with the mark of an option, or may. A pattern
// that could match such a name adds what has to hold: that no such file exists.
func (p *parsed) MayLead(word Word) bool {
	switch word.Kind {
	case Literal:
		return len(word.Text) > 1 && word.Text != "--" && (word.Text[0] == '-' || word.Text[0] == '+')
	case Pipe:
		return false // the shell names it /dev/fd/63
	case Names:
		return word.dashed()
	case Number, Hash:
		return word.dashed()
	default:
		return word.Split || word.dashed() && !p.beginsPlain(word, "-")
	}
}

// Unlisted notes the risk of an option that the table doesn't list.
func (p *parsed) Unlisted(option string, behind []Word) {
	riskReader{&p.effects}.option(option, behind)
}
