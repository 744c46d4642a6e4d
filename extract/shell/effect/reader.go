package effect

import (
	"policyd/extract/argv"
	"policyd/extract/argv/find"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// Literal returns a word that is known to the byte.
func (p *Reader) Literal(text string) expansion.Word {
	return expansion.Word{Kind: expansion.Literal, Text: text}
}

// Tail returns a word of which only the end is meant.
func (p *Reader) Tail(word expansion.Word, text string) expansion.Word {
	word.Text, word.Class, word.Holes = text, nil, nil
	return word
}

// BothWays reads words as options that the style takes for operands.
func (p *Reader) BothWays(program *argv.Program, words []expansion.Word) {
	moved, dirs := p.Moved, p.Dirs
	if command := p.Args.AsOptions(program, words); command || p.Moved && !moved {
		p.Command.Caveats.Add("dynamic_option")
	}
	p.Moved, p.Dirs = moved, dirs
}

// MayLead reports whether a word begins with the mark of an option, or may. A pattern
// that could match such a name adds what has to hold: that no such file exists.
func (p *Reader) MayLead(word expansion.Word) bool {
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
func (p *Reader) Unlisted(option string, behind []expansion.Word) {
	riskReader{&p.Effects}.option(option, behind)
}

// Surroundings are what the words of a command are read in.
type Surroundings struct {
	Table *argv.Table
	lexical.Dialect
	Platform, Home string
	// Cwd are the directories that the shell is in.
	Cwd value.Directories
	// AssignsIFS is true if the line assigned IFS.
	AssignsIFS bool
	// In is what the command gets on standard input.
	In    stream.Lines
	Shell Shell
}

// Shell answers what depends on the line that a command is in.
type Shell interface {
	// Messy makes the line messy, for a reason.
	Messy(code string)
	// Matches returns the directories that a word can name which a variable holds as one match of a
	// pattern, nil if only the run knows them.
	Matches(word expansion.Word) []string
	// Intact reports whether the command gets each name on its standard input as it is.
	Intact(endByNUL bool) bool
	// Aside reads words as a command line of their own, which adds nothing to the line that they stand
	// in. It returns its commands, and why it is messy.
	Aside(words []expansion.Word) (commands []command.Command, messy []string)
}

// Reader is a command line being read.
type Reader struct {
	Effects
	Args argv.Parser[expansion.Word]
	// tree is which files options select from a directory tree.
	tree treeSelection
	// places is what the program puts somewhere.
	places placement
	// into are the values of options that name where the program unpacks to.
	into []expansion.Word
	// After are the commands that this one runs on names, to be walked as commands of their own.
	After [][]expansion.Word
	// Started is a command that this one runs, an item of its own.
	Started []expansion.Word
	// archives are the values of options that name an archive, and archiveOptions those options.
	archives       []expansion.Word
	archiveOptions []string
	// mark is the last value of xargs -I, and cutAt that of xargs -d.
	mark, cutAt expansion.Word
	// backups are the suffixes under which files that are changed are kept.
	backups []expansion.Word
	tests   find.Expression
}

// A Reader receives the parts of its command line from the parser of argument vectors.
var _ argv.Host[expansion.Word] = (*Reader)(nil)

// Begin begins to read the words of a command.
func (p *Reader) Begin(in *Surroundings, c *command.Command, words []expansion.Word) Invocation {
	p.Effects = Effects{Surroundings: *in, Command: c}
	p.Args = argv.Parser[expansion.Word]{Host: p, Platform: in.Platform, Form: &c.Form, Caveats: &c.Caveats, Words: words}
	return Invocation{commandReader{p}}
}

// Invocation is a program that is run with the words of a command.
type Invocation struct{ commandReader }
