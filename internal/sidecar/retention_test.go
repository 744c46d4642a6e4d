package sidecar

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/config"
	"policyd/internal/store"
)

// TestWhatEndedLongAgoIsForgotten sweeps more than one statement takes, and checks that nothing that lives is
// touched.
func TestWhatEndedLongAgoIsForgotten(t *testing.T) {
	dir := t.TempDir()
	loaded, err := config.Load("", func(string) (string, bool) { return "", false }, map[string]string{
		"state_dir": dir, "run_dir": filepath.Join(dir, "run"),
	})
	require.NoError(t, err)
	made, err := New(t.Context(), &Settings{Config: loaded, Platform: "linux"}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, made.Close()) })
	m, ctx := made.Memory, t.Context()
	m.stop() // so that nobody else sweeps
	m.done.Wait()
	require.Equal(t, 30*24*time.Hour, m.retention)

	now := time.Now()
	long := now.Add(-2 * m.retention)
	const many = sweptAtOnce + 20
	for i := range many {
		endedPrompt(ctx, t, m.store, fmt.Sprintf("long-%d", i), long)
	}
	endedPrompt(ctx, t, m.store, "lately", now)
	endedPrompt(ctx, t, m.store, "pending", time.Time{})
	for id, at := range map[string]time.Time{"archived-long": long, "archived-lately": now, "active": {}} {
		_, err := m.store.CreateSession(ctx, store.Session{Session: v1.Session{ID: id}, CreatedAt: long, UpdatedAt: long})
		require.NoError(t, err)
		if !at.IsZero() {
			require.NoError(t, m.store.ArchiveSession(ctx, id, at))
		}
	}
	require.NoError(t, m.retain(ctx, now.Add(-m.retention)))

	left, err := m.store.Prompts(ctx, "", "", 0)
	require.NoError(t, err)
	names := []string{}
	for i := range left {
		names = append(names, left[i].ID)
	}
	assert.Equal(t, []string{"lately", "pending"}, names)
	sessions, err := m.store.Sessions(ctx, "", 0)
	require.NoError(t, err)
	names = []string{}
	for i := range sessions {
		names = append(names, sessions[i].ID)
	}
	assert.Equal(t, []string{"active", "archived-lately"}, names)

	// What no call has named for as long has ended by then, at least a week after.
	require.NoError(t, m.endIdle(ctx, m.idleSince(now)))
	active, err := m.store.Session(ctx, "active")
	require.NoError(t, err)
	assert.True(t, active.Archived)
	assert.Equal(t, now.Add(-m.retention), m.idleSince(now))
	m.retention = time.Hour
	assert.Equal(t, now.Add(-7*24*time.Hour), m.idleSince(now))
}

// endedPrompt keeps a prompt that ended at a time, or that is pending for none.
func endedPrompt(ctx context.Context, t *testing.T, kept *store.Store, id string, ended time.Time) {
	t.Helper()
	opened := store.Prompt{Prompt: v1.Prompt{ID: id, State: v1.PromptPending, ExpiresAt: time.Now().Add(time.Hour)}, Kind: v1.PromptKindCall}
	require.NoError(t, kept.OpenPrompt(ctx, opened))
	if ended.IsZero() {
		return
	}
	_, _, err := kept.ResolvePrompt(ctx, store.Resolution{Prompt: id, State: v1.PromptWithdrawn, At: ended})
	require.NoError(t, err)
}
