package shell

import (
	"slices"

	v1 "policyd/api/v1"
)

// AllTracked are the pathspecs of a command that is given none.
var AllTracked = []string{"."}

// trackedFeed is what git names of its index alone.
func trackedFeed(c *Command) *feed {
	f := &feed{dir: c.Dirs[0], filters: Access{Follow: true}, roots: []string{"."}, tracked: c.Git.Pathspecs}
	if len(f.tracked) == 0 {
		f.tracked = AllTracked
	}
	return f
}

// commitNames are the names that git prints of commits, beside those of its index: a
// commit may name what is on no disk, and cut at its blanks that is another file. They
// count from the top of the work tree.
func (w *walker) commitNames(c *Command) *feed {
	has := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	reads := w.table.words.CommitNames[c.Verb]
	if w.toplevel(c.Dirs[0]) != c.Dirs[0] || c.Git.Blobs > 0 || len(c.Git.Patterns) > 0 || c.Git.configured ||
		slices.ContainsFunc(reads.Needs, func(option string) bool { return !has(option) }) ||
		slices.ContainsFunc(c.Accesses, func(a Access) bool { return a.Dynamic || a.Fed || a.Glob && !a.Spelled }) {
		return nil
	}
	f := trackedFeed(c)
	f.zero = has("-z")
	f.commits, f.parents = c.Git.Revisions, reads.Parents
	f.dashes = c.Git.Dashes || c.Verb == "git ls-tree"
	f.head = reads.Head || has("--cached")
	if reads.Plain && (c.Git.Format != "" || !has("--format") && !has("--pretty")) {
		return nil // the message stands among the names
	}
	return f
}

// refText stands for the name of a ref in the text of a word.
const refText = "$(ref)"

// refFeed is what git prints of refs, where each line is the name of one and nothing else.
func (w *walker) refFeed(c *Command) *feed {
	allowed, ok := w.table.words.RefPrinters[c.Verb]
	if !ok || len(c.Caveats) > 0 || c.color == colorGiven || c.Git.configured ||
		slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(allowed, e.Name) }) {
		return nil
	}
	switch c.Git.Format {
	case "%(refname)", "%(refname:short)":
	case "":
		if c.Verb != "git tag" {
			return nil
		}
	default:
		return nil
	}
	return &feed{dir: c.Dirs[0], roots: []string{refText}, refs: true}
}

// refRevision reads a word that is the name of a ref: a revision, as long as no ref has a
// name that is an option.
func (p *parsed) refRevision(word Word) {
	if p.moved || p.c.Unknown || len(p.c.Dirs) != 1 || p.c.Dirs[0] != word.feed.dir || word.Split && p.st.assigned("IFS") {
		p.access(word, v1.OpRead, false)
		return
	}
	p.c.Git.Revisions = append(p.c.Git.Revisions, hashText)
	p.c.Accesses = append(p.c.Accesses, Access{Text: ".", Op: v1.OpList, Refs: true})
}
