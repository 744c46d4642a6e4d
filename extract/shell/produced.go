package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
)

// ownText is what a substitution becomes whose one command prints text of the line as it
// stands: the body of a here-document in which nothing is expanded, or words. Shells cut the
// newlines off its end. It reports false for any other statement, and where a shell or an
// option may change what is printed.
func ownText(stmt *syntax.Stmt, c *Command) (Word, bool) {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || stmt.Negated || stmt.Background || len(call.Assigns) > 0 || len(c.Argv) == 0 || !undisturbed(c.Caveats) {
		return Word{}, false
	}
	args := make([]string, len(c.Argv))
	for i := range c.Argv {
		if args[i] = c.Argv[i].Text; c.Argv[i].Kind != Literal {
			return Word{}, false
		}
	}
	text, known := "", false
	switch args[0] {
	case "cat":
		text, known = tree.OnlyDocument(stmt.Redirs)
		known = known && len(args) == 1
	case "echo":
		text, known = lexical.Echo(args[1:])
		known = known && !slices.ContainsFunc(stmt.Redirs, tree.DoesMoreThanDiscardErrors)
	case "printf":
		text, known = lexical.Printf(args[1:])
		known = known && !slices.ContainsFunc(stmt.Redirs, tree.DoesMoreThanDiscardErrors)
	}
	return Word{Kind: Literal, Text: strings.TrimRight(text, "\n")}, known
}

// undisturbed reports whether caveats say nothing against what a command prints of its words.
func undisturbed(caveats v1.Set) bool {
	return !slices.ContainsFunc(caveats, func(caveat string) bool { return caveat != "sets_variable" })
}

// ownTextQuoted puts the value of an assignment into quotes that is one substitution of own
// text: shells don't cut such a value.
func ownTextQuoted(word *syntax.Word) *syntax.Word {
	if len(word.Parts) != 1 {
		return word
	}
	part, ok := word.Parts[0].(*syntax.CmdSubst)
	if !ok || len(part.Stmts) != 1 {
		return word
	}
	call, ok := part.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || !slices.Contains([]string{"cat", "echo", "printf"}, call.Args[0].Lit()) ||
		slices.ContainsFunc(call.Args, func(arg *syntax.Word) bool { return tree.CountExpansions(arg) > 0 }) {
		return word
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: part.Pos(), Right: part.End(), Parts: word.Parts}}}
}
