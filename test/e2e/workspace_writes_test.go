package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/jsonl"
	"policyd/test/project"
)

// The least that the corpus of shell.workspace_writes has to hold.
const (
	refusedWrites  = 150
	ordinaryWrites = 60
)

// TestWorkspaceWrites decides lines that write, with the setting
// shell.workspace_writes on and off, in a project with secrets and links that
// lead out (P2).
func TestWorkspaceWrites(t *testing.T) {
	tree := newTree(t)
	require.NoError(t, project.Expose(t.Context(), tree))
	lines, err := jsonl.Read[line]("../testdata/workspace_writes.jsonl")
	require.NoError(t, err)
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("shell: {workspace_writes: true}\n"), 0o600))
	on, off := startServer(t, "--config", settings), startServer(t)
	counts := map[string]int{}
	for _, line := range lines {
		counts[line.Accept[0]]++
		call := line.call(t, tree)
		call.Session.ID = line.ID // a session has few open prompts
		decision := on.decide(t, call)
		assert.Containsf(t, line.Accept, decision.Effect.String(), "%s %q: %+v", line.ID, line.Command, decision.Reasons)
		assert.NotEqualf(t, v1.EffectAllow, off.decide(t, call).Effect, "%s %q is allowed with the setting off", line.ID, line.Command)
		call.Session.ID, call.Session.Audience = "public-"+line.ID, v1.AudiencePublic
		assert.NotEqualf(t, v1.EffectAllow, on.decide(t, call).Effect, "%s %q is allowed in public", line.ID, line.Command)
	}
	assert.GreaterOrEqual(t, counts["prompt"], refusedWrites)
	assert.GreaterOrEqual(t, counts["allow"], ordinaryWrites)
}
