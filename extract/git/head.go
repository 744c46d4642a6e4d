package git

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's own ids
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"policyd/extract/stat"
)

// NamesHead reports whether the index of the verdict's repository names every
// path that the commit that HEAD names holds, so that whatever git names of both
// is named by the index. What the index holds is computed from the index, and
// each object that is read is what its id says. False is also what can't be known.
//
// It reads anew on each call.
func (r *Reader) NamesHead(v Verdict) bool {
	if !v.Repository || v.Top == "" || v.objectSize == 0 || v.replaces() {
		return false
	}
	commit, ok := v.head()
	if !ok {
		return false
	}
	tree, ok := v.treeOf(commit)
	if !ok {
		return false
	}
	content, err := v.index()
	if err != nil || content == nil {
		return false
	}
	n := named{v: &v, paths: map[string]bool{}, trees: map[string]string{}, left: maxHeadTrees}
	var entries []treeEntry
	err = walkIndex(content, v.objectSize, func(e indexEntry) bool {
		entries = append(entries, treeEntry{mode: e.mode, object: e.object, path: string(e.path)})
		n.paths[string(e.path)] = true
		return len(entries) <= maxHeadEntries
	})
	if err != nil || len(entries) > maxHeadEntries {
		return false
	}
	_, ok = writeTree(entries, 0, v.objectSize, 0, n.trees)
	return ok && n.holds("", tree, 0)
}

// named is what the index names: its paths, and the trees that it would write
// by their directories, each with a slash behind it.
type named struct {
	v     *Verdict
	paths map[string]bool
	trees map[string]string
	left  int
}

// holds reports whether the index names all that a tree holds in a directory.
func (n *named) holds(dir, tree string, depth int) bool {
	written, there := n.trees[dir]
	if !there || depth > maxHeadDepth {
		return false
	}
	if written == tree {
		return true
	}
	if n.left--; n.left < 0 {
		return false
	}
	body, ok := n.v.object("tree", tree)
	for ok && len(body) > 0 {
		header, rest, found := bytes.Cut(body, []byte{0})
		mode, name, spaced := strings.Cut(string(header), " ")
		if !found || !spaced || name == "" || strings.Contains(name, "/") || len(rest) < n.v.objectSize {
			return false
		}
		if mode == "40000" {
			ok = n.holds(dir+name+"/", hex.EncodeToString(rest[:n.v.objectSize]), depth+1)
		} else {
			ok = n.paths[dir+name]
		}
		body = rest[n.v.objectSize:]
	}
	return ok
}

// Bounds on what NamesHead reads and computes.
const (
	maxHeadEntries = 200_000
	maxHeadDepth   = 128
	maxHeadTrees   = 64
	maxRefBytes    = 4 << 10
	maxPackedRefs  = 4 << 20
)

// treeEntry is one path of the index, as a tree would hold it.
type treeEntry struct {
	mode   uint32
	object []byte
	path   string
}

// writeTree is the id of the tree that git would write of sorted entries, whose
// paths begin with the same from bytes. It notes every tree by its directory.
func writeTree(entries []treeEntry, from, objectSize, depth int, trees map[string]string) ([]byte, bool) {
	if depth > maxHeadDepth {
		return nil, false
	}
	dir := ""
	if len(entries) > 0 {
		dir = entries[0].path[:from]
	}
	var body bytes.Buffer
	for len(entries) > 0 {
		name, _, below := strings.Cut(entries[0].path[from:], "/")
		mode, object, count := entries[0].mode, entries[0].object, 1
		if below {
			prefix := entries[0].path[:from+len(name)+1]
			for count < len(entries) && strings.HasPrefix(entries[count].path, prefix) {
				count++
			}
			tree, ok := writeTree(entries[:count], len(prefix), objectSize, depth+1, trees)
			if !ok {
				return nil, false
			}
			mode, object = modeDirectory, tree
		}
		if name == "" || strings.IndexByte(name, 0) >= 0 {
			return nil, false
		}
		body.WriteString(strconv.FormatUint(uint64(mode), 8) + " " + name + "\x00")
		body.Write(object)
		entries = entries[count:]
	}
	id := objectID("tree", body.Bytes(), objectSize)
	trees[dir] = hex.EncodeToString(id)
	return id, true
}

// objectID is the id that git gives to an object.
func objectID(kind string, body []byte, objectSize int) []byte {
	sum := sha1.New() //nolint:gosec // git's own ids
	if objectSize == sha256Size {
		sum = sha256.New()
	}
	sum.Write([]byte(kind + " " + strconv.Itoa(len(body)) + "\x00"))
	sum.Write(body)
	return sum.Sum(nil)
}

// replaces reports whether refs may put other objects in the place of some.
func (v *Verdict) replaces() bool {
	path, err := disk(v.view, filepath.Join(v.CommonDir, "refs/replace"), true)
	if err != nil && !stat.Missing(err) {
		return true
	}
	if err == nil {
		if _, err := stat.Path(path, false); !stat.Missing(err) {
			return true
		}
	}
	packed, known := v.read("packed-refs", maxPackedRefs)
	return !known || bytes.Contains(packed, []byte(" refs/replace/"))
}

// read reads a file of the repository; one that is missing is empty.
func (v *Verdict) read(name string, limit int64) (content []byte, known bool) {
	return v.readAt(v.CommonDir, name, limit)
}

func (v *Verdict) readAt(dir, name string, limit int64) (content []byte, known bool) {
	path, err := disk(v.view, filepath.Join(dir, name), true)
	if stat.Missing(err) {
		return nil, true
	}
	if err != nil {
		return nil, false
	}
	content, _, err = readBounded(path, limit)
	return content, err == nil
}

// head is the id of the commit that HEAD names.
func (v *Verdict) head() (string, bool) {
	text, known := v.readAt(v.GitDir, "HEAD", maxRefBytes)
	if !known {
		return "", false
	}
	ref, symbolic := strings.CutPrefix(strings.TrimSuffix(string(text), "\n"), "ref: ")
	if !symbolic {
		return v.id(ref)
	}
	if !strings.HasPrefix(ref, "refs/heads/") || strings.Contains(ref, "..") || filepath.ToSlash(filepath.Clean(ref)) != ref {
		return "", false
	}
	loose, known := v.read(ref, maxRefBytes)
	if !known {
		return "", false
	}
	if len(loose) > 0 {
		return v.id(strings.TrimSuffix(string(loose), "\n"))
	}
	packed, known := v.read("packed-refs", maxPackedRefs)
	if !known {
		return "", false
	}
	for line := range strings.Lines(string(packed)) {
		if id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); name == ref {
			return v.id(id)
		}
	}
	return "", false
}

func (v *Verdict) id(text string) (string, bool) {
	return text, len(text) == 2*v.objectSize && isHex([]byte(text)) && strings.ToLower(text) == text
}
