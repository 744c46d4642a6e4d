package history

import (
	"encoding/hex"

	"policyd/extract/git/object"
)

// stored reads objects that are there now, of which more may be remembered.
type stored struct {
	*remembered

	// missing is true once one was not there.
	missing bool
	// recent are trees that were read: most are those of two commits.
	recent map[string]map[string]treeEntry
}

// maxRecent is how many trees are held.
const maxRecent = 256

var _ source = (*stored)(nil)

func (s *stored) has(id []byte) bool {
	there := s.reader.Has(id)
	s.missing = s.missing || !there
	return there
}

func (s *stored) object(id string) (object.Object, error) {
	if raw, err := hex.DecodeString(id); err != nil || !s.has(raw) {
		return object.Object{}, object.ErrMissing
	}
	return s.remembered.object(id)
}

func (s *stored) commit(id string) (*object.Commit, bool) {
	if raw, err := hex.DecodeString(id); err != nil || !s.has(raw) {
		return nil, false
	}
	return s.remembered.commit(id)
}

// treeEntry is one line of a tree.
type treeEntry struct{ mode, id string }

// treeMode is the mode of a tree in a tree, as git writes it.
const treeMode = "40000"

func (e treeEntry) isTree() bool { return object.TreeEntry{Mode: []byte(e.mode)}.IsTree() }

// below is the tree of an entry that is one.
func (e treeEntry) below() string {
	if !e.isTree() {
		return ""
	}
	return e.id
}

// entries are those of a tree; the empty id has none.
func (s *stored) entries(id string) (map[string]treeEntry, bool) {
	if entries, known := s.recent[id]; known || id == "" {
		return entries, true
	}
	found, err := s.object(id)
	if err != nil || found.Kind != object.KindTree {
		return nil, false
	}
	entries := map[string]treeEntry{}
	for body := found.Body; len(body) > 0; {
		entry, rest, ok := object.CutEntry(body, s.repository.HashSize)
		if !ok {
			return nil, false
		}
		entries[string(entry.Name)] = treeEntry{mode: string(entry.Mode), id: hex.EncodeToString(entry.ID)}
		body = rest
	}
	if len(s.recent) >= maxRecent {
		clear(s.recent)
	}
	s.recent[id] = entries
	return entries, true
}

// treeOf is the tree of a commit, or the tree itself; a file has none.
func (s *stored) treeOf(id string) (tree string, ok bool) {
	found, err := s.object(id)
	switch {
	case err != nil:
		return "", false
	case found.Kind == object.KindTree:
		return id, true
	case found.Kind == object.KindBlob:
		return "", true
	}
	commit, ok := s.commit(id)
	if !ok {
		return "", false
	}
	return commit.Tree, true
}

// file looks at a file of a tree. A submodule is a commit of another repository.
func (s *stored) file(e treeEntry) bool {
	if e.id == "" || e.isTree() || e.mode == "160000" {
		return true
	}
	raw, err := hex.DecodeString(e.id)
	return err == nil && s.has(raw)
}

// trees looks at trees, and with files at the files in them.
type trees struct {
	*stored

	files bool
	// whole are the trees of which all that lies below is there.
	whole map[string]bool
}

func newTrees(s *stored, files bool) *trees {
	return &trees{stored: s, files: files, whole: map[string]bool{}}
}

// tree looks at all that lies in a tree.
func (t *trees) tree(id string, depth int) bool {
	if t.whole[id] {
		return true
	}
	entries, ok := t.entries(id)
	if !ok || depth > maxDepth {
		return false
	}
	for _, entry := range entries {
		if entry.isTree() && !t.tree(entry.id, depth+1) || t.files && !t.file(entry) {
			return false
		}
	}
	t.whole[id] = true
	return true
}

// differ looks at what differs between two trees. git reads both, be they the same.
func (t *trees) differ(one, other string, depth int) bool {
	if one == other && depth > 0 {
		return true
	}
	before, ok := t.entries(one)
	after, also := t.entries(other)
	if !ok || !also || depth > maxDepth {
		return false
	}
	for name, entry := range after {
		if _, both := before[name]; !both && !t.differs(treeEntry{}, entry, depth) {
			return false
		}
	}
	for name, entry := range before {
		if !t.differs(entry, after[name], depth) {
			return false
		}
	}
	return true
}

func (t *trees) differs(one, other treeEntry, depth int) bool {
	if one == other {
		return true
	}
	if t.files && (!t.file(one) || !t.file(other)) {
		return false
	}
	return t.differ(one.below(), other.below(), depth+1)
}
