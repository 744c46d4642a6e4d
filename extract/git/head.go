package git

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's own ids
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// ErrRevisionUnknown means that it can't be known which names commits hold.
var ErrRevisionUnknown = errors.New("revision is not known")

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
// holds is computed from the index, and each object that is read is what its id says.
//
// It reads anew on each call. Errors: those of Tracked, and ErrRevisionUnknown. After an
// error the paths visited so far mean nothing.
func (r *Reader) Beyond(v Verdict, of Commits, pathspecs []string, cwd string, visit func(path string) bool) error {
	selection, content, err := v.selected(pathspecs, cwd)
	if err != nil {
		return err
	}
	objects, ok := v.objects()
	if !ok {
		return ErrRevisionUnknown
	}
	commits, ok := objects.commits(of)
	if !ok {
		return ErrRevisionUnknown
	}
	n := named{objects: objects, paths: map[string]bool{}, trees: map[string]string{}, objectSize: v.objectSize, visit: visit, selection: selection}
	if !n.index(content) {
		return ErrRevisionUnknown
	}
	for _, id := range commits {
		c, ok := objects.commit(id)
		if !ok || !n.holds("", c.tree, 0) {
			return ErrRevisionUnknown
		}
		if n.stopped {
			break
		}
	}
	return nil
}

// named is what the index names: its paths, and the trees that it would write
// by their directories, each with a slash behind it.
type named struct {
	objects    *store
	objectSize int
	paths      map[string]bool
	trees      map[string]string
	selection  syntax.Pathspecs
	visit      func(path string) bool
	// stopped is true once visit has had enough.
	stopped bool
}

// index reads what the index names; nothing where there is none.
func (n *named) index(content []byte) bool {
	if content == nil {
		return true
	}
	var entries []treeEntry
	err := walkIndex(content, n.objectSize, func(e indexEntry) bool {
		entries = append(entries, treeEntry{mode: e.mode, object: e.object, path: string(e.path)})
		n.paths[string(e.path)] = true
		return len(entries) <= maxHeadEntries
	})
	if err != nil || len(entries) > maxHeadEntries {
		return false
	}
	_, ok := writeTree(entries, 0, n.objectSize, 0, n.trees)
	return ok
}

// holds visits all that a tree holds in a directory and the index does not name. It
// reports false where that can't be known.
func (n *named) holds(dir, tree string, depth int) bool {
	if n.trees[dir] == tree || n.stopped {
		return true
	}
	if depth > maxHeadDepth || len(dir) > maxHeadPath {
		return false
	}
	body, ok := n.objects.object("tree", tree)
	for ok && len(body) > 0 && !n.stopped {
		header, rest, found := bytes.Cut(body, []byte{0})
		mode, name, spaced := strings.Cut(string(header), " ")
		if !found || !spaced || !plainEntry(name) || len(rest) < n.objectSize {
			return false
		}
		switch mode {
		case "40000", "040000":
			ok = n.holds(dir+name+"/", hex.EncodeToString(rest[:n.objectSize]), depth+1)
		case "100644", "100755", "100664", "120000", "160000":
			path := dir + name
			n.stopped = !n.paths[path] && n.selection.Select(path) && !n.visit(path)
		default:
			return false
		}
		body = rest[n.objectSize:]
	}
	return ok
}

// plainEntry reports whether a name in a tree leads nowhere but into it: a commit that was
// fetched may hold any.
func plainEntry(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.EqualFold(name, ".git") && !strings.ContainsAny(name, "/\\")
}

// Bounds on what Beyond reads and computes.
const (
	maxHeadEntries = 200_000
	maxHeadDepth   = 128
	maxHeadPath    = 4 << 10
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
	packed, known := v.packedRefs()
	return !known || slices.ContainsFunc(packed, func(ref packedRef) bool { return strings.HasPrefix(ref.name, "refs/replace/") })
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
	content, _, err = readOrAbsent(path, limit)
	return content, err == nil
}

// head is the id of the commit that HEAD names.
func (v *Verdict) head() (string, bool) {
	if found, ok := v.at(v.GitDir, "HEAD"); !ok || found.Kind != stat.File {
		return "", false
	}
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
	id, there, known := v.ref(ref, 0)
	return id, there && known
}

func (v *Verdict) id(text string) (string, bool) {
	return text, len(text) == 2*v.objectSize && strings.Trim(text, "0123456789abcdef") == ""
}
