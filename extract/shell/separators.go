package shell

import "slices"

// Programs don't agree about the words behind which options end. getopt(3) ends them at
// "--" and takes "-" for an operand; Info-ZIP drops "--" and goes on reading options,
// and OpenSSL reads options behind "-". So what the style of an entry states about a
// separator counts only if the entry lists the separator as tested: separators_test.go
// runs the programs.

// The separators: words behind which options may end.
const (
	separatorDashes  = "--"
	separatorDash    = "-"
	separatorOperand = "operand"
)

var separatorNames = []string{separatorDashes, separatorDash, separatorOperand}

// separatorOf returns which separator an operand is.
func separatorOf(word Word) string {
	if word.literal("-") {
		return separatorDash
	}
	return separatorOperand
}

// tested reports whether the program was tested to treat the words behind a separator
// as its style states.
func (p *Program) tested(separator string) bool {
	if p.wrapper == runnerWrapper && separator == separatorOperand {
		return true // the manuals of uv run, poetry run, npx and bundle exec hand what stands behind on
	}
	return p.inert || slices.Contains(p.separators, separator)
}

// separated notes words behind a separator that the program wasn't tested with. If one
// of them begins with a dash, or may, the line has an option that isn't known, and each
// word may be a path that is written.
func (p *parsed) separated(program *Program, separator string, behind []Word) {
	if program.tested(separator) {
		return
	}
	at := slices.IndexFunc(behind, p.mayLead)
	if at < 0 {
		return
	}
	p.c.Caveats.Add("unknown_option")
	if separator == separatorOperand && !program.endsAtOperand() {
		return // the words are read as options, too
	}
	for _, word := range behind {
		p.anyPath(word)
	}
	p.bothReadings(program, behind)
}

// endAtOperand takes the words from the first operand on as operands.
func (p *parsed) endAtOperand(program *Program, rest []Word) {
	p.unsure(program, rest[0])
	if rest[0].Vanishes && len(rest) > 1 {
		p.c.Caveats.Add("dynamic_option") // the options may go on behind it
	}
	p.separated(program, separatorOf(rest[0]), rest[1:])
	p.operands = append(p.operands, rest...)
}

// endAtDashes takes the words behind "--" as operands.
func (p *parsed) endAtDashes(program *Program, rest []Word) {
	p.behind(program, rest[0])
	p.dashes, p.c.Git.Dashes = len(p.operands), true
	p.separated(program, separatorDashes, rest[1:])
	p.operands = append(p.operands, rest[1:]...)
}

// firstSeparator does the same for the first operand of its kind; what stands behind
// another one stands behind the first, too.
func (p *parsed) firstSeparator(program *Program, word Word, behind []Word) {
	separator := separatorOf(word)
	met := &p.metOperand
	if separator == separatorDash {
		met = &p.metDash
	}
	if !*met {
		*met = true
		p.separated(program, separator, behind)
	}
}

// bothReadings reads words as options that the style takes for operands.
func (p *parsed) bothReadings(program *Program, words []Word) {
	inner, moved, dirs, form := p.inner, p.moved, p.dirs, slices.Clone(p.c.Form)
	for len(words) > 0 {
		if !words[0].isOption() || words[0].literal("--") {
			words = words[1:]
			continue
		}
		words = words[p.option(program, words):]
	}
	if p.moved && !moved || len(p.inner) > len(inner) {
		p.c.Caveats.Add("dynamic_option")
	}
	p.inner, p.moved, p.dirs, p.c.Form = inner, moved, dirs, form
}

// mayLead reports whether a word begins with the mark of an option, or may. A pattern
// that could match such a name adds what has to hold: that no such file exists.
func (p *parsed) mayLead(word Word) bool {
	switch word.Kind {
	case Literal:
		return len(word.Text) > 1 && word.Text != "--" && (word.Text[0] == '-' || word.Text[0] == '+')
	case Pipe:
		return false // the shell names it /dev/fd/63
	case Fed:
		return !word.Led
	case Number, Hash:
		return word.Dashed || word.Signed
	default:
		return word.Split || !word.Led && !p.beginsPlain(word, "-")
	}
}

// endsAtOperand reports whether the style of the program ends options at the first operand.
func (p *Program) endsAtOperand() bool {
	return p.style == "posix" || p.style == "go" && !p.permute || p.wrapper != ""
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
		if program := t.program(name); program != nil {
			program.listSeparators(name, out)
		}
	}
	return out
}

func (p *Program) listSeparators(verb string, out map[string]Separators) {
	if len(p.separators) > 0 && !p.inherits {
		out[verb] = Separators{Tested: p.separators, Ends: p.endsAtOperand()}
	}
	for name, command := range p.commands {
		command.listSeparators(verb+" "+name, out)
	}
}
