package history

import (
	"encoding/hex"
	"strings"
	"sync"

	"policyd/extract/git/object"
	"policyd/extract/stat"
)

// Bounds on what is remembered of histories; beyond them all of a kind is dropped.
const (
	maxPastCommits = 100_000
	maxPastTrees   = 500_000
	// maxHeld is how many files of the names looked for are noted of one tree.
	maxHeld = 1_000
)

// Past remembers what the commits of repositories hold of the names that somebody looks for. It
// goes by the ids of objects, which say all that these hold, so that nothing of it grows old.
// It may be used concurrently.
type Past struct {
	sought func(path string) bool

	mu      sync.Mutex
	commits map[string]*object.Commit
	// free are trees which hold nothing of the kind, by their directories, and count how many;
	// trees are the absolute paths that others hold.
	free  map[string]map[hash]struct{}
	count int
	trees map[treeAt][]string
	// clean are commits which hold nothing of the kind, nor does any before them.
	clean map[treeAt]bool
	// files are those of stores which name nothing of the kind.
	files map[storeFileAt]stat.Stamp
}

// hash is the id of an object; a short one ends in zeros.
type hash [object.SHA256Size]byte

// treeAt is an object, and the directory that it counts in.
type treeAt struct {
	dir string
	id  hash
}

// NewPast returns a Past that has seen nothing. sought reports whether an absolute path is
// looked for; its answer must not change.
func NewPast(sought func(path string) bool) *Past {
	return &Past{
		sought: sought, commits: map[string]*object.Commit{}, free: map[string]map[hash]struct{}{}, trees: map[treeAt][]string{}, clean: map[treeAt]bool{},
		files: map[storeFileAt]stat.Stamp{},
	}
}

// hashOf reads an id.
func hashOf(id string) (h hash, ok bool) {
	if hex.DecodedLen(len(id)) > len(h) {
		return h, false
	}
	_, err := hex.Decode(h[:], []byte(id))
	return h, err == nil
}

func (p *Past) commit(id string) (*object.Commit, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, known := p.commits[id]
	return c, known
}

func (p *Past) keepCommit(id string, c *object.Commit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.commits) >= maxPastCommits {
		clear(p.commits)
	}
	c.Tree = strings.Clone(c.Tree) // the rest of the commit isn't held by it
	for i := range c.Parents {
		c.Parents[i] = strings.Clone(c.Parents[i])
	}
	p.commits[id] = c
}

func (p *Past) isClean(top, id string) bool {
	key, ok := hashOf(id)
	p.mu.Lock()
	defer p.mu.Unlock()
	return ok && p.clean[treeAt{top, key}]
}

func (p *Past) keepClean(top string, ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.clean)+len(ids) > maxPastCommits {
		clear(p.clean)
	}
	for _, id := range ids {
		if key, ok := hashOf(id); ok {
			p.clean[treeAt{top, key}] = true
		}
	}
}

func (p *Past) treeKnown(key treeAt) ([]string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, free := p.free[key.dir][key.id]; free {
		return nil, true
	}
	found, known := p.trees[key]
	return found, known
}

func (p *Past) keepTree(key treeAt, found []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count++; p.count > maxPastTrees {
		clear(p.trees)
		clear(p.free)
		p.count = 1
	}
	if len(found) > 0 {
		p.trees[key] = found
		return
	}
	below := p.free[key.dir]
	if below == nil {
		below = map[hash]struct{}{}
		p.free[key.dir] = below
	}
	below[key.id] = struct{}{}
}

// tree lists what is looked for in a tree and below, which lies in a directory with a slash
// behind it. It reports false if that can't be known.
func (p *Past) tree(reader *object.Reader, at treeAt, hashSize, depth int) ([]string, bool) {
	if found, known := p.treeKnown(at); known {
		return found, true
	}
	if depth > maxDepth || len(at.dir) > maxPath {
		return nil, false
	}
	read, err := reader.ReadRaw(at.id[:hashSize])
	if err != nil || read.Kind != object.KindTree {
		return nil, false
	}
	var found []string
	for body := read.Body; len(body) > 0; {
		entry, rest, ok := object.CutEntry(body, hashSize)
		if !ok {
			return nil, false
		}
		path := at.dir + string(entry.Name)
		switch {
		case entry.IsTree():
			next := treeAt{dir: path + "/"}
			copy(next.id[:], entry.ID)
			below, ok := p.tree(reader, next, hashSize, depth+1)
			if !ok {
				return nil, false
			}
			found = append(found, below...)
		case p.sought(path):
			found = append(found, path)
		}
		if body = rest; len(found) > maxHeld {
			return nil, false
		}
	}
	p.keepTree(at, found)
	return found, true
}
