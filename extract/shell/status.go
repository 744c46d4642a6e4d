package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
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
		names.head, names.untracked, names.quoted = true, true, true
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
	formats := []string{"--porcelain", "--porcelain=v1", "-s", "--short"}
	known := append([]string{"-uall", "-uno", "-unormal", "--untracked-files", "--untracked-files=all", "--untracked-files=no", "--untracked-files=normal"}, formats...)
	return args[0] == "status" && slices.ContainsFunc(formats, func(format string) bool { return slices.Contains(args, format) }) &&
		!slices.ContainsFunc(args[1:], func(arg string) bool { return !slices.Contains(known, arg) })
}

// othersFeed is what git ls-files names of its index and of what lies beside it, ignored files
// left out; nil where it may name more, or lie elsewhere.
func othersFeed(c *Command) *feed {
	has := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	known := []string{"--others", "--exclude-standard", "--cached", "--modified", "--deleted", "--deduplicate", "--no-pager", "-z", "<path>"}
	if c.Verb != "git ls-files" || !has("--others") || !has("--exclude-standard") || c.Git.configured || c.Git.Blobs > 0 || len(c.Git.Revisions) > 0 ||
		slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(known, e.Name) }) ||
		slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool {
			return !printable(spec, "*?") || spec[0] == '/' || spec[0] == ':' || climbs(spec)
		}) ||
		slices.ContainsFunc(c.Accesses, func(a Access) bool { return a.Dynamic || a.Fed || a.Glob && !a.Spelled }) {
		return nil
	}
	f := trackedFeed(c)
	f.untracked, f.zero = true, has("-z")
	return f
}
