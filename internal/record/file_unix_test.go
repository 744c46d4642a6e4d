//go:build unix

package record_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/internal/record"
)

// Opening a named pipe waits for a reader: the log refuses one with an error.
func TestTheLogRefusesANamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "decisions.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("skipped: no named pipes here")
	}
	_, err := record.New(record.Options{File: pipe})
	require.ErrorContains(t, err, "named pipe")
	require.ErrorContains(t, err, pipe)
}
