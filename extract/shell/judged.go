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

// chained puts a word at the end of the verb chain. A word that can't stand there keeps
// approvals away.
func (p *parsed) chained(word Word) {
	if !chainable(word) || strings.Count(p.c.Verb, " ") >= mostChained {
		p.c.Caveats.Add("dynamic_option")
		return
	}
	p.c.Verb += " " + word.Text
}

// target does what an operand means that names a target of a task runner: the target is
// part of the verb chain, and a variable that is set for it is a risk of its own.
func (p *parsed) target(program *argv.Program, r argv.Role, word Word) {
	if !slices.Contains(program.ChainRoles, r.Name) {
		return
	}
	name, _, assigns := strings.Cut(word.Text, "=")
	switch {
	case !assigns || word.Kind != Literal || strings.HasPrefix(word.Text, "-"):
		p.chained(word)
	case p.w.table.Words.Variables.Dangerous(strings.TrimRight(name, ":?+!")) || !chainable(word):
		p.c.Caveats.Add("assigns")
	default:
		p.risk(word.Text)
	}
}

// leadingWords puts the leading words of a program into its verb chain whose command line is its
// own: as many as the table says, all of them where that is negative or options come first.
func (p *parsed) leadingWords(program *argv.Program) {
	count := program.Targets
	if count == 0 {
		return
	}
	if count < 0 || len(p.args.Words) > 0 && p.args.Words[0].isOption() {
		count = len(p.args.Words)
	}
	for _, word := range p.args.Words[:min(count, len(p.args.Words))] {
		p.chained(word)
		p.judge(program, "<words>", word)
	}
}

// judge notes a literal word that the table marks as judged, by the name of its option or
// of its role.
func (p *parsed) judge(program *argv.Program, name string, word Word) {
	if program != nil && word.Kind == Literal && slices.Contains(program.Judged, name) {
		p.c.Values.Add(name, word.Text)
	}
}

// defined notes what an option gives to a target whose meaning is the project's alone, such
// as mvn's -Dname=value.
func (p *parsed) defined(canonical, kind string, word Word) {
	switch {
	case p.args.Program == nil || kind != "unknown" || len(p.args.Program.ChainRoles) == 0:
	case chainable(Word{Kind: word.Kind, Text: strings.ReplaceAll(word.Text, "#", "")}): // no comment begins within a word
		p.risk(canonical + " " + word.Text)
	default:
		p.c.Caveats.Add("dynamic_option")
	}
}
