//go:build amd64 || arm64

package contain

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestPlaceholdersChangeNothingOutside: another run in the same project exchanges what is being made
// for a link out of it. The launcher isn't contained, so it must not follow.
func TestPlaceholdersChangeNothingOutside(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	outside, project := filepath.Join(top, "outside"), filepath.Join(top, "project")
	require.NoError(t, os.Mkdir(project, 0o700))
	require.NoError(t, os.WriteFile(outside, nil, 0o640))
	place := filepath.Join(project, ".mcp.json")
	obligation := &v1.Obligation{Write: []string{project}, Protect: []string{place}}
	var ended atomic.Bool
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for !ended.Load() {
			if os.Remove(place) == nil {
				_ = os.Symlink(outside, place)
			}
		}
	}()
	for range 5000 {
		if made, err := placeholders(obligation); err == nil {
			made.remove()
		}
	}
	ended.Store(true)
	<-swapped
	info, err := os.Stat(outside)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode(), "its mode was changed through a link")
}

// TestRemovingATemporaryDirectoryFollowsNoLink: what the run left may still exchange names.
func TestRemovingATemporaryDirectoryFollowsNoLink(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	outside := filepath.Join(top, "outside")
	require.NoError(t, os.Mkdir(outside, 0o750))
	require.NoError(t, os.Mkdir(filepath.Join(outside, "deep"), 0o750))
	require.NoError(t, os.Symlink(outside, filepath.Join(top, "link")))
	giveBack(filepath.Join(top, "link"))
	giveBack(filepath.Join(top, "link", "deep"))
	for _, name := range []string{outside, filepath.Join(outside, "deep")} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o750), info.Mode().Perm(), name)
	}
	own := filepath.Join(top, "own")
	require.NoError(t, os.Mkdir(own, 0))
	giveBack(own)
	info, err := os.Stat(own)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}
