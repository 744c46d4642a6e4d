package paths

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"policyd/extract/stat"
	"policyd/extract/watched"
)

// Limits of resolution. Linux gives up at 40 links and 4096 bytes (path_resolution(7)).
const (
	maxLinks = 40
	maxBytes = 4096
)

// Errors of Resolve. A path with such an error lies in no known space.
var (
	ErrRelative = errors.New("path is not absolute")
	ErrTooLong  = errors.New("path is longer than 4096 bytes")
	ErrNUL      = errors.New("path holds a NUL byte")
	ErrLoop     = errors.New("too many symbolic links")
	// ErrAlias is for a name that the disk finds and no directory lists: the
	// short name of a file on a FAT or NTFS disk. Which file it is isn't known.
	ErrAlias = errors.New("path has a name that its directory doesn't list")
	// ErrTwoNames is for a name that two entries of a directory spell, on a
	// platform that takes them for one.
	ErrTwoNames  = errors.New("path names two files")
	errManyNames = errors.New("directory holds too many names")
)

// maxListed bounds how many names of a directory are looked through for one.
const maxListed = 20_000

// directoryNode is what a directory looks like.
var directoryNode = node{stamp: stat.Stamp{Kind: stat.Directory}}

// Resolved is a path with every symbolic link on its deepest existing ancestor
// followed, and what lies there.
type Resolved struct {
	// Real is absolute and clean. What does not exist yet stands as written
	// behind the real path of its deepest existing ancestor.
	Real string
	// Links are the segments that were symbolic links, in the order they were met.
	Links []string
	// Exists, Dir and HardLinks describe Real.
	Exists    bool
	Dir       bool
	Regular   bool
	HardLinks bool
	// ViaProc is true when the way led through /proc, whose links are seen by
	// the sidecar's process and not by the agent's: Real can't be trusted.
	ViaProc bool
	// Unseen is true for a path of a system whose disk this machine doesn't
	// have, or that the Map holds no entry for: Real is what it spells, and
	// links on the way are not known.
	Unseen bool
}

// found notes what lies at the end of the way.
func (r *Resolved) found(seen *node) {
	kind := seen.stamp.Kind
	r.Exists, r.Dir, r.Regular = true, kind == stat.Directory, kind == stat.File
	r.HardLinks = r.Regular && seen.stamp.Names > 1
}

// node is what lstat and readlink say of a path.
type node struct {
	stamp stat.Stamp
	link  string
	err   error
	// held says that it is a file that later calls find held open, too.
	held bool
}

// Resolver resolves paths and remembers every segment it looked at.
// The zero value is ready to use.
type Resolver struct {
	nodes map[string]node
	// done holds whole results, since a command line names its directory often.
	done map[string]Resolved
	// Windows makes it read paths as Windows does.
	Windows bool
	// Names says which names are one: a path that spells an entry of a
	// directory otherwise is resolved to the entry.
	Names Names
	// Watched is what the kernel vouches for since this call began.
	Watched watched.View
	// Map translates the agent's names, which paths and links hold, to the
	// sidecar's.
	Map Map
	// disk is true where drive letters are on this machine; for tests.
	disk bool
}

// maxKept bounds what a resolver keeps room for from one call to the next.
const maxKept = 256

// Reset forgets everything, and keeps the room for it.
func (r *Resolver) Reset() {
	nodes, done := r.nodes, r.done
	*r = Resolver{}
	if len(nodes) <= maxKept && len(done) <= maxKept {
		clear(nodes)
		clear(done)
		r.nodes, r.done = nodes, done
	}
}

// Stamp is what lies at a path, links followed, if this call has looked there
// by lstat and found no link, or the kernel vouches for it: the two then say the same.
// It reports false for every other path, and wherever the agent's names are not the
// sidecar's.
func (r *Resolver) Stamp(path string) (stat.Stamp, bool) {
	if r.Map != nil || r.Windows {
		return stat.Stamp{}, false
	}
	if stamp, known := r.Watched.Directory(path); known {
		return stamp, true
	}
	seen, ok := r.nodes[path]
	if !ok || seen.err != nil || seen.stamp.Kind == stat.Link {
		return stat.Stamp{}, false
	}
	return seen.stamp, true
}

// Look is what lies at a path, with follow where a link leads, asked for once in a
// call: what is no link is the same either way. What is missing is an error for which
// stat.Missing is true.
func (r *Resolver) Look(path string, follow bool) (stat.Stamp, error) {
	if r.Map != nil || r.Windows {
		return stat.Path(path, follow) // the path is the sidecar's own
	}
	if stamp, known := r.Watched.Directory(path); known {
		return stamp, nil
	}
	seen := r.look(path)
	switch {
	case seen.stamp.Kind == stat.File:
		if !seen.held {
			r.Watched.Hold(path)
		}
		return seen.stamp, nil
	case seen.stamp.Kind != stat.Link:
		return seen.stamp, seen.err
	case follow:
		return stat.Path(path, true)
	}
	return seen.stamp, nil
}

