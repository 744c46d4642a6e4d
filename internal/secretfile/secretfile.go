// Package secretfile reads files with a secret: tokens and keys. It trusts only the file's mode: a file that
// others can read is no longer secret.
package secretfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// most is the largest secret, in bytes: far above a key with its chain.
const most = 1 << 20

// ModeError states that a file is open to others than those it is for.
type ModeError struct {
	Path string
	Mode fs.FileMode
}

// Error implements error.
func (e *ModeError) Error() string {
	return fmt.Sprintf("%s has mode %04o, so others may know it; make a new secret with mode 0600", e.Path, e.Mode)
}

var _ error = (*ModeError)(nil)

// Read returns the content of a regular file, also through a link. A file that others can read or change is
// refused with an error that wraps a *ModeError. A file of another user may be readable by a group:
// Kubernetes passes secrets to a user that isn't root in this way.
func Read(path string) ([]byte, error) {
	// A named pipe would keep the opening waiting, and is refused below.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	defer file.Close()
	info, err := file.Stat() // of what is open, so that no other file is read
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read secret: %s is not a regular file", path)
	}
	closed := fs.FileMode(0o077)
	if foreign(info) {
		closed = 0o037
	}
	if mode := info.Mode().Perm(); mode&closed != 0 {
		return nil, fmt.Errorf("read secret: %w", &ModeError{Path: path, Mode: mode})
	}
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	if len(content) > most {
		return nil, fmt.Errorf("read secret: %s is larger than %d bytes", path, most)
	}
	return content, nil
}

// Transient reports whether an error states that the system could not read a file at this moment, and nothing
// of the file: it has no descriptors or memory left, was interrupted, or its disk failed.
func Transient(err error) bool {
	for _, code := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.EINTR, syscall.ENOMEM, syscall.EIO, syscall.EAGAIN,
	} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}
