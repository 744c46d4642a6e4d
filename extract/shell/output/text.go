package output

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
)

// OwnText is what a substitution becomes whose one command prints text of the line as it
// stands: the body of a here-document in which nothing is expanded, or words. Shells cut the
// newlines off its end. It reports false for any other statement, and where a shell or an
// option may change what is printed.
func OwnText(stmt *syntax.Stmt, c *command.Command) (expansion.Word, bool) {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || stmt.Negated || stmt.Background || len(call.Assigns) > 0 || len(c.Argv) == 0 || !undisturbed(c.Caveats) {
		return expansion.Word{}, false
	}
	args := make([]string, len(c.Argv))
	for i := range c.Argv {
		if args[i] = c.Argv[i].Text; c.Argv[i].Kind != expansion.Literal {
			return expansion.Word{}, false
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
	return expansion.Word{Kind: expansion.Literal, Text: strings.TrimRight(text, "\n")}, known
}

// undisturbed reports whether caveats say nothing against what a command prints of its words.
func undisturbed(caveats v1.Set) bool {
	return !slices.ContainsFunc(caveats, func(caveat string) bool { return caveat != "sets_variable" })
}

// PrintsHash reports whether a command prints the hash of a commit, or fails.
func PrintsHash(c *command.Command) bool {
	if c.Git.Objects.Words > 0 || len(c.Caveats) > 0 || len(c.Git.Settings) > 0 {
		return false
	}
	only := func(options ...string) bool {
		for _, entry := range c.Form {
			if strings.HasPrefix(entry.Name, "-") && !slices.Contains(options, entry.Name) {
				return false
			}
		}
		return true
	}
	switch c.Verb {
	case "git merge-base":
		return only("--fork-point", "--octopus")
	case "git rev-parse":
		return len(c.Git.Revisions) == 1 && len(c.Opened()) <= 1 && len(c.Git.Pathspecs) == 0 &&
			!c.Git.Dashes && stream.IsOneRevision(c.Git.Revisions[0]) && only("--short", "--verify", "--quiet")
	}
	return false
}
