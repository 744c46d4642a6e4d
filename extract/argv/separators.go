package argv

import "slices"

// Programs don't agree about the words behind which options end. getopt(3) ends them at
// "--" and takes "-" for an operand; Info-ZIP drops "--" and goes on reading options,
// and OpenSSL reads options behind "-". So what the style of an entry states about a
// separator counts only if the entry lists the separator as tested: separators_test.go
// runs the programs.

// The separators: words behind which options may end.
const (
	SeparatorDashes  = "--"
	SeparatorDash    = "-"
	SeparatorOperand = "operand"
)

var separatorNames = []string{SeparatorDashes, SeparatorDash, SeparatorOperand}

// Tested reports whether the program was tested to treat the words behind a separator
// as its style states.
func (p *Program) Tested(separator string) bool {
	if p.Wrapper == WrapperRunner && separator == SeparatorOperand {
		return true // the manuals of uv run, poetry run, npx and bundle exec hand what stands behind on
	}
	return p.Inert || slices.Contains(p.Separators, separator)
}

// EndsAtOperand reports whether the style of the program ends options at the first operand.
func (p *Program) EndsAtOperand() bool {
	return p.Style == "posix" || p.Style == "go" && !p.Permute || p.Wrapper != ""
}

// Separators states what was tested of one entry.
type Separators struct {
	// Tested are the separators: "--", "-" and "operand".
	Tested []string
	// Ends is true if options end at the first operand.
	Ends bool
}

// Separators returns the entries that state separators, by their verb chains. An entry
// that inherits them isn't listed.
func (t *Table) Separators() map[string]Separators {
	out := map[string]Separators{}
	for name := range t.raw {
		if program := t.Program(name); program != nil {
			program.listSeparators(name, out)
		}
	}
	return out
}

func (p *Program) listSeparators(verb string, out map[string]Separators) {
	if len(p.Separators) > 0 && !p.inherits {
		out[verb] = Separators{Tested: p.Separators, Ends: p.EndsAtOperand()}
	}
	for name, command := range p.Commands {
		command.listSeparators(verb+" "+name, out)
	}
}
