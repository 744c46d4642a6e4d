package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/value"
)

// trackedStream is what git names of its index alone.
func trackedStream(c *Command) *NameStream {
	walk := value.Walk{Follow: true, Index: value.Index{Tracked: slices.Concat(c.Git.Pathspecs, c.Git.Below())}}
	f := &NameStream{dir: c.Cwd.Known[0], Walk: walk, roots: []string{"."}}
	if len(f.Tracked) == 0 {
		f.Tracked = value.AllTracked
	}
	return f
}

// commitNames are the names that git prints of commits, beside those of its index: a
// commit may name what is on no disk, and cut at its blanks that is another file. They
// count from the top of the work tree.
func (l *listings) commitNames(c *Command) *NameStream {
	has := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	reads := l.table.Prints(c.Verb).Names.Commits
	if l.toplevel(c.Cwd.Known[0]) != c.Cwd.Known[0] || c.Git.Objects.Words > 0 || len(c.Git.Patterns) > 0 || len(c.Git.Settings) > 0 ||
		slices.ContainsFunc(reads.Needs, func(option string) bool { return !has(option) }) ||
		slices.ContainsFunc(c.Accesses, func(a Access) bool { return a.Naming == Unnamed || a.FromStream || a.Naming == ByGlob }) {
		return nil
	}
	f := trackedStream(c)
	f.zero = has("-z")
	f.Commits, f.Parents = c.Git.Revisions, reads.Parents
	f.Dashes = c.Git.Dashes || c.Verb == "git ls-tree"
	f.AtHead = reads.Head || has("--cached")
	if reads.Plain && (c.Git.Log.Format != "" || !has("--format") && !has("--pretty")) {
		return nil // the message stands among the names
	}
	return f
}

// refText stands for the name of a ref in the text of a word.
const refText = "$(ref)"

// refStream is what git prints of refs, where each line is the name of one and nothing else.
func (l *listings) refStream(c *Command) *NameStream {
	printing := l.table.Prints(c.Verb).Refs
	if printing == nil || len(c.Caveats) > 0 || c.printing.color == colorGiven || len(c.Git.Settings) > 0 || c.Git.Objects.Words > 0 ||
		slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(printing.Options, e.Name) }) {
		return nil
	}
	with := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	switch {
	case c.Git.Log.Format == "%(refname)", c.Git.Log.Format == "%(refname:short)":
	case c.Git.Log.Format != "", !printing.Bare && !slices.ContainsFunc(printing.BareWith, with):
		return nil
	}
	if takesRevisions := with("<rev>"); takesRevisions && !describable(c) {
		return nil
	}
	return &NameStream{dir: c.Cwd.Known[0], roots: []string{refText}, refs: true, said: printing.Said}
}

// describable reports whether what git is asked to name is a commit: of the contents of
// a file it prints the path. The branch that is checked out is HEAD alone.
func describable(c *Command) bool {
	if c.Verb == "git rev-parse" {
		return slices.Equal(c.Git.Revisions, []string{"HEAD"})
	}
	return !slices.ContainsFunc(c.Git.Revisions, func(rev string) bool {
		back, head := strings.CutPrefix(rev, "HEAD")
		return rev != hashText && (!head || strings.Trim(back, "~^0123456789") != "")
	})
}

// aboutRefs is a word that names of refs stand in, holes of them: a revision of its own
// where the text about them says how far to go back, or makes a range, and text that only
// the run can tell if not.
func aboutRefs(word Word, holes int) Word {
	text := strings.ReplaceAll(word.Text, refText, "h")
	object := holes == 1 && objectOfRef(word.Text) && (!word.Split || !word.stream.many)
	if strings.Count(word.Text, refText) != holes || !madeOfRefs(text) && !object {
		word.Kind, word.stream = Output, nil
	}
	return word
}

// objectOfRef reports whether a text is the name of a ref and a plain path in it. Where there
// is no name, git reads the same path in its index.
func objectOfRef(text string) bool {
	path, ok := strings.CutPrefix(text, refText+":")
	return ok && printable(path, "") && path[0] != '/' && path[0] != ':' && !strings.Contains(path, "..")
}

// madeOfRefs reports whether a text is a name and steps back from it, or a range between
// two of them.
func madeOfRefs(text string) bool {
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		return stepsFrom(text, "h")
	}
	to = strings.TrimPrefix(to, ".")
	plain := func(side string) bool {
		name := side[:len(side)-len(strings.TrimLeft(side, value.NameBytes+"./-"))]
		return side == "" || plainRefName(name) && stepsFrom(side, name)
	}
	return plain(from) && plain(to)
}

// stepsFrom reports whether nothing stands behind a name but steps back.
func stepsFrom(text, name string) bool {
	steps, ok := strings.CutPrefix(text, name)
	return ok && strings.Trim(steps, "~^0123456789") == ""
}

// plainRefName reports whether each part of a name is one that git takes in a ref, and no
// option.
func plainRefName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.Contains(part, "..") {
			return false
		}
	}
	return true
}
