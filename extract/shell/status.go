package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// statusLines is what a statement prints, where that is the names of git status: behind two
// signs and a blank, or, of a filter that such lines are piped to, alone.
func (w *walker) statusLines(stmt *syntax.Stmt, from int, in *feed) *feed {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(w.line.Commands) != from+1 || len(call.Assigns) > 0 || len(call.Args) < 2 {
		return nil
	}
	c := &w.line.Commands[from]
	args := plainTexts(call.Args[1:])
	if args == nil || c.Unknown || len(c.Dirs) != 1 || len(c.Caveats) > 0 || call.Args[0].Lit() != c.Program {
		return nil
	}
	switch {
	case c.Verb == "git status" && printsMarked(args) && !c.Git.configured && w.toplevel(c.Dirs[0]) == c.Dirs[0]:
		names := trackedFeed(c)
		names.head, names.untracked = true, true
		return &feed{dir: names.dir, marked: names}
	case c.Program == "awk" && in != nil && in.marked != nil && len(c.Accesses) == 0 && slices.Contains(lastFields, args[0]) && len(args) == 1:
		names := *in.marked
		names.besides = in.besides
		return &names
	}
	return nil
}

// lastFields are programs of awk that print the name alone: of a file that got another name the
// one or the other.
var lastFields = []string{"{print $2}", "{ print $2 }", "{print $NF}", "{ print $NF }"}

// printsMarked reports whether git status prints names behind two signs, and no other lines.
func printsMarked(args []string) bool {
	formats := []string{"--porcelain", "--porcelain=v1"}
	known := append([]string{"-uall", "-uno", "-unormal", "--untracked-files", "--untracked-files=all", "--untracked-files=no", "--untracked-files=normal"}, formats...)
	return args[0] == "status" && slices.ContainsFunc(formats, func(format string) bool { return slices.Contains(args, format) }) &&
		!slices.ContainsFunc(args[1:], func(arg string) bool { return !slices.Contains(known, arg) })
}
