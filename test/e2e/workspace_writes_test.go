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
	counts := map[string]int{}
	calls, public := make([]v1.Call, len(lines)), make([]v1.Call, len(lines))
	for i, line := range lines {
		counts[line.Accept[0]]++
		calls[i] = line.call(t, tree)
		calls[i].Session.ID = line.ID // a session has few open prompts
		public[i] = calls[i]
		public[i].Session.ID, public[i].Session.Audience = "public-"+line.ID, v1.AudiencePublic
	}
	on := startServer(t, "--config", settings)
	decided, inPublic, off := on.decideAll(t, calls), on.decideAll(t, public), startServer(t).decideAll(t, calls)
	for i, line := range lines {
		assert.Containsf(t, line.Accept, decided[i].Effect.String(), "%s %q: %+v", line.ID, line.Command, decided[i].Reasons)
		assert.NotEqualf(t, v1.EffectAllow, off[i].Effect, "%s %q is allowed with the setting off", line.ID, line.Command)
		assert.NotEqualf(t, v1.EffectAllow, inPublic[i].Effect, "%s %q is allowed in public", line.ID, line.Command)
	}
	assert.GreaterOrEqual(t, counts["prompt"], refusedWrites)
	assert.GreaterOrEqual(t, counts["allow"], ordinaryWrites)
}
