package history

import (
	"encoding/hex"
	"slices"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// Bounds on what Named reads.
const (
	maxNamed      = 8 << 10
	maxNamedBytes = 16 << 20

	maxDepth = 128
	maxPath  = 4 << 10
)

// Commits are those whose names git prints.
type Commits struct {
	// Revisions are words as git diff takes them: single ones, and ranges.
	Revisions []string
	// Parents is true when the parents of each count as well, and no range does.
	Parents bool
}

// Named visits the paths that commits hold, as far as the pathspecs select them, until visit returns
// false: with those that Tracked visits, they are all that git names of the commits, the index and the
// work tree.
//
// Errors: those of Tracked, and ErrRevisionUnknown. After an error the paths visited so far mean
// nothing.
func Named(repository object.Repository, of Commits, pathspecs []string, cwd string, visit func(path string) bool) error {
	selection, err := selected(&repository, pathspecs, cwd)
	if err != nil {
		return err
	}
	if repository.Has("reftable") {
		return ErrRevisionUnknown
	}
	source, ok := NewPast(nil).open(&repository, &object.Budget{MostObjects: maxNamed, MostBytes: maxNamedBytes})
	if !ok {
		return ErrRevisionUnknown
	}
	defer source.reader.Close()
	n := naming{source: source, seen: map[[2]string]bool{}, selection: selection, visit: visit}
	commits, ok := n.commits(of)
	if !ok {
		return ErrRevisionUnknown
	}
	for _, id := range commits {
		c, ok := source.commit(id)
		if !ok || !n.tree("", c.Tree, 0) {
			return ErrRevisionUnknown
		}
		if n.stopped {
			break
		}
	}
	return nil
}

// commits lists the commits whose names git prints.
func (n *naming) commits(of Commits) (all []string, ok bool) {
	if len(of.Revisions) > maxRevisions {
		return nil, false
	}
	for _, word := range of.Revisions {
		found, ok := n.ends(word, of.Parents)
		if !ok {
			return nil, false
		}
		all = append(all, found...)
	}
	return all, true
}

// ends lists the commits of one word: those at both ends of a range, where the ends of
// the range with three dots part, and the parents if they count.
func (n *naming) ends(word string, parents bool) ([]string, bool) {
	ends, isRange := syntax.CutRange(word)
	if !isRange {
		return n.single(word, parents)
	}
	from, known := n.commitOf(ends.From)
	to, also := n.commitOf(ends.To)
	if parents || !known || !also {
		return nil, false
	}
	if !ends.Symmetric {
		return []string{from, to}, true
	}
	// Where the history is cut off git may find other commits.
	if len(n.shallow) > 0 {
		return nil, false
	}
	parted, known := bases(n.source, from, to, true)
	return append(parted, to), known
}

func (n *naming) single(word string, parents bool) ([]string, bool) {
	id, ok := n.commitOf(word)
	if !ok || !parents {
		return []string{id}, ok
	}
	if tag, ok := n.named(word); ok && tag != id {
		return nil, false // of a tag git show prints more than names
	}
	c, ok := n.commit(id)
	if !ok {
		return nil, false
	}
	return append([]string{id}, c.Parents...), true
}

// naming is one answer under way.
type naming struct {
	*source

	// seen holds the trees that were read, each with the directory that it stands for.
	seen      map[[2]string]bool
	selection syntax.Pathspecs
	visit     func(path string) bool
	// stopped is true once visit has had enough.
	stopped bool
}

// tree visits all that a tree holds in a directory. It reports false if that can't be known.
func (n *naming) tree(dir, id string, depth int) bool {
	at := [2]string{dir, id}
	if n.seen[at] || n.stopped {
		return true
	}
	n.seen[at] = true
	if depth > maxDepth || len(dir) > maxPath {
		return false
	}
	found, err := n.object(id)
	if err != nil || found.Kind != object.KindTree {
		return false
	}
	for body := found.Body; len(body) > 0 && !n.stopped; {
		entry, rest, ok := object.CutEntry(body, n.repository.HashSize)
		if !ok || !n.entry(dir, entry, depth) {
			return false
		}
		body = rest
	}
	return true
}

// fileModes are those of what a tree holds besides trees: files, links and submodules.
var fileModes = []string{"100644", "100755", "100664", "120000", "160000"}

func (n *naming) entry(dir string, entry object.TreeEntry, depth int) bool {
	name := string(entry.Name)
	switch {
	case !staysBelow(name):
		return false
	case entry.IsTree():
		return n.tree(dir+name+"/", hex.EncodeToString(entry.ID), depth+1)
	case !slices.Contains(fileModes, string(entry.Mode)):
		return false
	}
	path := dir + name
	n.stopped = n.selection.Select(path) && !n.visit(path)
	return true
}

// staysBelow reports whether a name in a tree leads nowhere but into it: a commit that was
// fetched may hold any.
func staysBelow(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.EqualFold(name, ".git") && !strings.Contains(name, "/")
}
