package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// statusLines is what a statement prints, where that is the names of git status: behind two
// signs and a blank, or, of a filter that such lines are piped to, alone.
func (w *walker) statusLines(stmt *syntax.Stmt, from int, in *feed) *feed {
	c, args := loneCommand(&w.line, stmt, from)
	if c == nil || len(args) == 0 {
		return nil
	}
	switch {
	case w.printsMarked(c, args) && !c.Git.configured && w.toplevel(c.Dirs[0]) == c.Dirs[0]:
		names := trackedFeed(c)
		names.AtHead, names.Untracked, names.Ignoring, names.Quoted = true, true, true, true
		return &feed{dir: names.dir, marked: names}
	case c.Program == "awk" && in != nil && in.marked != nil && len(c.Accesses) == 0 && slices.Contains(w.table.Words.Printing.LastFields, args[0]) && len(args) == 1:
		names := *in.marked
		names.besides = in.besides
		return &names
	}
	return nil
}

// printsMarked reports whether git status prints names behind two signs, and no other lines.
func (w *walker) printsMarked(c *Command, args []string) bool {
	printing := w.table.Prints(c.Verb).Names.Marked
	return printing != nil && args[0] == strings.TrimPrefix(c.Verb, "git ") &&
		slices.ContainsFunc(printing.Needs, func(format string) bool { return slices.Contains(args, format) }) &&
		!slices.ContainsFunc(args[1:], func(arg string) bool {
			return !slices.Contains(printing.Needs, arg) && !slices.Contains(printing.Options, arg)
		})
}

// othersFeed is what git ls-files names of its index and of what lies beside it, ignored files
// left out; nil where it may name more, or lie elsewhere.
func (w *walker) othersFeed(c *Command) *feed {
	if !w.table.Prints(c.Verb).Names.Untracked.Holds(c.Form) || c.Git.configured || c.Git.Blobs > 0 || len(c.Git.Revisions) > 0 ||
		slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool {
			return !printable(spec, "*?") || spec[0] == '/' || spec[0] == ':' || climbs(spec)
		}) ||
		slices.ContainsFunc(c.Accesses, func(a Access) bool { return a.Dynamic || a.FromStream || a.Glob && !a.Spelled }) {
		return nil
	}
	f := trackedFeed(c)
	_, zero := c.Form.Get("-z")
	f.Untracked, f.Ignoring, f.zero = true, true, zero
	return f
}
