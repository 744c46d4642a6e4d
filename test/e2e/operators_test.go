package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOperatorsExamplesWork starts from what the guide shows: its settings are
// accepted, and its bundle decides.
func TestOperatorsExamplesWork(t *testing.T) {
	text, err := os.ReadFile("../../docs/operators.md")
	require.NoError(t, err)
	shown := map[string]string{}
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		shown[block[1]] = block[2]
	}
	dir := t.TempDir()
	bundle := filepath.Join(dir, "bundle")
	require.NoError(t, os.Mkdir(bundle, 0o755))
	put(t, bundle, "mine.rego", shown["rego"])
	put(t, bundle, ".manifest", shown["json"])
	put(t, dir, "policyd.yaml", shown["yaml"])
	put(t, dir, "call.json", `{"tool": "WebFetch", "args": {"url": "https://example.org/", "prompt": "read"},
		"session": {"id": "s", "agent": "claude-code", "audience": "personal", "interactive": true}}`)
	command := exec.CommandContext(t.Context(), program, "decide", "--quiet", "--config", "policyd.yaml", "--bundle", "bundle", "call.json")
	command.Dir, command.Env = dir, environment(t.TempDir())
	var problems output
	command.Stderr = &problems
	out, err := command.Output()
	require.NoErrorf(t, err, "%s", &problems)
	assert.Equal(t, "deny\n", string(out))
}
