package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: a search that git does takes what is included for pathspecs: stars match slashes, a name
// is all below it, and a colon begins magic. V12: a pattern in front of it may be an option.
func TestSearchesThatGitDoes(t *testing.T) {
	p := newPlace(t)
	p.files(t, ".git/HEAD", "conf/server.pem", "conf/a.go")
	require.NoError(t, os.WriteFile(p.project+"/.gitignore", []byte(".env\n"), 0o600))
	ask := func(agent, tool string, args map[string]any, caveats ...string) bool {
		call := p.call(tool, args)
		call.Session.Agent = agent
		return someItemHas(p.extractor.Extract(call, nil).Items, caveats...)
	}
	for include, want := range map[string]bool{
		"*.go": false, "**/*.go": false, "src": false, "s*.go": false, "*a*.go": false, "x*": false,
		":": true, ":^x": true, ":x": true, "conf": true, "con?": true, "c*": true, "*n*m": true, "**/c*": true, "s*": true,
	} {
		args := map[string]any{"pattern": "x", "include": include}
		for agent, tool := range map[string]string{"gemini": "grep_search", "other": "grep_search"} {
			assert.Equal(t, want, ask(agent, tool, args, "reaches_secret"), "%s %s", agent, include)
		}
	}
	for pattern, want := range map[string]bool{"x": false, "a-b": false, "": false, " -x": false, "-Otouch x;#": true, "--no-index": true, "-f.env": true} {
		args := map[string]any{"pattern": pattern, "include": "*.go"}
		for _, tool := range []string{"grep_search", "search_file_content"} {
			assert.Equal(t, want, ask("gemini", tool, args, "unknown_argument"), "%s %s", tool, pattern)
		}
		assert.Equal(t, want, ask("other", "search_files", map[string]any{"regex": pattern}, "unknown_argument"), pattern)
	}
	assert.False(t, ask("claude-code", "Grep", map[string]any{"pattern": "-x"}, "unknown_argument"), "it is handed on behind -e")
}

// S3: BSD's grep matches what is included against whole paths as well.
func TestIncludesOverPaths(t *testing.T) {
	p := newPlace(t)
	p.files(t, "conf/server.pem", "conf/a.go", "deep/conf/server.pem")
	for line, want := range map[string]bool{
		"grep -r --include='*.go' x .": false, "grep -r --include='c*' x src": false, "grep -r --include='a*' x conf": false,
		"grep -r --include='*.md' --include='*.go' x conf": false,
		"grep -r --include='c*' x conf":                    true, "grep -r --include='c*' x deep/conf": true, "grep -r --include='*o*m' x .": true,
		"grep -r --include='.*' x conf/.": true, "grep -r --include='c?n?*' x co*": true, "grep -rl --include='c*' x conf | xargs cat": true,
		"grep -r --exclude-dir='con*' x conf/.. --include='*.pem' --exclude-dir=deep": true, "grep -r --exclude-dir=conf --include='*.pem' x": false,
	} {
		for platform, counts := range map[string]bool{"linux": false, "darwin": true} {
			call := p.call("Bash", map[string]any{"command": line})
			call.Session.Platform = platform
			facts := p.extractor.Extract(call, nil)
			assert.Equal(t, want && counts, someItemHas(facts.Items, "reaches_secret", "reaches_unknown"), "%s: %s", platform, line)
		}
	}
}
