//go:build unix

package secretfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/secretfile"
)

func TestTransient(t *testing.T) {
	for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EINTR, syscall.ENOMEM, syscall.EIO} {
		assert.True(t, secretfile.Transient(fmt.Errorf("read: %w", &os.PathError{Op: "open", Path: "x", Err: err})), err)
	}
	for _, err := range []error{nil, fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, errors.New("other")} {
		assert.False(t, secretfile.Transient(err), err)
	}
}

// A named pipe that nobody writes to keeps no reader waiting.
func TestReadRefusesANamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("skipped: no named pipes here")
	}
	_, err := secretfile.Read(pipe)
	require.ErrorContains(t, err, "not a regular file")
}
