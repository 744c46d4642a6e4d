package shell

import (
	"strings"

	"policyd/extract/argv"
)

// risky notes the risks of what the form holds, and of what it lacks: by the name of an option
// or role, or by a kind behind "=". An option that isn't known is one by its own name. Risks that
// hold a value are noted where the value is read.
func (p *parsed) risky(program *argv.Program) {
	for _, entry := range p.c.Form {
		risk, stated := program.Risks[entry.Name]
		if kind, ok := program.Risks["="+entry.Kind]; ok && !stated {
			risk, stated = kind, true
		}
		known, listed := program.Options[entry.Name]
		switch {
		case stated:
		case listed:
			risk = known.Risk
		case program.Style == "raw": // an option of the program that it runs
		case entry.Kind == "unknown" && strings.HasPrefix(entry.Name, "-") && p.w.table.Words.Risks().Options[argv.DoubleDashed(entry.Name)] == "":
			risk = entry.Name
		}
		p.riskOf(risk, nil)
	}
	for _, absent := range program.AbsentRisks {
		if len(program.Commands) == 0 && !p.has(absent[0]) {
			p.riskOf(absent[1], nil)
		}
	}
}

// Unlisted notes the risk of an option that the table doesn't list, with the value in the
// same word, or with the next word, which may be the value.
func (p *parsed) Unlisted(text string, rest []Word) {
	name, value, attached := strings.Cut(text, "=")
	word := Word{Kind: Literal, Text: value}
	if !attached && len(rest) > 0 && !rest[0].isOption() {
		word = rest[0]
	}
	switch risk := p.w.table.Words.Risks().Options[argv.DoubleDashed(name)]; {
	case !strings.Contains(risk, "{"):
		p.riskOf(risk, nil)
	case word.Text == "":
		p.risk(name)
	default:
		p.riskOf(risk, &word)
	}
	if attached {
		p.riskOf(p.w.table.Words.Risks().Kinds["unknown"], &word)
	}
}

// roleRisk notes the risk of an operand with the word that it is.
func (p *parsed) roleRisk(program *argv.Program, r argv.Role, word Word) {
	risk, stated := program.Risks[r.Label]
	if !stated {
		risk, stated = program.Risks["="+r.Kind]
	}
	if !stated {
		risk = p.w.table.Words.Risks().Kinds[r.Kind]
	}
	p.riskOf(risk, &word)
	if r.Kind == "unknown" && !stated {
		p.riskOf(program.OperandRisk, &word)
	}
}

// unlistedOperand notes the risk of a word behind a command that the table doesn't list.
func (p *parsed) unlistedOperand(command string, word Word) {
	p.riskOf(p.w.table.Words.Risks().Kinds["unknown"], &word)
	p.riskOf(p.w.table.Words.Risks().Commands[command], &word)
}
