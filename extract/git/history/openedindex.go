package history

import (
	"encoding/hex"
	"path"
	"slices"
	"strconv"

	"policyd/extract/git/object"
)

// ruleFiles are those that git reads in its index if the work tree doesn't have them, and what opens each.
var ruleFiles = map[string]Opens{
	".gitattributes": OpensAttributes | OpensIndex | OpensFiles | OpensChanges | OpensBetween, ".gitignore": OpensIgnores, ".gitmodules": OpensIndex,
}

// openedIndex are files that the index names, and what differs from a commit there.
type openedIndex struct {
	*opened

	// tracked are the files that are compared with those of a commit, rules those of rules that count for these alone.
	tracked map[string]treeEntry
	rules   []treeEntry
	// changed is true if a file of the commit is another in the index, or not there.
	changed bool
}

// index looks at files that the index names.
func (c *opened) index() bool {
	if !c.has(ruleFiles[".gitattributes"] | OpensIgnores | OpensTracked) {
		return true
	}
	x := openedIndex{opened: c, tracked: map[string]treeEntry{}}
	ok := true
	err := walkIndex(c.repository, func(e object.IndexEntry) bool {
		ok = x.entry(e)
		return ok
	})
	return err == nil && ok && (!c.has(OpensTracked) || x.compared())
}

// entry looks at one entry of the index. What git does in a submodule that is there isn't known.
func (x *openedIndex) entry(e object.IndexEntry) bool {
	name := string(e.Path)
	entry := treeEntry{mode: strconv.FormatUint(uint64(e.Mode), 8), id: hex.EncodeToString(e.ID)}
	if x.has(OpensTracked) {
		x.tracked[name] = entry
	}
	kinds, rule := ruleFiles[path.Base(name)]
	switch {
	case len(x.tracked) > maxEntries:
		return false
	case e.IsSubmodule():
		return !x.has(OpensTracked|OpensIndex) || !x.inWorkTree(name+"/.git")
	case x.has(OpensIndex), x.has(OpensTracked) && !e.SkipsWorkTree, rule && x.has(kinds), rule && x.has(OpensTracked) && x.inWorkTree(path.Dir(name)):
		return x.stored.file(entry)
	case rule:
		x.rules = append(x.rules, entry)
	}
	return true
}

// compared looks at what differs between the index and a commit, and then at all other files of rules.
func (x *openedIndex) compared() bool {
	if len(x.named) != 1 || x.rebases() {
		return false
	}
	tree, ok := x.stored.treeOf(x.named[0])
	if !ok || !x.unchanged(tree, "", 0) {
		return false
	}
	if len(x.tracked) == 0 && !x.changed {
		return true
	}
	for _, entry := range x.tracked {
		x.rules = append(x.rules, entry)
	}
	return !slices.ContainsFunc(x.rules, func(entry treeEntry) bool { return !x.stored.file(entry) })
}

// unchanged looks at what a tree holds, and takes out of the tracked files those that are the same there.
func (x *openedIndex) unchanged(id, dir string, depth int) bool {
	entries, ok := x.stored.entries(id)
	if !ok || depth > maxDepth {
		return false
	}
	for name, entry := range entries {
		name = dir + name
		switch {
		case entry.isTree():
			ok = x.unchanged(entry.id, name+"/", depth+1)
		case x.tracked[name] == entry:
			delete(x.tracked, name)
		default:
			x.changed = true
			ok = x.stored.file(entry)
		}
		if !ok {
			return false
		}
	}
	return true
}

// rebases reports whether there may be a rebase under way. git status resolves the revisions that its list names.
func (x *openedIndex) rebases() bool {
	return slices.ContainsFunc([]string{"rebase-merge", "rebase-apply"}, func(dir string) bool {
		found, known := x.repository.Look(x.repository.GitDir, dir)
		return !known || found.Present()
	})
}

// inWorkTree reports whether there may be a directory of the work tree.
func (x *openedIndex) inWorkTree(dir string) bool {
	found, known := x.repository.Look(x.repository.Top, dir)
	return !known || found.Present()
}
