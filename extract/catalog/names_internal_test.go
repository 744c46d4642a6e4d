package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V12: a gate spells the names of tools in one way, whichever client it stands for,
// and the server and the tool are told apart at the first separator.
func TestGatesSpellToolsInOneWay(t *testing.T) {
	c, err := Load()
	require.NoError(t, err)
	for _, agent := range []string{"mcp-gate", "claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "cursor", ""} {
		for name, want := range map[string][2]string{
			"mcp__files__read_file": {"files", "read_file"},
			"mcp__my_files__a__b":   {"my_files", "a__b"},
			"mcp__files___x":        {"files", "_x"},
			"mcp__files__a/b":       {"files", "a/b"},
		} {
			who := c.Identify(agent, name, "mcp")
			assert.Equal(t, want, [2]string{who.Server, who.Name}, "%s %s", agent, name)
			assert.Nil(t, who.Tool)
			assert.Nil(t, who.Method)
		}
		assert.Equal(t, "unknown", c.Identify(agent, "read", "mcp").Server)
	}
	who := c.Identify("gemini-cli", "mcp_files_read", "mcp")
	assert.Equal(t, [2]string{"files", "read"}, [2]string{who.Server, who.Name}, "its own way stays")
}
