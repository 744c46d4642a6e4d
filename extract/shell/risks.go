package shell

import (
	"strings"

	"policyd/extract/argv"
)

// riskReader notes what an approval of a command has to be given for by name.
type riskReader struct{ *effects }

// form notes the risks of what the form holds, and of what it lacks: by the name of an option
// or role, or by a kind behind "=". An option that isn't known is one by its own name. Risks that
// hold a value are noted where the value is read.
func (r riskReader) form(program *argv.Program) {
	for _, entry := range r.c.Form {
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
		case entry.Kind == "unknown" && strings.HasPrefix(entry.Name, "-") && r.w.table.Words.Risks().Options[argv.DoubleDashed(entry.Name)] == "":
			risk = entry.Name
		}
		r.add(risk, nil)
	}
	for _, absent := range program.AbsentRisks {
		if len(program.Commands) == 0 && !r.has(absent[0]) {
			r.add(absent[1], nil)
		}
	}
}

// option notes the risk of an option that the table doesn't list, with the value in the
// same word, or with the next word, which may be the value.
func (r riskReader) option(text string, rest []Word) {
	name, value, attached := strings.Cut(text, "=")
	word := Word{Kind: Literal, Text: value}
	if !attached && len(rest) > 0 && !rest[0].isOption() {
		word = rest[0]
	}
	switch risk := r.w.table.Words.Risks().Options[argv.DoubleDashed(name)]; {
	case !strings.Contains(risk, "{"):
		r.add(risk, nil)
	case word.Text == "":
		r.risk(name)
	default:
		r.add(risk, &word)
	}
	if attached {
		r.add(r.w.table.Words.Risks().Kinds["unknown"], &word)
	}
}

// role notes the risk of an operand with the word that it is.
func (r riskReader) role(program *argv.Program, operand argv.Role, word Word) {
	risk, stated := program.Risks[operand.Label]
	if !stated {
		risk, stated = program.Risks["="+operand.Kind]
	}
	if !stated {
		risk = r.w.table.Words.Risks().Kinds[operand.Kind]
	}
	r.add(risk, &word)
	if operand.Kind == "unknown" && !stated {
		r.add(program.OperandRisk, &word)
	}
}

// operand notes the risk of a word behind a command that the table doesn't list.
func (r riskReader) operand(command string, word Word) {
	r.add(r.w.table.Words.Risks().Kinds["unknown"], &word)
	r.add(r.w.table.Words.Risks().Commands[command], &word)
}

// add notes risks as the table states them. Those with a value are left out without a word,
// and the others with one.
func (r riskReader) add(stated string, word *Word) {
	if stated == "" {
		return
	}
	for risk := range strings.SplitSeq(stated, ",") {
		switch valued := strings.Contains(risk, "{"); {
		case valued && word != nil:
			for _, named := range r.w.table.Words.Risks().Named(risk, word.Text, word.Kind == Literal || word.Kind == Glob) {
				r.risk(named)
			}
		case !valued && word == nil:
			r.risk(risk)
		}
	}
}
