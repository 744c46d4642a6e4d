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

// Tested reports whether the program was tested to treat the words behind a separator
// as its style states.
func (p *Program) Tested(separator string) bool {
	if p.Wrapper == WrapperRunner && separator == SeparatorOperand {
		return true // the manuals of uv run, poetry run, npx and bundle exec hand what stands behind on
	}
	return p.Inert || slices.Contains(p.Separators, separator)
}

// endsAtOperand reports whether the style of the program ends options at the first operand.
func (p *Program) endsAtOperand() bool {
	return p.Style == "posix" || p.Style == "go" && !p.Permute || p.Wrapper != ""
}

// separatorOf returns which separator an operand is.
func separatorOf(word Argument) string {
	if word.Is(SeparatorDash) {
		return SeparatorDash
	}
	return SeparatorOperand
}

// separated notes words behind a separator that the program wasn't tested with. If one of them begins with a dash, or
// may, the line has an option that isn't known, and each word may be a path that is written.
func (p *Parser[W]) separated(program *Program, separator string, behind []W) {
	if program.Tested(separator) || !slices.ContainsFunc(behind, p.Host.MayLead) {
		return
	}
	p.Caveats.Add("unknown_option")
	if separator == SeparatorOperand && !program.endsAtOperand() {
		return // the words are parsed as options, too
	}
	for _, word := range behind {
		p.Host.AnyPath(word)
	}
	p.Host.BothWays(program, behind)
}

// endAtOperand takes the words from the first operand on as operands.
func (p *Parser[W]) endAtOperand(program *Program, rest []W) {
	p.Host.Operand(program, rest[0])
	first := rest[0].Argument()
	if first.MayBeNone && len(rest) > 1 {
		p.Caveats.Add("dynamic_option") // the options may continue behind it
	}
	p.separated(program, separatorOf(first), rest[1:])
	p.Operands = append(p.Operands, rest...)
}

// endAtDashes takes the words behind "--" as operands.
func (p *Parser[W]) endAtDashes(program *Program, rest []W) {
	p.stray(program, rest[0])
	p.Dashes = len(p.Operands)
	p.separated(program, SeparatorDashes, rest[1:])
	p.Operands = append(p.Operands, rest[1:]...)
}

// operand takes one word as an operand. What is behind an operand is behind the first one of its kind, too.
func (p *Parser[W]) operand(program *Program, first Argument, rest []W) {
	p.Host.Operand(program, rest[0])
	if p.Operands == nil {
		p.Operands = make([]W, 0, len(rest))
	}
	separator, met := separatorOf(first), &p.metOperand
	if separator == SeparatorDash {
		met = &p.metDash
	}
	if !*met {
		*met = true
		p.separated(program, separator, rest[1:])
	}
	p.Operands = append(p.Operands, rest[0])
}

// AsOptions parses those of some words as options that begin with a dash, and forgets what the form and the parser
// then have. It reports whether one of them began a command line.
func (p *Parser[W]) AsOptions(program *Program, words []W) (command bool) {
	inner, form := p.Inner, slices.Clone(*p.Form)
	for len(words) > 0 {
		first := words[0].Argument()
		if !first.IsOption() || first.Text == "--" {
			words = words[1:]
			continue
		}
		words = words[p.Option(program, first.Text, words):]
	}
	command = len(p.Inner) > len(inner)
	p.Inner, *p.Form = inner, form
	return command
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
		out[verb] = Separators{Tested: p.Separators, Ends: p.endsAtOperand()}
	}
	for name, command := range p.Commands {
		command.listSeparators(verb+" "+name, out)
	}
}
