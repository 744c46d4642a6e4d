package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestWhatTheKernelVouchesForChanges checks that the first call after a change knows of it, when calls before
// it had the kernel watch the directories on the way.
func TestWhatTheKernelVouchesForChanges(t *testing.T) {
	tree := newTree(t)
	s := startSet(t, "metrics: {access: open}\n")
	inner, other := filepath.Join(tree.Project, "a", "b"), filepath.Join(tree.Home, "other")
	for _, dir := range []string{inner, filepath.Join(other, "b")} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("notes\n"), 0o600))
	}
	ask := func() v1.Effect {
		return s.decide(t, v1.Call{
			Tool: "Bash", Args: json.RawMessage(`{"command":"cat a/b/notes.txt && git status"}`),
			Cwd: tree.Project, Session: session(tree, "claude-code"),
		}).Effect
	}
	known := func() bool {
		return s.series(t, "")["policyd_watched_directories"] > float64(strings.Count(inner, "/"))
	}
	for begun := time.Now(); !known() && time.Since(begun) < 10*time.Second; {
		require.Equal(t, v1.EffectAllow, ask())
	}
	if !known() {
		t.Log("the kernel vouches for nothing here: this holds only that directories are asked about")
	}
	away := filepath.Join(tree.Project, "away")
	for name, change := range map[string]struct{ place, to string }{
		"a directory becomes a link": {inner, filepath.Join(other, "b")},
		"one on the way does":        {filepath.Dir(inner), other},
	} {
		for range 20 {
			require.NoError(t, os.Rename(change.place, away))
			require.NoError(t, os.Symlink(change.to, change.place))
			require.Equal(t, v1.EffectPrompt, ask(), name)
			require.NoError(t, os.Remove(change.place))
			require.NoError(t, os.Rename(away, change.place))
			require.Equal(t, v1.EffectAllow, ask(), name)
			require.Equal(t, v1.EffectAllow, ask(), name)
		}
	}
	hook := filepath.Join(tree.Project, ".git", "hooks", "post-index-change")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\n"), 0o700))
	assert.Equal(t, v1.EffectPrompt, ask(), "a hook was added")
}

// TestARepeatLooksAtTheDisk checks that a remembered judgement represents its facts alone: what a name leads
// to is looked up by every call.
func TestARepeatLooksAtTheDisk(t *testing.T) {
	for name, settings := range map[string]string{
		"remembered": "metrics: {access: open}\n",
		"evaluated":  "decision_cache: {entries: 0}\n",
	} {
		t.Run(name, func(t *testing.T) {
			tree := newTree(t)
			s := startSet(t, settings)
			notes := filepath.Join(tree.Project, "notes.txt")
			ask := func(tool, args string) v1.Decision {
				return s.decide(t, v1.Call{Tool: tool, Args: json.RawMessage(args), Cwd: tree.Project, Session: session(tree, "claude-code")})
			}
			both := func(want v1.Effect) {
				for range 3 {
					assert.Equal(t, want, ask("Bash", `{"command":"cat notes.txt"}`).Effect)
					assert.Equal(t, want, ask("Read", `{"file_path":"notes.txt"}`).Effect)
				}
			}
			require.NoError(t, os.WriteFile(notes, []byte("notes\n"), 0o600))
			both(v1.EffectAllow)
			require.NoError(t, os.Remove(notes))
			require.NoError(t, os.Symlink(".env", notes))
			both(v1.EffectDeny)
			require.NoError(t, os.Remove(notes))
			require.NoError(t, os.WriteFile(notes, []byte("notes\n"), 0o600))
			both(v1.EffectAllow)
			hits := s.series(t, "")[`policyd_decision_cache_total{result="hit"}`]
			if name == "evaluated" {
				assert.Zero(t, hits)
			} else {
				assert.InDelta(t, 14, hits, 0, "18 calls, 4 of them new")
			}
		})
	}
}
