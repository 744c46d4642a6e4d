package shell

import (
	"slices"
	"strings"

	"policyd/extract/argv"
)

// mostChained is how many words of a line a verb chain may hold, longestChained how long
// each of them may be.
const (
	mostChained    = 12
	longestChained = 64
)

// chainable reports whether a word may be part of a verb chain: one that every shell
// reads as it stands, so that what is approved reads as what runs.
func chainable(word Word) bool {
	return word.Kind == Literal && word.Text != "" && len(word.Text) <= longestChained && !strings.ContainsFunc(word.Text, argv.Unchainable)
}

// verbChain puts words of a program into its verb chain, and notes those that are judged.
type verbChain struct {
	*parsed
	program *argv.Program
}

// chained puts a word at the end of the verb chain. A word that can't stand there keeps
// approvals away.
func (v verbChain) chained(word Word) {
	if !chainable(word) || strings.Count(v.c.Verb, " ") >= mostChained {
		v.c.Caveats.Add("dynamic_option")
		return
	}
	v.c.Verb += " " + word.Text
}

// target does what an operand means that names a target of a task runner: the target is
// part of the verb chain, and a variable that is set for it is a risk of its own.
func (v verbChain) target(r argv.Role, word Word) {
	if !slices.Contains(v.program.ChainRoles, r.Name) {
		return
	}
	name, _, assigns := strings.Cut(word.Text, "=")
	switch {
	case !assigns || word.Kind != Literal || strings.HasPrefix(word.Text, "-"):
		v.chained(word)
	case v.w.table.Words.Variables.Dangerous(strings.TrimRight(name, ":?+!")) || !chainable(word):
		v.c.Caveats.Add("assigns")
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
	if count < 0 || len(v.args.Words) > 0 && v.args.Words[0].isOption() {
		count = len(v.args.Words)
	}
	for _, word := range v.args.Words[:min(count, len(v.args.Words))] {
		v.chained(word)
		v.judge("<words>", word)
	}
}

// judge notes a literal word that the table marks as judged, by the name of its option or
// of its role.
func (v verbChain) judge(name string, word Word) {
	if v.program != nil && word.Kind == Literal && slices.Contains(v.program.Judged, name) {
		v.c.Approval.Values.Add(name, word.Text)
	}
}

// defined notes what an option gives to a target whose meaning is the project's alone, such
// as mvn's -Dname=value.
func (v verbChain) defined(canonical, kind string, word Word) {
	switch {
	case v.args.Program == nil || kind != "unknown" || len(v.args.Program.ChainRoles) == 0:
	case chainable(Word{Kind: word.Kind, Text: strings.ReplaceAll(word.Text, "#", "")}): // no comment begins within a word
		v.risk(canonical + " " + word.Text)
	default:
		v.c.Caveats.Add("dynamic_option")
	}
}
