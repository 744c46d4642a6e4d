package shell

import (
	"slices"
	"strings"

	"policyd/extract/shell/lexical"
)

// statusLines is what the command prints, if that is the names of git status: behind two signs and a
// blank, or, of a filter that such lines are piped to, alone.
func (o *stdout) statusLines() *NameStream {
	if len(o.args) == 0 {
		return nil
	}
	switch {
	case o.printsMarked() && len(o.c.Git.Settings) == 0 && o.toplevel(o.c.Cwd.Known[0]) == o.c.Cwd.Known[0]:
		names := trackedStream(o.c)
		names.AtHead, names.Untracked, names.Ignoring, names.Quoted = true, true, true, true
		return &NameStream{dir: names.dir, marked: names}
	case o.c.Program == "awk" && o.in != nil && o.in.marked != nil && len(o.c.Accesses) == 0 && len(o.args) == 1 &&
		slices.Contains(o.table.Words.Printing.LastFields, o.args[0]):
		names := *o.in.marked
		names.besides = o.in.besides
		return &names
	}
	return nil
}

// printsMarked reports whether git status prints names behind two signs, and no other lines.
func (o *stdout) printsMarked() bool {
	printing := o.table.Prints(o.c.Verb).Names.Marked
	return printing != nil && o.args[0] == strings.TrimPrefix(o.c.Verb, "git ") &&
		slices.ContainsFunc(printing.Needs, func(format string) bool { return slices.Contains(o.args, format) }) &&
		!slices.ContainsFunc(o.args[1:], func(arg string) bool {
			return !slices.Contains(printing.Needs, arg) && !slices.Contains(printing.Options, arg)
		})
}

// untrackedStream is what git ls-files names of its index and of what lies beside it, ignored files
// left out; nil where it may name more, or lie elsewhere.
func (l *listings) untrackedStream(c *Command) *NameStream {
	if !l.table.Prints(c.Verb).Names.Untracked.Holds(c.Form) || len(c.Git.Settings) > 0 || c.Git.Objects.Words > 0 || len(c.Git.Revisions) > 0 ||
		slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool {
			return !printable(spec, "*?") || spec[0] == '/' || spec[0] == ':' || lexical.Climbs(spec)
		}) ||
		slices.ContainsFunc(c.Accesses, func(a Access) bool { return a.Naming == Unnamed || a.FromStream || a.Naming == ByGlob }) {
		return nil
	}
	f := trackedStream(c)
	_, zero := c.Form.Get("-z")
	f.Untracked, f.Ignoring, f.zero = true, true, zero
	return f
}
