package history

import (
	"io/fs"
	"math"
	"slices"
	"strings"

	"policyd/extract/git/object"
)

// opened is one answer under way. Its methods report false if an object is missing, or that can't be known.
type opened struct{ openedWords }

// refs looks at what refs name.
func (c *opened) refs() bool {
	if !c.has(OpensRefs | OpensLogs | OpensAll) {
		return true
	}
	all := tips{repository: c.repository, logs: c.has(OpensLogs), visit: func(id string) bool {
		id, found, err := c.peel(id)
		switch {
		case err != nil:
			return false
		case found.Kind != object.KindCommit:
			return !c.any || !c.has(OpensHistory)
		case c.has(OpensAll):
			c.from = append(c.from, id)
		}
		return true
	}}
	return all.walk()
}

// below looks at the trees of what the words name.
func (c *opened) below() bool {
	if c.has(OpensBetween) {
		return c.between()
	}
	if !c.has(OpensTop | OpensTrees | OpensFiles) {
		return true
	}
	below := newTrees(c.stored, c.has(OpensFiles))
	return !slices.ContainsFunc(c.named, func(id string) bool {
		tree, ok := c.stored.treeOf(id)
		if !ok || tree != "" && c.has(OpensTrees|OpensFiles) {
			return !ok || !below.tree(tree, 0)
		}
		_, ok = c.stored.entries(tree)
		return !ok
	})
}

// between looks at what differs between what the words name.
func (c *opened) between() bool {
	differences := newTrees(c.stored, true)
	first, ok := c.stored.treeOf(c.named[0])
	for _, id := range c.named[1:] {
		tree, also := c.stored.treeOf(id)
		if ok = ok && also && differences.differ(first, tree, 0); !ok {
			return false
		}
	}
	return ok
}

// walk looks at the commits that git goes through.
func (c *opened) walk() bool {
	differences := newTrees(c.stored, c.has(OpensChanges))
	w := newWalk(c.source)
	if !w.mark(fromOne, c.from...) {
		return false
	}
	end := countdown{active: c.count > 0, left: c.count, oldest: math.MaxInt64, single: true}
	for w.open > 0 && !end.reached(w.queue) {
		id, marks := w.next()
		commit, ok := c.commit(id)
		if !ok || c.has(OpensNames|OpensChanges) && !c.changes(commit, differences) {
			return false
		}
		end.note(commit)
		if c.has(OpensHistory|OpensAll) && !w.mark(marks, commit.Parents...) {
			return false
		}
	}
	return true
}

// changes looks at what a commit changed.
func (c *opened) changes(commit *object.Commit, differences *trees) bool {
	if len(commit.Parents) == 0 {
		return differences.differ("", commit.Tree, 0)
	}
	return !slices.ContainsFunc(commit.Parents, func(id string) bool {
		parent, ok := c.commit(id)
		return !ok || !differences.differ(parent.Tree, commit.Tree, 0)
	})
}

// notesRefs is where refs to notes lie.
const notesRefs = "refs/notes"

// notes looks at all notes.
func (c *opened) notes() bool {
	if !c.has(OpensNotes) {
		return true
	}
	var ids []string
	packed, known := c.repository.PackedRefs()
	for _, ref := range packed {
		if strings.HasPrefix(ref.Name, notesRefs+"/") {
			ids = append(ids, ref.ID)
		}
	}
	err := walkRefs(c.repository, c.repository.CommonDir, notesRefs, func(name string, entry fs.DirEntry) bool {
		if entry.IsDir() {
			return true
		}
		id, there, known := c.repository.LooseRef(name)
		ids = append(ids, id)
		return there && known
	})
	if err != nil || !known {
		return false
	}
	all := newTrees(c.stored, true)
	return !slices.ContainsFunc(ids, func(id string) bool {
		tree, ok := c.stored.treeOf(id)
		return !ok || !all.tree(tree, 0)
	})
}
