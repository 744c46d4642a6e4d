package sidecar

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/config"
)

// TestWhatIsReadAnewReleases checks A14 for answers that a sidecar learns of by reading the store anew, as it
// does when its connection was lost: pending prompts are decided again, and not before everything is read.
func TestWhatIsReadAnewReleases(t *testing.T) {
	dir := t.TempDir()
	loaded, err := config.Load("", func(string) (string, bool) { return "", false }, map[string]string{
		"state_dir": dir, "run_dir": filepath.Join(dir, "run"),
	})
	require.NoError(t, err)
	made, err := New(t.Context(), &Settings{Config: loaded, Platform: "linux"}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, made.Close()) })
	m, ctx := made.Memory, t.Context()
	m.stop() // so that nobody else takes what is collected
	m.done.Wait()
	awake := func() bool {
		select {
		case <-m.releases.wake:
			could, _ := m.releases.next()
			assert.Nil(t, could, "every pending prompt is decided again")
			return true
		default:
			return false
		}
	}
	for awake() {
	}

	require.NoError(t, m.Sessions.Load(ctx))
	assert.False(t, awake(), "approvals aren't read yet")
	before := m.releases.count.Load()
	require.NoError(t, m.load(ctx))
	assert.True(t, awake())
	assert.Greater(t, m.releases.count.Load(), before, "a call that was judged meanwhile is decided again")
}
