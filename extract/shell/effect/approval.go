package effect

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/shell/expansion"
)

// mostChained is how many words of a line a verb chain may hold, longestChained how long
// each of them may be.
const (
	mostChained    = 12
	longestChained = 64
)

// chainable reports whether a word may be part of a verb chain: one that every shell
// reads as it stands, so that what is approved reads as what runs.
func chainable(word expansion.Word) bool {
	return word.Kind == expansion.Literal && word.Text != "" && len(word.Text) <= longestChained && !strings.ContainsFunc(word.Text, argv.Unchainable)
}

// verbChain puts words of a program into its verb chain, and notes those that are judged.
type verbChain struct {
	*Reader
	program *argv.Program
}

// chained puts a word at the end of the verb chain. A word that can't stand there keeps
// approvals away.
func (v verbChain) chained(word expansion.Word) {
	if !chainable(word) || strings.Count(v.Command.Verb, " ") >= mostChained {
		v.Command.Caveats.Add("dynamic_option")
		return
	}
	v.Command.Verb += " " + word.Text
}

// target does what an operand means that names a target of a task runner: the target is
// part of the verb chain, and a variable that is set for it is a risk of its own.
func (v verbChain) target(r argv.Role, word expansion.Word) {
	if !slices.Contains(v.program.ChainRoles, r.Name) {
		return
	}
	name, _, assigns := strings.Cut(word.Text, "=")
	switch {
	case !assigns || word.Kind != expansion.Literal || strings.HasPrefix(word.Text, "-"):
		v.chained(word)
	case v.Table.Words.Variables.Dangerous(strings.TrimRight(name, ":?+!")) || !chainable(word):
		v.Command.Caveats.Add("assigns")
	default:
		v.risk(word.Text)
	}
}

// leadingWords puts the leading words of a program into its verb chain whose command line is its
// own: as many as the table says, all of them where that is negative or options come first.
func (v verbChain) leadingWords() {
	count := v.program.Targets
	if count == 0 {
		return
	}
	if count < 0 || len(v.Args.Words) > 0 && v.Args.Words[0].IsOption() {
		count = len(v.Args.Words)
	}
	for _, word := range v.Args.Words[:min(count, len(v.Args.Words))] {
		v.chained(word)
		v.judge("<words>", word)
	}
}

// judge notes a literal word that the table marks as judged, by the name of its option or
// of its role.
func (v verbChain) judge(name string, word expansion.Word) {
	if v.program != nil && word.Kind == expansion.Literal && slices.Contains(v.program.Judged, name) {
		v.Command.Approval.Values.Add(name, word.Text)
	}
}

// defined notes what an option gives to a target whose meaning is the project's alone, such
// as mvn's -Dname=value.
func (v verbChain) defined(canonical, kind string, word expansion.Word) {
	switch {
	case v.Args.Program == nil || kind != "unknown" || len(v.Args.Program.ChainRoles) == 0:
	case chainable(expansion.Word{Kind: word.Kind, Text: strings.ReplaceAll(word.Text, "#", "")}): // no comment begins within a word
		v.risk(canonical + " " + word.Text)
	default:
		v.Command.Caveats.Add("dynamic_option")
	}
}

// riskReader notes what an approval of a command has to be given for by name.
type riskReader struct{ *Effects }

// form notes the risks of what the form holds, and of what it lacks: by the name of an option
// or role, or by a kind behind "=". An option that isn't known is one by its own name. Risks that
// hold a value are noted where the value is read.
func (r riskReader) form(program *argv.Program) {
	for _, entry := range r.Command.Form {
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
		case entry.Kind == "unknown" && strings.HasPrefix(entry.Name, "-") && r.Table.Words.Risks().Options[argv.DoubleDashed(entry.Name)] == "":
			risk = entry.Name
		}
		r.add(risk, nil)
	}
	for _, absent := range program.AbsentRisks {
		if len(program.Commands) == 0 && !r.Has(absent[0]) {
			r.add(absent[1], nil)
		}
	}
}

// option notes the risk of an option that the table doesn't list, with the value in the
// same word, or with the next word, which may be the value.
func (r riskReader) option(text string, rest []expansion.Word) {
	name, value, attached := strings.Cut(text, "=")
	word := expansion.Word{Kind: expansion.Literal, Text: value}
	if !attached && len(rest) > 0 && !rest[0].IsOption() {
		word = rest[0]
	}
	switch risk := r.Table.Words.Risks().Options[argv.DoubleDashed(name)]; {
	case !strings.Contains(risk, "{"):
		r.add(risk, nil)
	case word.Text == "":
		r.risk(name)
	default:
		r.add(risk, &word)
	}
	if attached {
		r.add(r.Table.Words.Risks().Kinds["unknown"], &word)
	}
}

// role notes the risk of an operand with the word that it is.
func (r riskReader) role(program *argv.Program, operand argv.Role, word expansion.Word) {
	risk, stated := program.Risks[operand.Label]
	if !stated {
		risk, stated = program.Risks["="+operand.Kind]
	}
	if !stated {
		risk = r.Table.Words.Risks().Kinds[operand.Kind]
	}
	r.add(risk, &word)
	if operand.Kind == "unknown" && !stated {
		r.add(program.OperandRisk, &word)
	}
}

// operand notes the risk of a word behind a command that the table doesn't list.
func (r riskReader) operand(command string, word expansion.Word) {
	r.add(r.Table.Words.Risks().Kinds["unknown"], &word)
	r.add(r.Table.Words.Risks().Commands[command], &word)
}

// add notes risks as the table states them. Those with a value are left out without a word,
// and the others with one.
func (r riskReader) add(stated string, word *expansion.Word) {
	if stated == "" {
		return
	}
	for risk := range strings.SplitSeq(stated, ",") {
		switch valued := strings.Contains(risk, "{"); {
		case valued && word != nil:
			for _, named := range r.Table.Words.Risks().Named(risk, word.Text, word.Kind == expansion.Literal || word.Kind == expansion.Glob) {
				r.risk(named)
			}
		case !valued && word == nil:
			r.risk(risk)
		}
	}
}
