package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/lexical"
)

// ownText is what a substitution becomes whose one command prints text of the line as it
// stands: the body of a here-document in which nothing is expanded, or words. Shells cut the
// newlines off its end. It reports false for any other statement, and where a shell or an
// option may change what is printed.
func (w *walker) ownText(stmt *syntax.Stmt, c *Command) (Word, bool) {
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
		text, known = onlyDocument(stmt.Redirs)
		known = known && len(args) == 1
	case "echo":
		text, known = lexical.Echo(args[1:])
		known = known && !slices.ContainsFunc(stmt.Redirs, keepsOutput)
	case "printf":
		text, known = lexical.Printf(args[1:])
		known = known && !slices.ContainsFunc(stmt.Redirs, keepsOutput)
	}
	return Word{Kind: Literal, Text: strings.TrimRight(text, "\n")}, known
}

// undisturbed reports whether caveats say nothing against what a command prints of its words.
func undisturbed(caveats v1.Set) bool {
	return !slices.ContainsFunc(caveats, func(caveat string) bool { return caveat != "sets_variable" })
}

// keepsOutput reports whether a redirection does more than take errors away.
func keepsOutput(r *syntax.Redirect) bool { return !discardsErrors(r) }

// onlyDocument is the text of the one here-document that a command reads, as long as nothing in
// it is expanded and nothing else is redirected.
func onlyDocument(redirs []*syntax.Redirect) (text string, ok bool) {
	found := false
	for _, r := range redirs {
		switch {
		case discardsErrors(r):
		case (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && setsInput(r) && !found:
			if text, found = bodyOf(r); !found {
				return "", false
			}
		default:
			return "", false
		}
	}
	return text, found
}

// bodyOf is the body of a here-document in which nothing is expanded.
func bodyOf(r *syntax.Redirect) (string, bool) {
	_, quoted, ok := plainDelimiter(r.Word)
	if !ok {
		return "", false
	}
	var body strings.Builder
	if r.Hdoc != nil {
		for _, part := range r.Hdoc.Parts {
			lit, plain := part.(*syntax.Lit)
			if !plain {
				return "", false
			}
			body.WriteString(lit.Value)
		}
	}
	text := body.String()
	if r.Op == syntax.DashHdoc && strings.Contains("\n"+text, "\n\t") {
		return "", false // shells take the tabs away
	}
	if !quoted {
		text = lexical.RemoveBackslashes(text, "$`\\\n")
	}
	return text, true
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
		slices.ContainsFunc(call.Args, func(arg *syntax.Word) bool { return expansions(arg) > 0 }) {
		return word
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: part.Pos(), Right: part.End(), Parts: word.Parts}}}
}
