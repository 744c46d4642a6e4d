package extract_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract"
	"policyd/extract/argv"
	"policyd/extract/catalog"
)

// oneTool is a catalog with one added tool.
func oneTool(client, tool string, entry any) map[string]any {
	return map[string]any{"catalog": map[string]any{"clients": map[string]any{client: map[string]any{"tools": map[string]any{tool: entry}}}}}
}

func addable(t *testing.T, settings map[string]any) error {
	t.Helper()
	base, err := extract.NewBase(extract.Options{Home: "/home/x", Platform: "linux"})
	require.NoError(t, err)
	defer base.Close()
	return base.CheckAdditions(settings)
}

// V12: no addition changes what the built-in catalog knows, under any name of an agent.
func TestAddedToolsChangeNoBuiltInTool(t *testing.T) {
	base, err := extract.NewBase(extract.Options{Home: "/home/x", Platform: "linux"})
	require.NoError(t, err)
	defer base.Close()
	agents, err := catalog.AgentNames()
	require.NoError(t, err)
	checked := 0
	for _, agent := range append(agents, "generic", "in-house", "Claude-Code") {
		for _, tool := range extract.KnownTools(base, agent) {
			checked++
			err := base.CheckAdditions(oneTool(agent, tool, map[string]any{"kind": "internal"}))
			var refused *argv.EntryError
			require.ErrorAsf(t, err, &refused, "%s of %s", tool, agent)
			require.Contains(t, refused.Entry, tool)
		}
	}
	assert.Greater(t, checked, 400)
}

// V12: each way in which an entry can be wrong is an error that names the entry.
func TestMalformedToolsAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ entry, at string }{
		"no kind":                  {`{"inert": ["x"]}`, "kind"},
		"a kind that isn't there":  {`{"kind": "harmless"}`, "kind"},
		"a kind of policyd alone":  {`{"kind": "acp"}`, "kind"},
		"a shell without commands": {`{"kind": "shell"}`, "declares no argument"},
		"a reader without paths":   {`{"kind": "read", "inert": ["x"]}`, "declares no argument"},
		"a fetch without urls":     {`{"kind": "fetch"}`, "declares no argument"},
		"an unknown operation":     {`{"kind": "read", "paths": {"p": "look"}}`, "paths.p"},
		"a writer that only reads": {`{"kind": "write", "paths": {"p": "read"}}`, "paths"},
		"paths nobody reads":       {`{"kind": "internal", "paths": {"p": "write"}}`, "paths"},
		"commands nobody reads":    {`{"kind": "read", "paths": {"p": "read"}, "command": ["c"]}`, "command"},
		"an inert path":            {`{"kind": "read", "paths": {"p": "read"}, "inert": ["p"]}`, "paths"},
		"an unknown column":        {`{"kind": "other", "callee": ["a"]}`, "callee"},
		"a wrong type":             {`{"kind": "other", "inert": "a"}`, "inert"},
		"a wild default":           {`{"kind": "list", "paths": {"p": "list"}, "default": "write"}`, "default"},
		"null":                     {`null`, "empty"},
	} {
		var entry any
		require.NoError(t, json.Unmarshal([]byte(test.entry), &entry))
		assert.ErrorContains(t, addable(t, oneTool("generic", "ours", entry)), test.at, name)
	}
	for _, tool := range []string{"", " x", "fs/of_our_own", "terminal/x", "session/anything"} {
		assert.Error(t, addable(t, oneTool("generic", tool, map[string]any{"kind": "other"})), tool)
	}
	assert.NoError(t, addable(t, oneTool("generic", "ours", map[string]any{"kind": "other", "inert": []any{"a"}})))
}

// C1: what agents may not use of MCP servers isn't taken from that rule.
func TestAddedToolsLeaveDeniedServers(t *testing.T) {
	for _, denied := range []string{"mcp", "mcp:acme/lookup"} {
		settings := oneTool("claude-code", "mcp__acme__lookup", map[string]any{"kind": "other"})
		require.NoError(t, addable(t, settings))
		settings["agents"] = map[string]any{"x": map[string]any{"deny_tools": []any{denied}}}
		assert.ErrorContains(t, addable(t, settings), "deny_tools", denied)
	}
}