// Resolve follows path segment by segment as the kernel does: a ".." behind a
// link leaves the link's target. A path that doesn't exist is no error.
func (r *Resolver) Resolve(path string) (Resolved, error) {
	if r.Windows {
		return r.resolveWindows(path)
	}
	return r.resolve(path)
}

func (r *Resolver) resolve(path string) (Resolved, error) {
	if known, ok := r.done[path]; ok {
		return known, nil
	}
	switch {
	case !strings.HasPrefix(path, "/"):
		return Resolved{}, ErrRelative
	case len(path) > maxBytes:
		return Resolved{}, ErrTooLong
	case strings.IndexByte(path, 0) >= 0:
		return Resolved{}, ErrNUL
	}
	result, ok := r.straight(path)
	if !ok {
		if clean, other := withoutDots(path); other {
			result, ok = r.straight(clean)
		}
	}
	if !ok {
		var err error
		if result, err = r.walk(path); err != nil {
			return Resolved{}, fmt.Errorf("resolve path: %w", err)
		}
	}
	if r.done == nil {
		r.done = make(map[string]Resolved, 8)
	}
	r.done[path] = result
	return result, nil
}

// withoutDots takes out of a path what the way along it skips: "." and empty
// segments. It reports false where there are none, and where the way climbs:
// ".." depends on what stands before it.
func withoutDots(path string) (clean string, other bool) {
	if trimmed, ok := strings.CutSuffix(path, "/."); ok && trimmed != "" && !hasDots(trimmed) {
		return trimmed, true
	}
	var out strings.Builder
	for rest := path; ; {
		segment, tail, ok := nextSegment(rest)
		if !ok {
			break
		}
		if segment == ".." {
			return "", false
		}
		if out.Len() == 0 {
			out.Grow(len(path))
		}
		out.WriteByte('/')
		out.WriteString(segment)
		rest = tail
	}
	return out.String(), out.Len() > 0 && out.Len() < len(path)
}

// straight resolves a clean path without symbolic links, missing or not, which
// nearly every path is, without building a string. It reports false for any other.
func (r *Resolver) straight(path string) (Resolved, bool) {
	if !canonical(path) {
		return Resolved{}, false
	}
	var seen node
	for end := r.vouched(path); end <= len(path); end++ {
		if end < len(path) && path[end] != '/' {
			continue
		}
		seen = r.look(path[:end])
		switch {
		case seen.err == nil && seen.stamp.Kind != stat.Link:
		case r.Names == NamesExact && stat.Missing(seen.err):
			return Resolved{Real: path}, true // behind what is missing nothing is a link
		default:
			return Resolved{}, false
		}
	}
	result := Resolved{Real: path}
	result.found(&seen)
	return result, true
}

// canonical reports whether a path is spelled like a real path outside of /proc: no empty segment, no dots,
// no tilde, no slash at its end.
func canonical(path string) bool {
	if len(path) == 1 || path[len(path)-1] == '/' || strings.HasPrefix(path, "/proc") {
		return false
	}
	return strings.IndexByte(path, '~') < 0 && !strings.Contains(path, "//") && (!strings.Contains(path, "/.") || !hasDots(path))
}

// vouched is the end of the first segment to look at: what is known of a directory is known
// of all the way to it.
func (r *Resolver) vouched(path string) (end int) {
	if r.Map != nil {
		return 1
	}
	if _, known := r.Watched.Directory(path); known {
		return len(path)
	}
	parent := strings.LastIndexByte(path, '/')
	if _, known := r.Watched.Directory(path[:parent]); known {
		return parent + 1
	}
	return 1
}

