package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// macro is a word that make takes for a target or, with a "=" in
// it, for a variable. A recipe can run whatever a variable holds, so a value that
// could be a path is one that runs, and a value of more than a plain word runs
// what it says. A pattern that matches nothing is handed on as it is, for the recipe's
// shell to match.
func (p *parsed) macro(kind string, word Word) string {
	name, value, found := strings.Cut(word.Text, "=")
	p.leadsOut(word)
	if !found || word.Kind != Literal && word.Kind != Glob {
		p.inert(word)
		return kind
	}
	if word.Kind == Glob {
		p.inert(word)
		p.c.Caveats.Add("executes")
	}
	name = strings.TrimRight(name, ":?+!")
	if slices.Contains(p.w.table.Words.Variables.MakeControls, name) || strings.ContainsFunc(value, runsInRecipe) {
		p.c.Caveats.Add("executes")
	}
	p.maybePath(Word{Kind: word.Kind, Text: value}, v1.OpExecute)
	return kind
}

// runsInRecipe reports whether a character makes a shell do more with a value
// than take it for one word.
func runsInRecipe(r rune) bool {
	return !strings.ContainsRune("_-./,:+@%=~", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
