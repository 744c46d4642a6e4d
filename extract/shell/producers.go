package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/stream"
)

// produces reports whether a producer is the command with these words, and what its operand is.
func produces(p *argv.Producer, words []Word) (operand string, ok bool) {
	if len(words) != len(p.Command) {
		return "", false
	}
	for i, word := range p.Command {
		switch {
		case words[i].Kind != Literal:
			return "", false
		case word == argv.AnyOperand:
			operand = words[i].Text
		case words[i].Text != word:
			return "", false
		}
	}
	return operand, true
}

// leavesFiles reports whether a command changes no file but such as its accesses name: one of the
// producers, or a reader without a caveat.
func (s *surroundings) leavesFiles(c *Command) bool {
	return len(c.Caveats) == 0 && slices.Contains(s.table.Words.Printing.ReadingPrograms, c.Verb) || slices.ContainsFunc(s.table.Words.Producers(), func(p argv.Producer) bool {
		_, ok := produces(&p, c.Argv)
		return ok
	})
}

// producesNumber reports whether a command is a producer of a number.
func (s *surroundings) producesNumber(c *Command) bool {
	return len(c.Caveats) == 0 && slices.ContainsFunc(s.table.Words.Producers(), func(p argv.Producer) bool {
		_, ok := produces(&p, c.Argv)
		return ok && p.Value == "number" && p.RunsOn(s.options.Platform)
	})
}

// known is what a command prints that the table of producers lists.
func (s *surroundings) known(c *Command) (Word, bool) {
	for i := range s.table.Words.Producers() {
		p := &s.table.Words.Producers()[i]
		operand, ok := produces(p, c.Argv)
		if !ok || !slices.Equal(c.Caveats, p.Caveats) || !p.RunsOn(s.options.Platform) {
			continue
		}
		word, ok := s.valueOf(p.Value, operand, c.Cwd.Known[0])
		if !ok || !p.Empty {
			return word, ok
		}
		switch s.producing {
		case valuesPrinted:
			s.produced = append(s.produced, p)
			return word, true
		case nothingPrinted:
			return Word{Kind: Literal}, true
		default:
			return Word{}, false
		}
	}
	return Word{}, false
}

// unchanged reports whether a variable is given the value that a program takes for it anyway. An empty
// one stands for the program's own.
func (s *surroundings) unchanged(name string, value Word) bool {
	if value.Kind != Literal || s.producing == anythingPrinted {
		return false
	}
	for i := range s.table.Words.Producers() {
		p := &s.table.Words.Producers()[i]
		if p.Variable == "" || p.Variable != name {
			continue
		}
		held, ok := s.valueOf(p.Value, "", s.options.Cwd)
		if ok && (value.Text == "" || value.Text == held.Text) {
			s.produced = append(s.produced, p)
			return true
		}
	}
	return false
}

// valueOf is what a producer prints in a directory.
func (s *surroundings) valueOf(name, operand, dir string) (Word, bool) {
	text := ""
	switch name {
	case "number":
		return Word{Kind: Number, Text: "$(…)", class: numeral(false, false)}, true
	case "identifier": // letters and digits
		return Word{Kind: Hash, Text: stream.HashText, class: identifier}, true
	case "working_directory":
		text = dir
	case "work_tree":
		text = s.toplevel(dir)
	default:
		text = s.ask(aboutValue, name+"\n"+operand+"\n"+dir).text
	}
	return Word{Kind: Literal, Text: text}, text != "" && !strings.HasSuffix(text, "\n") // shells cut it off
}

// producing says what the producers count as printing in one walk over a line.
type producing uint8

const (
	// valuesPrinted is that each prints its value.
	valuesPrinted producing = iota
	// nothingPrinted is that those print nothing that may.
	nothingPrinted
	// anythingPrinted is that nothing is known of those.
	anythingPrinted
)

// explain walks a line. If producers that may print nothing stand in it, the line does what it does
// with their values or what it does without them: both belong to the facts. If the line itself
// may change what the values follow from, nothing is known of them.
func (t *Table) explain(line string, options *Options) *walker {
	w := t.walk(line, options, valuesPrinted)
	if len(w.produced) == 0 {
		return w
	}
	next := nothingPrinted
	if w.altersValues() {
		next = anythingPrinted
	}
	other := t.walk(line, options, next)
	if next == anythingPrinted {
		w, other = other, w
	} else {
		w.orElse(&other.line)
	}
	w.asked = append(slices.Clip(w.asked), other.asked...)
	w.unsteady = w.unsteady || other.unsteady
	other.release()
	return w
}

// orElse adds what the line does otherwise.
func (r *report) orElse(other *Line) {
	for _, code := range other.Messy {
		r.messy(code)
	}
	r.line.Crossed = r.line.Crossed || other.Crossed
	own := len(r.line.Commands)
	for i := range other.Commands {
		c := &other.Commands[i]
		if slices.ContainsFunc(r.line.Commands[:own], func(mine Command) bool { return mine.Equal(c) }) {
			continue
		}
		if len(r.line.Commands) >= maxCommands {
			r.messy(guard.MessyLimits)
			return
		}
		c.Accesses, c.Effective.Operand = slices.Clone(c.Accesses), "" // an approval is for where it works with the values
		for j := range c.Accesses {
			// What isn't there isn't read; it may be made where it is written.
			if a := &c.Accesses[j]; a.Op == v1.OpRead || a.Op == v1.OpList {
				a.Presence = IfExists
			}
		}
		r.line.Commands = append(r.line.Commands, *c)
	}
}

// altersValues reports whether a command of the line may change what the values follow from that were
// taken.
func (d *diskView) altersValues() bool {
	for _, p := range d.produced {
		if p.RestsOn == "project" && !d.onlyReadBeside(d.leavesFiles) {
			return true
		}
		for i := range d.line.Commands {
			c := &d.line.Commands[i]
			if len(p.AlteredBy) > 0 && c.Program == p.Command[0] && slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return slices.Contains(p.AlteredBy, e.Name) }) {
				return true
			}
		}
	}
	return false
}