func hasDots(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

func (r *Resolver) walk(path string) (Resolved, error) {
	var out Resolved
	current, rest := "/", path
	out.Exists, out.Dir = true, true
	for links := 0; ; {
		segment, tail, ok := nextSegment(rest)
		if !ok {
			break
		}
		rest = tail
		if segment == ".." {
			// Behind a missing segment nothing can be a link, so the
			// lexical parent is the real one.
			current = parent(current)
			if !out.Unseen {
				out.Exists, out.Dir = r.isDir(current)
			}
			continue
		}
		if out.Unseen {
			current = join(current, segment)
			continue
		}
		seen, listed := r.entry(current, segment)
		next := join(current, listed)
		if next == "/proc" {
			out.ViaProc = true
		}
		if seen.err != nil {
			if !stat.Missing(seen.err) && !errors.Is(seen.err, errHidden) {
				return out, seen.err
			}
			out.Unseen = errors.Is(seen.err, errHidden)
			current = next
			out.Exists, out.Dir, out.Regular, out.HardLinks = false, false, false, false
			continue
		}
		if seen.stamp.Kind != stat.Link {
			current = next
			out.found(&seen)
			continue
		}
		if links++; links > maxLinks {
			return out, ErrLoop
		}
		out.Links = append(out.Links, next)
		if strings.HasPrefix(seen.link, "/") {
			current = "/"
		}
		out.Exists, out.Dir = true, true
		rest = seen.link + "/" + rest
		if len(rest) > 2*maxBytes {
			return out, ErrTooLong
		}
	}
	out.Real = current
	return out, nil
}

func (r *Resolver) isDir(path string) (exists, dir bool) {
	if path == "/" {
		return true, true
	}
	seen := r.look(path)
	return seen.err == nil, seen.err == nil && seen.stamp.Kind == stat.Directory
}

// look returns what lstat and readlink say of path, once per call.
func (r *Resolver) look(path string) node {
	if r.Map == nil {
		if stamp, known := r.Watched.Directory(path); known {
			return node{stamp: stamp} // as good as what was seen
		}
	}
	if seen, ok := r.nodes[path]; ok {
		return seen
	}
	if r.nodes == nil {
		r.nodes = make(map[string]node, 16)
	}
	seen := r.lookFor(path)
	r.nodes[path] = seen
	return seen
}

func (r *Resolver) lookFor(path string) node {
	if r.Map != nil {
		return r.Map.look(path)
	}
	if stamp, known := r.Watched.Stamp(path); known {
		return node{stamp: stamp, held: true}
	}
	seen := lookOnDisk(path)
	r.Watched.Learn(path, seen.stamp)
	return seen
}

// entry looks for a name in a directory. A disk that takes two spellings for
// one finds a name that the directory lists otherwise: listed is the name as it
// stands there. Where this machine's own disk tells them apart, the directory
// is searched for the name that the agent's disk would find.
func (r *Resolver) entry(dir, name string) (seen node, listed string) {
	seen = r.look(join(dir, name))
	switch {
	case seen.err == nil && shortName(name) && strings.IndexByte(name, '~') >= 0:
		names, err := r.list(dir)
		if err == nil && !slices.Contains(names, name) {
			err = ErrAlias
		}
		if err != nil {
			return node{err: err}, name
		}
	case r.Names != NamesExact && stat.Missing(seen.err):
		return r.sameEntry(dir, name, seen)
	}
	return seen, name
}

func (r *Resolver) sameEntry(dir, name string, seen node) (node, string) {
	if exists, isDir := r.isDir(dir); !exists || !isDir {
		return seen, name
	}
	names, err := r.list(dir)
	if err != nil {
		return node{err: err}, name
	}
	found := ""
	for _, other := range names {
		if !r.Names.Same(other, name) {
			continue
		}
		if found != "" {
			return node{err: ErrTwoNames}, name
		}
		found = other
	}
	if found == "" {
		return seen, name
	}
	return r.look(join(dir, found)), found
}

// list returns the names in a directory, as far as the sidecar sees it.
func (r *Resolver) list(dir string) ([]string, error) {
	disk, visible := r.Map.Sidecar(dir)
	if !visible || r.disk {
		return nil, nil
	}
	file, err := os.OpenFile(disk, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a named pipe in its place is no directory
	if err != nil {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	defer file.Close()
	names, err := file.Readdirnames(maxListed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	if len(names) == maxListed {
		return nil, errManyNames
	}
	return names, nil
}

// nextSegment cuts the first segment other than "." off rest.
func nextSegment(rest string) (segment, tail string, ok bool) {
	for {
		rest = strings.TrimLeft(rest, "/")
		if rest == "" {
			return "", "", false
		}
		segment, tail, _ = strings.Cut(rest, "/")
		if segment != "." {
			return segment, tail, true
		}
		rest = tail
	}
}

func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

func join(dir, segment string) string {
	if dir == "/" {
		return "/" + segment
	}
	return dir + "/" + segment
}

// Within reports whether path is root or lies below it. Both are clean and absolute.
func Within(path, root string) bool {
	if root == "/" {
		return strings.HasPrefix(path, "/")
	}
	return strings.HasPrefix(path, root) && (len(path) == len(root) || path[len(root)] == '/')
}

// Depth is the number of segments below the root: 0 for "/", 1 for "/etc".
func Depth(path string) int {
	if path == "/" || path == "" {
		return 0
	}
	return strings.Count(path, "/")
}

// Base is the last segment of a clean path.
func Base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Parent is the directory that holds a clean absolute path.
func Parent(path string) string { return parent(path) }
