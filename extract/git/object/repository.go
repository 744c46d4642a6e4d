package object

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"policyd/extract/stat"
)

// Sizes of an id, in bytes.
const (
	SHA1Size   = 20
	SHA256Size = 32
)

// Bounds on the files of a repository.
const (
	MaxIndexBytes      = 64 << 20
	MaxAlternatesBytes = 1 << 20
	// MaxRefsBytes bounds packed-refs, and other lists of refs and commits.
	MaxRefsBytes = 4 << 20
	maxRefBytes  = 4 << 10
)

// View finds the files of another file system on this one.
type View interface {
	// Real is the real path of an existing path, by git's names.
	Real(path string) (string, error)
	// Disk is this process's path of a real path whose last segment may be a
	// link. An error means that it can't be seen here.
	Disk(real string) (string, error)
}

// OnDisk is where this process finds a path; a nil view changes nothing. With follow no link is
// left in it.
func OnDisk(view View, path string, follow bool) (string, error) {
	if view == nil {
		return path, nil
	}
	whole, rest := path, ""
	if !follow {
		whole, rest = filepath.Dir(path), filepath.Base(path)
	}
	real, err := view.Real(whole)
	if err != nil {
		return "", err
	}
	return view.Disk(filepath.Join(real, rest))
}

// ReadFile is stat.Read, but a missing file is nil and no error.
func ReadFile(path string, limit int64) ([]byte, stat.Stamp, error) {
	content, found, err := stat.Read(path, limit)
	if stat.Missing(err) {
		return nil, stat.Stamp{}, nil
	}
	return content, found, err
}

// Names lists a directory; a missing one is empty.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !stat.Missing(err) {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// openRegular opens a regular file to read it.
func openRegular(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	if found, err := stat.Open(file); err != nil || found.Kind != stat.File {
		_ = file.Close() // nothing was written
		return nil, errObject
	}
	return file, nil
}

// Repository is where a repository lies. Its zero value is none. It remembers what it read of
// packed refs: a copy is for one answer, and may not be used concurrently.
type Repository struct {
	// Top is the real root of the work tree; empty for a bare repository.
	Top string
	// GitDir and CommonDir are real paths; they differ in linked work trees.
	GitDir    string
	CommonDir string
	// HashSize is how many bytes an id has; 0 if nothing may be read of the repository.
	HashSize int
	// ForeignObjects reports that git reads objects that lie outside of the directories that
	// the repository may use: a hash may name one of another repository.
	ForeignObjects bool
	// View maps paths to those of this process; nil if both see the same disk.
	View View

	packed *packedRefs
}

// HasWorkTree reports whether the repository is known and has a work tree.
func (r *Repository) HasWorkTree() bool { return r.Top != "" && r.HashSize != 0 }

// IsID reports whether a text is the whole id of an object, as git writes it.
func (r *Repository) IsID(text string) bool {
	return len(text) == 2*r.HashSize && strings.Trim(text, "0123456789abcdef") == ""
}

// Look describes what lies at a name below dir, and doesn't follow a link there; nothing is an
// absent stamp.
func (r *Repository) Look(dir, name string) (found stat.Stamp, known bool) {
	path, err := OnDisk(r.View, filepath.Join(dir, name), false)
	if err == nil {
		found, err = stat.Path(path, false)
	}
	if stat.Missing(err) {
		return stat.Stamp{}, true
	}
	return found, err == nil
}

// Has reports whether anything lies at a name of the common directory, or can't be seen.
func (r *Repository) Has(name string) bool {
	found, known := r.Look(r.CommonDir, name)
	return !known || found.Present()
}

// Read reads a file below dir; a missing one is nil.
func (r *Repository) Read(dir, name string, limit int64) (content []byte, known bool) {
	path, err := OnDisk(r.View, filepath.Join(dir, name), true)
	if err == nil {
		content, _, err = ReadFile(path, limit)
	}
	return content, err == nil || stat.Missing(err)
}

// Index reads the index; a missing one is nil.
func (r *Repository) Index() ([]byte, error) {
	content, known := r.Read(r.GitDir, "index", MaxIndexBytes)
	if !known {
		return nil, ErrIndexUnknown
	}
	return content, nil
}

// Replaces reports whether git may read other objects in the place of some: by refs that replace
// them, or by grafts.
func (r *Repository) Replaces() bool {
	refs, known := r.PackedRefs()
	if !known || r.Has("refs/replace") || r.Has("info/grafts") {
		return true
	}
	for _, ref := range refs {
		if strings.HasPrefix(ref.Name, "refs/replace/") {
			return true
		}
	}
	return false
}
