package git

import (
	"bytes"
	"encoding/hex"
	"strings"
	"sync"
)

// Bounds on what is remembered of histories; beyond them all of a kind is dropped.
const (
	maxPastCommits = 100_000
	maxPastTrees   = 100_000
	// maxHeld is how many files of the names looked for are noted of one tree.
	maxHeld = 1_000
)

// Past remembers what the commits of repositories hold of the names that somebody looks for. It
// goes by the ids of objects, which say all that these hold, so that nothing of it grows old.
// It may be used concurrently.
type Past struct {
	sought func(path string) bool

	mu      sync.Mutex
	commits map[string]*commit
	trees   map[treeAt][]file
	// clean are commits which hold nothing of the kind, nor does any before them.
	clean map[treeAt]bool
}

// treeAt is an object, and the directory that it counts in.
type treeAt struct{ dir, id string }

// file is one that is looked for: its absolute path, and what it holds.
type file struct{ path, id string }

// NewPast returns a Past that has seen nothing. sought says of an absolute path whether it is
// looked for; its answer must not change.
func NewPast(sought func(path string) bool) *Past {
	return &Past{sought: sought, commits: map[string]*commit{}, trees: map[treeAt][]file{}, clean: map[treeAt]bool{}}
}

func (p *Past) commit(id string) (*commit, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, known := p.commits[id]
	return c, known
}

func (p *Past) keepCommit(id string, c *commit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.commits) >= maxPastCommits {
		clear(p.commits)
	}
	c.tree = strings.Clone(c.tree) // the rest of the commit isn't held by it
	for i := range c.parents {
		c.parents[i] = strings.Clone(c.parents[i])
	}
	p.commits[id] = c
}

func (p *Past) isClean(top, id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clean[treeAt{top, id}]
}

func (p *Past) keepClean(top string, ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.clean)+len(ids) > maxPastCommits {
		clear(p.clean)
	}
	for _, id := range ids {
		p.clean[treeAt{top, id}] = true
	}
}

func (p *Past) treeKnown(key treeAt) ([]file, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, known := p.trees[key]
	return found, known
}

func (p *Past) keepTree(key treeAt, found []file) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.trees) >= maxPastTrees {
		clear(p.trees)
	}
	p.trees[key] = found
}

// tree lists what is looked for in a tree and below, which lies in a directory with a slash
// behind it. It reports false where that can't be known.
func (p *Past) tree(d *database, dir, id string, depth int) ([]file, bool) {
	key := treeAt{dir, id}
	if found, known := p.treeKnown(key); known {
		return found, true
	}
	if depth > maxHeadDepth || len(dir) > maxHeadPath {
		return nil, false
	}
	read, err := d.read(id)
	if err != nil || read.kind != kindTree {
		return nil, false
	}
	var found []file
	for body := read.body; len(body) > 0; {
		header, rest, ended := bytes.Cut(body, []byte{0})
		mode, name, spaced := strings.Cut(string(header), " ")
		if !ended || !spaced || len(rest) < d.v.objectSize {
			return nil, false
		}
		entry := file{path: dir + name, id: hex.EncodeToString(rest[:d.v.objectSize])}
		body = rest[d.v.objectSize:]
		switch mode {
		case "40000", "040000":
			below, ok := p.tree(d, entry.path+"/", entry.id, depth+1)
			if !ok {
				return nil, false
			}
			found = append(found, below...)
		default:
			if p.sought(entry.path) {
				found = append(found, entry)
			}
		}
		if len(found) > maxHeld {
			return nil, false
		}
	}
	p.keepTree(key, found)
	return found, true
}
