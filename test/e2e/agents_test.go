package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestDeniedToolsOfAnAgent holds C1.
func TestDeniedToolsOfAnAgent(t *testing.T) {
	tree := newTree(t)
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("agents: {coordinator: {deny_tools: [shell, Write]}}\n"), 0o600))
	s := startServer(t, "--config", settings)
	s.register(t, tree, "c", func(session *v1.Session) { session.Agent = "coordinator" })
	s.register(t, tree, "d")
	readme := filepath.Join(tree.Project, "README.md")
	assert.Equal(t, v1.EffectAllow, s.file(t, "c", "Read", readme).Effect)
	for _, decision := range []v1.Decision{s.file(t, "c", "Write", readme), s.shell(t, "c", "ls")} {
		assert.Equal(t, v1.EffectDeny, decision.Effect)
		assert.Equal(t, []string{"tool_denied"}, codes(decision))
		assert.Contains(t, decision.Reasons[0].Message, "coordinator may not use")
	}
	assert.Equal(t, v1.EffectAllow, s.shell(t, "d", "ls").Effect, "another agent")
}
