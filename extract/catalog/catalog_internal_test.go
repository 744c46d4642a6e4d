package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S3: of a search that leaves ignored files out, no argument that could change
// that counts as one without effect.
func TestIgnoringIsNotInert(t *testing.T) {
	c, err := Load()
	require.NoError(t, err)
	searches := 0
	for client, entry := range c.Clients {
		for name, tool := range entry.Tools {
			if !tool.Ignoring {
				assert.Empty(t, tool.ReadsIgnored, "%s of %s", name, client)
				continue
			}
			searches++
			for _, argument := range tool.Inert {
				assert.NotRegexp(t, "(?i)ignore|hidden|filter|exclude[^_]*s$|unrestricted|follow", argument, "%s of %s", name, client)
			}
		}
	}
	assert.Greater(t, searches, 4)
}

// The tools of policyd's own MCP server ask a person themselves, so no client's call of
// them needs a second answer (D5). Another server's tools of these names do.
func TestOwnToolsAreInternal(t *testing.T) {
	c, err := Load()
	require.NoError(t, err)
	for client, prefix := range map[string]string{
		"claude-code": "mcp__policyd__", "codex": "mcp__policyd__", "gemini": "mcp_policyd_", "opencode": "policyd_",
		"copilot": "policyd-", "cursor": "mcp__policyd__",
	} {
		for _, name := range []string{"request_read_access", "set_working_directory"} {
			assert.Equal(t, v1.ToolInternal, c.Identify(client, prefix+name, "").Kind(), client)
			other := strings.Replace(prefix, "policyd", "policyd2", 1)
			assert.NotEqual(t, v1.ToolInternal, c.Identify(client, other+name, "").Kind(), client)
		}
		assert.NotEqual(t, v1.ToolInternal, c.Identify(client, prefix+"delete_everything", "").Kind(), client)
	}
}
