//go:build linux || darwin

package stat_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// endless are a pipe without a writer, and a device without an end.
func endless(t *testing.T, dir string) []string {
	t.Helper()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	return []string{pipe, "/dev/zero"}
}
