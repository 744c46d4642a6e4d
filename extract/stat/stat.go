// Package stat says what lies at a path, as a value that identifies its state.
//
// It asks the kernel directly where it can: a path is looked at segment by
// segment and in every decision, and the standard library's FileInfo costs as
// much as the system call. It keeps nothing from one call to the next.
package stat

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// Kind is what lies at a path.
type Kind uint8

// Kinds. The zero value is nothing.
const (
	Absent Kind = iota
	File
	Directory
	Link
	Other
)

// Stamp identifies one state of a path; the zero value means that nothing was
// there. Times count from the Unix epoch. Where Exact is false, only Kind, the
// permissions, Size and Modified are known.
type Stamp struct {
	Kind Kind
	// Sticky is true of a directory in which only the owner of an entry removes or renames it.
	Sticky      bool
	Permissions uint32 // the lowest nine bits of the mode
	Owner       uint32
	Device      uint64
	Inode       uint64
	// Names is how many hard links there are; 1 where that can't be told.
	Names    uint64
	Size     int64
	Modified time.Duration
	Changed  time.Duration
}

// Present reports whether anything was there.
func (s Stamp) Present() bool { return s.Kind != Absent }

// Identity drops what changes in a directory whenever an entry does.
func (s Stamp) Identity() Stamp {
	s.Names, s.Size, s.Modified, s.Changed = 0, 0, 0, 0
	return s
}

// Path describes what lies at a path, with follow where a symbolic link leads.
// What is missing is an error for which Missing is true.
func Path(path string, follow bool) (Stamp, error) {
	for {
		found, err := look(path, follow)
		if err == nil || !errors.Is(err, syscall.EINTR) {
			return found, err
		}
	}
}

// Below describes what lies at a name below a directory, as Path does, without a
// string for both.
func Below(dir, name string, follow bool) (Stamp, error) {
	for {
		found, err := lookBelow(dir, name, follow)
		if err == nil || !errors.Is(err, syscall.EINTR) {
			return found, err
		}
	}
}

// Missing reports whether an error says that nothing is there: no such name, or
// a file where a directory would have to be.
func Missing(err error) bool {
	return err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR))
}
