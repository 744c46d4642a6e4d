package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/argv/filter"
)

// bareLines is what a statement prints, where that is such lines: of a grep, or of a filter
// that such lines are piped to.
func (w *walker) bareLines(stmt *syntax.Stmt, from int, in *feed) *feed {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(w.line.Commands) != from+1 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil
	}
	c := &w.line.Commands[from]
	args := plainTexts(call.Args[1:])
	if args == nil || c.Unknown || len(c.Dirs) != 1 || len(c.Caveats) > 0 || call.Args[0].Lit() != c.Program {
		return nil
	}
	if c.Verb == "grep" && filter.MatchesBare(args) || in != nil && in.bare && len(c.Accesses) == 0 && filter.KeepsBare(c.Verb, c.Form, args) {
		return &feed{dir: c.Dirs[0], bare: true}
	}
	return nil
}
