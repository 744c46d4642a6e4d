//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// errLocked states that another process has the lock.
var errLocked = errors.New("locked")

// lockFile locks a file for this process until it is closed. errLocked means
// that another process has it.
func lockFile(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return nil
}
