//go:build amd64 || arm64

package sidecar

import (
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/config"
)

// TestAStartRemovesWhatKilledRunsLeft, and nothing else.
func TestAStartRemovesWhatKilledRunsLeft(t *testing.T) {
	project := t.TempDir()
	s := &Settings{Config: &config.Config{}}
	s.StateDir = t.TempDir()
	before := newLeftovers(s, slog.New(slog.DiscardHandler))
	before.remove()
	paths := []string{project + "/.git", project + "/.vscode", project + "/.claude", project + "/.mcp.json", project + "/.idea/x"}
	before.granted(&v1.Obligation{Protect: paths[:2]})
	before.granted(&v1.Obligation{Protect: paths})
	require.NoError(t, os.Symlink("/proc/policyd-contained-run", paths[0]))
	for _, dir := range []string{paths[1], paths[2], project + "/.idea"} {
		require.NoError(t, os.Mkdir(dir, 0o755|os.ModeSticky))
		require.NoError(t, os.Chmod(dir, 0o755|os.ModeSticky))
	}
	require.NoError(t, os.WriteFile(paths[2]+"/used", nil, 0o600))
	require.NoError(t, os.WriteFile(paths[3], nil, 0o600))
	left, err := Leftovers(s)
	require.NoError(t, err)
	assert.Equal(t, []string{paths[0], project + "/.idea", paths[1]}, left)
	newLeftovers(s, slog.New(slog.DiscardHandler)).remove()
	left, err = Leftovers(s)
	require.NoError(t, err)
	assert.Empty(t, left)
	entries, err := os.ReadDir(project)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	assert.Equal(t, []string{".claude", ".mcp.json"}, []string{entries[0].Name(), entries[1].Name()})
}
