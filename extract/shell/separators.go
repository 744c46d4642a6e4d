package shell

import (
	"slices"

	"policyd/extract/argv"
)

// separatorOf returns which separator an operand is.
func separatorOf(word Word) string {
	if word.literal("-") {
		return argv.SeparatorDash
	}
	return argv.SeparatorOperand
}

// separated notes words behind a separator that the program wasn't tested with. If one
// of them begins with a dash, or may, the line has an option that isn't known, and each
// word may be a path that is written.
func (p *parsed) separated(program *argv.Program, separator string, behind []Word) {
	if program.Tested(separator) {
		return
	}
	at := slices.IndexFunc(behind, p.mayLead)
	if at < 0 {
		return
	}
	p.c.Caveats.Add("unknown_option")
	if separator == argv.SeparatorOperand && !program.EndsAtOperand() {
		return // the words are read as options, too
	}
	for _, word := range behind {
		p.anyPath(word)
	}
	p.bothReadings(program, behind)
}

// endAtOperand takes the words from the first operand on as operands.
func (p *parsed) endAtOperand(program *argv.Program, rest []Word) {
	p.unsure(program, rest[0])
	if rest[0].Vanishes && len(rest) > 1 {
		p.c.Caveats.Add("dynamic_option") // the options may go on behind it
	}
	p.separated(program, separatorOf(rest[0]), rest[1:])
	p.operands = append(p.operands, rest...)
}

// endAtDashes takes the words behind "--" as operands.
func (p *parsed) endAtDashes(program *argv.Program, rest []Word) {
	p.behind(program, rest[0])
	p.dashes, p.c.Git.Dashes = len(p.operands), true
	p.separated(program, argv.SeparatorDashes, rest[1:])
	p.operands = append(p.operands, rest[1:]...)
}

// firstSeparator does the same for the first operand of its kind; what stands behind
// another one stands behind the first, too.
func (p *parsed) firstSeparator(program *argv.Program, word Word, behind []Word) {
	separator := separatorOf(word)
	met := &p.metOperand
	if separator == argv.SeparatorDash {
		met = &p.metDash
	}
	if !*met {
		*met = true
		p.separated(program, separator, behind)
	}
}

// bothReadings reads words as options that the style takes for operands.
func (p *parsed) bothReadings(program *argv.Program, words []Word) {
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
