package output

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/host"
	"policyd/extract/shell/stream"
)

// Assumption is what the producers count as printing in one walk over a line.
type Assumption uint8

const (
	// Values is that each prints its value.
	Values Assumption = iota
	// Nothing is that those print nothing that may.
	Nothing
	// Anything is that nothing is known of those.
	Anything
)

// Producers are the commands that the table lists with what they print, in one walk over a line.
type Producers struct {
	Words *argv.Vocabulary
	Host  *host.Host
	// Assumed is what they are taken to print.
	Assumed Assumption
	// Used are those whose values were used although they can print nothing.
	Used []*argv.Producer
}

// operandOf reports whether a producer is the command with these words, and what its operand is.
func operandOf(p *argv.Producer, words []expansion.Word) (operand string, ok bool) {
	if len(words) != len(p.Command) {
		return "", false
	}
	for i, word := range p.Command {
		switch {
		case words[i].Kind != expansion.Literal:
			return "", false
		case word == argv.AnyOperand:
			operand = words[i].Text
		case words[i].Text != word:
			return "", false
		}
	}
	return operand, true
}

// Lists reports whether a command is one of them.
func (p *Producers) Lists(c *command.Command) bool {
	return slices.ContainsFunc(p.Words.Producers(), func(known argv.Producer) bool {
		_, ok := operandOf(&known, c.Argv)
		return ok
	})
}

// number reports whether a command is one that prints a number.
func (p *Producers) number(c *command.Command) bool {
	return len(c.Caveats) == 0 && slices.ContainsFunc(p.Words.Producers(), func(known argv.Producer) bool {
		_, ok := operandOf(&known, c.Argv)
		return ok && known.Value == "number" && known.RunsOn(p.Host.Options.Platform)
	})
}

// Known is what a command prints that is one of them.
func (p *Producers) Known(c *command.Command) (expansion.Word, bool) {
	for i := range p.Words.Producers() {
		known := &p.Words.Producers()[i]
		operand, ok := operandOf(known, c.Argv)
		if !ok || !slices.Equal(c.Caveats, known.Caveats) || !known.RunsOn(p.Host.Options.Platform) {
			continue
		}
		word, ok := p.valueOf(known.Value, operand, c.Cwd.Known[0])
		if !ok || !known.Empty {
			return word, ok
		}
		switch p.Assumed {
		case Values:
			p.Used = append(p.Used, known)
			return word, true
		case Nothing:
			return expansion.Word{Kind: expansion.Literal}, true
		default:
			return expansion.Word{}, false
		}
	}
	return expansion.Word{}, false
}

// Unchanged reports whether a variable is given the value that a program takes for it anyway. An empty one stands for
// the program's own.
func (p *Producers) Unchanged(name string, value expansion.Word) bool {
	if value.Kind != expansion.Literal || p.Assumed == Anything {
		return false
	}
	for i := range p.Words.Producers() {
		known := &p.Words.Producers()[i]
		if known.Variable == "" || known.Variable != name {
			continue
		}
		held, ok := p.valueOf(known.Value, "", p.Host.Options.Cwd)
		if ok && (value.Text == "" || value.Text == held.Text) {
			p.Used = append(p.Used, known)
			return true
		}
	}
	return false
}

// valueOf is what a producer prints in a directory.
func (p *Producers) valueOf(name, operand, dir string) (expansion.Word, bool) {
	text := ""
	switch name {
	case "number":
		return expansion.Word{Kind: expansion.Number, Text: "$(…)", Class: expansion.Numeral(false, false)}, true
	case "identifier": // letters and digits
		return expansion.Word{Kind: expansion.Hash, Text: stream.HashText, Class: expansion.Identifier}, true
	case "working_directory":
		text = dir
	case "work_tree":
		text = p.Host.Toplevel(dir)
	default:
		text = p.Host.Produces(name, operand, dir)
	}
	return expansion.Word{Kind: expansion.Literal, Text: text}, text != "" && !strings.HasSuffix(text, "\n") // shells cut it off
}
