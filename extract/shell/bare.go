package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/argv/filter"
)

// bareLines is what a statement prints, where that is such lines: of a grep, or of a filter
// that such lines are piped to.
func (w *walker) bareLines(stmt *syntax.Stmt, from int, in *feed) *feed {
	c, args := loneCommand(&w.line, stmt, from)
	if c == nil {
		return nil
	}
	if c.Verb == "grep" && filter.MatchesBare(args) || in != nil && in.bare && len(c.Accesses) == 0 && filter.KeepsBare(c.Verb, c.Form, args) {
		return &feed{dir: c.Dirs[0], bare: true}
	}
	return nil
}

// loneCommand is the one command of a statement, and its arguments, if they are known to the byte and nothing
// is uncertain about the command. It is nil for any other.
func loneCommand(line *Line, stmt *syntax.Stmt, from int) (*Command, []string) {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(line.Commands) != from+1 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, nil
	}
	c, args := &line.Commands[from], plainTexts(call.Args[1:])
	if args == nil || c.Unknown || len(c.Dirs) != 1 || len(c.Caveats) > 0 || call.Args[0].Lit() != c.Program {
		return nil, nil
	}
	return c, args
}
