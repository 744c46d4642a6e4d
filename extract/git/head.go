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

// AtHead reports whether the index of the verdict's repository holds exactly
// what the commit that HEAD names holds, so that what git names of both is
// named by the index. It is computed from the index and the commit and relies on
// no other object. False is also what can't be known.
//
// It reads anew on each call.
func (r *Reader) AtHead(v Verdict) bool {
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
	var entries []treeEntry
	err = walkIndex(content, v.objectSize, func(e indexEntry) bool {
		entries = append(entries, treeEntry{mode: e.mode, object: e.object, path: string(e.path)})
		return len(entries) <= maxHeadEntries
	})
	if err != nil || len(entries) > maxHeadEntries {
		return false
	}
	written, ok := writeTree(entries, 0, v.objectSize, 0)
	return ok && hex.EncodeToString(written) == tree
}

// Bounds on what AtHead reads and computes.
const (
	maxHeadEntries = 200_000
	maxHeadDepth   = 128
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
// paths begin with the same from bytes.
func writeTree(entries []treeEntry, from, objectSize, depth int) ([]byte, bool) {
	if depth > maxHeadDepth {
		return nil, false
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
			tree, ok := writeTree(entries[:count], len(prefix), objectSize, depth+1)
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
	return objectID("tree", body.Bytes(), objectSize), true
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
