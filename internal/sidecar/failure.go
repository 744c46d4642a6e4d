package sidecar

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// HintError is an error with what a person can do about it.
type HintError struct {
	Err error
	// Hint is empty if nothing is known to help.
	Hint string
}

var _ error = (*HintError)(nil)

func (e *HintError) Error() string { return e.Err.Error() }

func (e *HintError) Unwrap() error { return e.Err }

func failed(err error, hint string) error { return &HintError{Err: err, Hint: hint} }

// WritableHint states what to do about a state directory that can't be written.
const WritableHint = "policyd writes to its state directory: make it writable for this user, or name another with --state-dir"

// Unwritable reports whether an error states that a file or directory can't be written.
func Unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// OneLine is an error on one line.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
