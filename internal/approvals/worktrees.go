package approvals

import (
	"strings"
	"sync"
	"time"

	v1 "policyd/api/v1"
)

// workTree is the work tree of a repository that a directory is in, and the main one; empty for none.
type workTree struct{ top, main string }

func (x *Index) workTree(directory string) workTree {
	if directory == "" {
		return workTree{}
	}
	top, main, ok := x.options.WorkTree(directory)
	if !ok {
		return workTree{}
	}
	return workTree{top, main}
}

// linked reports whether there is a work tree that is not the main one.
func (w workTree) linked() bool { return w.top != w.main }

// inMain is what a directory is called in the main work tree, empty for one that is elsewhere.
func (w workTree) inMain(directory string) string {
	if rest, found := strings.CutPrefix(directory, w.top); w.top != "" && found && (rest == "" || rest[0] == '/') {
		return w.main + rest
	}
	return ""
}

// InMain is what a directory is called in the main work tree of its repository, by real paths.
func (x *Index) InMain(directory string) (main string, ok bool) {
	main = x.workTree(directory).inMain(directory)
	return main, main != ""
}

// inMainOnce resolves a directory to the main work tree of its repository, on first use.
func (x *Index) inMainOnce(directory string) func() string {
	return sync.OnceValue(func() string {
		if tree := x.workTree(directory); tree.linked() {
			return tree.inMain(directory)
		}
		return ""
	})
}

// workTrees are the work trees of a call: of its project, and of its items by the innermost directory.
type workTrees struct {
	project workTree
	items   map[string]workTree
}

// treesOf resolves the work trees of a call, if any answer could apply in them. It reads the disk, so it must
// run without a lock.
func (x *Index) treesOf(facts *v1.Facts) workTrees {
	var trees workTrees
	x.mu.RLock()
	none := x.worktrees == 0
	x.mu.RUnlock()
	if none || len(facts.Items) == 0 {
		return trees
	}
	trees.project = x.workTree(facts.Session.ProjectDir)
	trees.items = map[string]workTree{}
	for i := range facts.Items {
		if within := facts.Items[i].Within; len(within) > 0 {
			if _, known := trees.items[within[0]]; !known {
				trees.items[within[0]] = x.workTree(within[0])
			}
		}
	}
	return trees
}

func (t workTrees) forItem(item *v1.Item) workTree {
	if len(item.Within) == 0 {
		return workTree{}
	}
	return t.items[item.Within[0]]
}

// inMain adds the answers for all work trees that apply to directories of a linked one. The policy gets each
// as an answer for the directory in the linked work tree, so that its checks use paths below the top of that
// work tree.
func (p *places) inMain(out []v1.Approval, tree workTree, directories []string, now time.Time) []v1.Approval {
	if !tree.linked() {
		return out
	}
	for _, directory := range directories {
		there := tree.inMain(directory)
		if there == "" {
			continue
		}
		for _, entry := range p.byDirectory[there] {
			if entry.Worktrees {
				seen := entry.Approval()
				seen.Directory = directory
				out = appendApproval(out, entry, seen, now)
			}
		}
	}
	return out
}
