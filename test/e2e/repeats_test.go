package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestARepeatLooksAtTheDisk holds that a remembered judgement stands for its facts alone:
// what a name leads to is looked up by every call.
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
