package argv

import (
	"slices"
	"strings"
)

// Subcommand is what the words behind the global options of a program are.
type Subcommand[W Word] struct {
	Found Found
	// Name is the name of a subcommand, and Entry its entry; of an unnamed one those of the default.
	Name  string
	Entry *Program
	// Rest are the words that are left: behind a name, or all that can't be explained.
	Rest []W
}

// Found is how a Subcommand was found.
type Found uint8

const (
	// Unclear is a word that may be the value of an option, or any subcommand. It is the zero value.
	Unclear Found = iota
	// Unnamed is no subcommand: the default runs.
	Unnamed
	// Listed is a subcommand with an entry.
	Listed
	// Unlisted is the name of a subcommand without an entry.
	Unlisted
)

// maxCommandName bounds the name of a subcommand, in bytes.
const maxCommandName = 64

// IsCommandName reports whether text can be the name of a subcommand, and is no option, path, assignment, or choice
// of a toolchain.
func IsCommandName(text string) bool {
	const digits = "0123456789"
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	return text != "" && len(text) <= maxCommandName && strings.IndexByte(letters, text[0]) >= 0 && strings.Trim(text, letters+"_-.:") == ""
}

// Subcommand parses the global options of a program, and the name behind them. If an entry follows, the words that
// are left are those of the parser.
func (p *Parser[W]) Subcommand(program *Program) Subcommand[W] {
	rest := p.Leading(program)
	if len(rest) == 0 {
		p.Words, p.Operands = nil, nil
		return unnamed(program, p.Words)
	}
	first := rest[0].Argument()
	name := first.Text
	if full, ok := program.Aliases[name]; ok {
		name = full
	}
	entry, listed := program.Commands[name]
	literal, known := first.Class == Literal, first.Class == Literal && p.Unsettled == 0
	switch {
	case known && listed:
		p.Words, p.nested = rest[1:], true
		return Subcommand[W]{Found: Listed, Name: name, Entry: entry, Rest: rest[1:]}
	case literal && !listed && program.Default != nil && *program.Default == "":
		if !known && slices.ContainsFunc(rest, func(word W) bool { return program.hasCommand(word.Argument().Text) }) {
			p.Caveats.Add(UnknownCommand)
		}
		p.Words = rest
		return unnamed(program, p.Words)
	case known && IsCommandName(name):
		return Subcommand[W]{Found: Unlisted, Name: name, Rest: rest[1:]}
	}
	p.Caveats.Add("unknown_option")
	p.Caveats.Add(UnknownCommand)
	return Subcommand[W]{Rest: rest}
}

// unnamed returns what runs if the line names no subcommand. The name is empty for the entry's own operands.
func unnamed[W Word](program *Program, words []W) Subcommand[W] {
	out := Subcommand[W]{Found: Unnamed, Rest: words}
	switch {
	case program.Default == nil:
		out.Entry = &Program{Syntax: Syntax{Options: program.Options, Separators: program.Separators}}
	case *program.Default == "":
		own := *program
		own.Commands = nil
		out.Entry = &own
	default:
		out.Name, out.Entry = *program.Default, program.Commands[*program.Default]
	}
	return out
}
