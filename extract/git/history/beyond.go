package history

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// Bounds on what Beyond reads and computes.
const (
	maxEntries = 200_000
	maxDepth   = 128
	maxPath    = 4 << 10
)

// Commits are those whose names git prints.
type Commits struct {
	// Revisions are words as git diff takes them: single ones, and ranges.
	Revisions []string
	// Parents is true when the parents of each count as well, and no range does.
	Parents bool
}

// Beyond visits the paths that commits hold and that the index does not name, as far as
// the pathspecs select them, until visit returns false: with those that Tracked visits,
// they are all that git names of the commits, the index and the work tree. What the index
// holds is computed from the index, and each object that is read has its id verified.
//
// Errors: those of Tracked, and ErrRevisionUnknown. After an error the paths visited so far mean
// nothing.
func Beyond(repository object.Repository, of Commits, pathspecs []string, cwd string, visit func(path string) bool) error {
	selection, err := selected(&repository, pathspecs, cwd)
	if err != nil {
		return err
	}
	source, ok := openVerified(&repository)
	if !ok {
		return ErrRevisionUnknown
	}
	defer source.reader.Close()
	b := beyond{source: source, paths: map[string]bool{}, trees: map[string]string{}, selection: selection, visit: visit}
	commits, ok := b.commits(of)
	if !ok || !b.index() {
		return ErrRevisionUnknown
	}
	for _, id := range commits {
		c, ok := source.commit(id)
		if !ok || !b.tree("", c.Tree, 0) {
			return ErrRevisionUnknown
		}
		if b.stopped {
			break
		}
	}
	return nil
}

// commits lists the commits whose names git prints.
func (b *beyond) commits(of Commits) (all []string, ok bool) {
	if len(of.Revisions) > maxRevisions {
		return nil, false
	}
	for _, word := range of.Revisions {
		found, ok := b.ends(word, of.Parents)
		if !ok {
			return nil, false
		}
		all = append(all, found...)
	}
	return all, true
}

// ends lists the commits of one word: those at both ends of a range, where the ends of
// the range with three dots part, and the parents if they count.
func (b *beyond) ends(word string, parents bool) ([]string, bool) {
	ends, isRange := syntax.CutRange(word)
	if !isRange {
		return b.single(word, parents)
	}
	from, known := b.commitOf(ends.From)
	to, also := b.commitOf(ends.To)
	if parents || !known || !also {
		return nil, false
	}
	if !ends.Symmetric {
		return []string{from, to}, true
	}
	// Where the history is cut off or written down elsewhere, git may find other commits.
	if b.repository.Has("shallow") || len(b.graph.ids) > 0 {
		return nil, false
	}
	parted, known := bases(b.source, from, to, true)
	return append(parted, to), known
}

func (b *beyond) single(word string, parents bool) ([]string, bool) {
	id, ok := b.commitOf(word)
	if !ok || !parents {
		return []string{id}, ok
	}
	if tag, ok := b.named(word); ok && tag != id {
		return nil, false // of a tag git show prints more than names
	}
	c, ok := b.commit(id)
	if !ok {
		return nil, false
	}
	return append([]string{id}, c.Parents...), true
}

// beyond is one answer under way: what the index names are its paths, and the trees that it would
// write by their directories, each with a slash behind it.
type beyond struct {
	*source

	paths     map[string]bool
	trees     map[string]string
	selection syntax.Pathspecs
	visit     func(path string) bool
	// stopped is true once visit has had enough.
	stopped bool
}

// index reads what the index names.
func (b *beyond) index() bool {
	var entries []indexed
	err := walkIndex(b.repository, func(e object.IndexEntry) bool {
		entries = append(entries, indexed{mode: e.Mode, id: e.ID, path: string(e.Path)})
		b.paths[string(e.Path)] = true
		return len(entries) <= maxEntries
	})
	if err != nil || len(entries) > maxEntries {
		return false
	}
	_, ok := b.writeTree(entries, 0, 0)
	return ok
}

// tree visits all that a tree holds in a directory and the index does not name. It
// reports false if that can't be known.
func (b *beyond) tree(dir, id string, depth int) bool {
	if b.trees[dir] == id || b.stopped {
		return true
	}
	if depth > maxDepth || len(dir) > maxPath {
		return false
	}
	found, err := b.object(id)
	if err != nil || found.Kind != object.KindTree {
		return false
	}
	for body := found.Body; len(body) > 0 && !b.stopped; {
		entry, rest, ok := object.CutEntry(body, b.repository.HashSize)
		if !ok || !b.entry(dir, entry, depth) {
			return false
		}
		body = rest
	}
	return true
}

// fileModes are those of what a tree holds besides trees: files, links and submodules.
var fileModes = []string{"100644", "100755", "100664", "120000", "160000"}

func (b *beyond) entry(dir string, entry object.TreeEntry, depth int) bool {
	name := string(entry.Name)
	switch {
	case !staysBelow(name):
		return false
	case entry.IsTree():
		return b.tree(dir+name+"/", hex.EncodeToString(entry.ID), depth+1)
	case !slices.Contains(fileModes, string(entry.Mode)):
		return false
	}
	path := dir + name
	b.stopped = !b.paths[path] && b.selection.Select(path) && !b.visit(path)
	return true
}

// staysBelow reports whether a name in a tree leads nowhere but into it: a commit that was
// fetched may hold any.
func staysBelow(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.EqualFold(name, ".git") && !strings.ContainsAny(name, "/\\")
}

// indexed is one path of the index, as a tree would hold it.
type indexed struct {
	mode uint32
	id   []byte
	path string
}

// writeTree is the id of the tree that git would write of sorted entries, whose
// paths begin with the same from bytes. It notes every tree by its directory.
func (b *beyond) writeTree(entries []indexed, from, depth int) ([]byte, bool) {
	if depth > maxDepth {
		return nil, false
	}
	dir := ""
	if len(entries) > 0 {
		dir = entries[0].path[:from]
	}
	var body bytes.Buffer
	for len(entries) > 0 {
		name, _, below := strings.Cut(entries[0].path[from:], "/")
		mode, id, count := entries[0].mode, entries[0].id, 1
		if below {
			prefix := entries[0].path[:from+len(name)+1]
			for count < len(entries) && strings.HasPrefix(entries[count].path, prefix) {
				count++
			}
			tree, ok := b.writeTree(entries[:count], len(prefix), depth+1)
			if !ok {
				return nil, false
			}
			mode, id = object.ModeDirectory, tree
		}
		if name == "" || strings.IndexByte(name, 0) >= 0 {
			return nil, false
		}
		body.WriteString(strconv.FormatUint(uint64(mode), 8) + " " + name + "\x00")
		body.Write(id)
		entries = entries[count:]
	}
	id := object.HashOf(object.KindTree, body.Bytes(), b.repository.HashSize)
	b.trees[dir] = hex.EncodeToString(id)
	return id, true
}
