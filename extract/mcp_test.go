package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// P11: a tool may make a protected file under the name of any argument, and no approval of the tool covers that.
func TestProtectedFilesThatArgumentsName(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	require.NoError(t, os.Symlink(".git/hooks", p.project+"/hooks"))
	asked := func(tool string, args map[string]any) bool {
		for _, path := range p.facts(tool, args).Paths {
			if _, always := path.Class.Get("protected_always"); always && path.Op == "write" {
				return true
			}
		}
		return false
	}
	for _, tool := range []string{"mcp__jetbrains__create_new_file", "make_something"} {
		for _, name := range []string{"pathInProject", "name", "key", "location", "title", "id", "document", "path", "subject"} {
			for _, path := range []string{
				".git/hooks/post-checkout", ".claude/settings.local.json", ".mcp.json", ".vscode/tasks.json", "opencode.json", "./.git/hooks/x", " .mcp.json",
				"src/../.mcp.json", "sub/.vscode/tasks.json", ".GIT/hooks/x", "/.git/hooks/x", "//.vscode/tasks.json", "hooks/post-checkout", ".git%2fhooks%2fx",
			} {
				assert.True(t, asked(tool, map[string]any{name: path, "text": "x"}), "%s %s %q", tool, name, path)
			}
		}
		assert.True(t, asked(tool, map[string]any{"files": map[string]any{".git/hooks/x": "text"}}), "the name of a member")
		assert.True(t, asked(tool, map[string]any{"files": []any{map[string]any{"name": ".mcp.json"}}}), "nested")
		for name, text := range map[string]string{
			"name": "src/new.go", "id": "opencode", "title": "Fix .vscode/tasks.json and .mcp.json", "key": "x.git", "text": ".mcp.json", "query": ".vscode/tasks.json",
			"exclude": ".git", "pattern": ".git/**", "url": "https://example.org/.vscode/x", "location": "hooks2/x", "document": "a\n.mcp.json",
		} {
			assert.False(t, asked(tool, map[string]any{name: text}), "%s %s %q", tool, name, text)
		}
	}
	assert.False(t, asked("mcp__fs__read_text_file", map[string]any{"name": ".mcp.json"}), "it only reads")
}

// V12: what reads a resource changes nothing at its address.
func TestReadersOfResources(t *testing.T) {
	p := newPlace(t)
	uri := "file://" + p.project + "/README.md"
	assert.Equal(t, "tool:read.project path:read.project", touches(p.facts("ReadMcpResourceTool", map[string]any{"server": "docs", "uri": uri})))
	assert.Equal(t, "tool:read.project path:read.project", touches(p.facts("read_mcp_resource", map[string]any{"server": "docs", "uri": uri})))
	assert.Equal(t, "path:read.project", touches(p.facts("LSP", map[string]any{"operation": "hover", "filePath": "src/main.go", "line": 1, "character": 1})))
}
