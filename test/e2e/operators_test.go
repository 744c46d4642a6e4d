package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/authority"
)

// TestOperatorsExamplesWork starts from what the guide shows: its settings are
// accepted, and its bundle decides.
func TestOperatorsExamplesWork(t *testing.T) {
	text, err := os.ReadFile("../../docs/operators.md")
	require.NoError(t, err)
	shown, settings := map[string]string{}, []string{}
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		shown[block[1]] = block[2]
		if block[1] == "yaml" {
			settings = append(settings, block[2])
		}
	}
	require.NotEmpty(t, settings)
	dir := t.TempDir()
	bundle := filepath.Join(dir, "bundle")
	require.NoError(t, os.Mkdir(bundle, 0o755))
	put(t, bundle, "mine.rego", shown["rego"])
	put(t, bundle, ".manifest", shown["jsonc"])
	put(t, dir, "policyd.yaml", settings[0])
	put(t, dir, "call.json", `{"tool": "WebFetch", "args": {"url": "https://example.org/", "prompt": "read"},
		"session": {"id": "s", "agent": "claude-code", "audience": "personal", "interactive": true}}`)
	command := exec.CommandContext(t.Context(), program, "decide", "--quiet", "--config", "policyd.yaml", "--bundle", "bundle", "call.json")
	command.Dir, command.Env = dir, environment(t.TempDir())
	var problems output
	command.Stderr = &problems
	out, err := command.Output()
	require.NoErrorf(t, err, "%s", &problems)
	assert.Equal(t, "deny\n", string(out))
	for _, example := range settings[1:] {
		put(t, dir, "policyd.yaml", example)
		again := exec.CommandContext(t.Context(), program, "decide", "--quiet", "--config", "policyd.yaml", "call.json")
		again.Dir, again.Env = command.Dir, command.Env
		out, err := again.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
		assert.Equal(t, "prompt\n", string(out), example)
	}
}

// P13: the guide's path map decides about the agent's names by the sidecar's disk.
func TestPathMapDecides(t *testing.T) {
	tree := newTree(t)
	dir := t.TempDir()
	put(t, dir, "policyd.yaml", "scope:\n  path_map:\n    - {agent: /workspace, sidecar: "+tree.Project+"}\n")
	require.NoError(t, os.Symlink("/workspace/.env", filepath.Join(tree.Project, "notes")))
	for path, want := range map[string]string{
		"/workspace/README.md": "allow", "README.md": "allow", "notes": "deny", "/usr/include/stdio.h": "prompt", tree.Project + "/README.md": "prompt",
	} {
		put(t, dir, "call.json", `{"tool": "Read", "args": {"file_path": "`+path+`"}, "session": {"id": "s", "agent": "claude-code",
			"audience": "personal", "interactive": true, "project_dir": "/workspace", "home": "/home/agent"}}`)
		command := exec.CommandContext(t.Context(), program, "decide", "--quiet", "--config", "policyd.yaml", "call.json")
		command.Dir, command.Env = dir, environment(t.TempDir())
		out, err := command.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
		assert.Equal(t, want+"\n", string(out), path)
	}
}

// credentials are the files that pages name in /etc/policyd.
func credentials(t *testing.T) string {
	t.Helper()
	dir, ca := t.TempDir(), authority.New(t, "authority")
	ca.Issue(t, "policyd").Write(t, dir)
	authority.Put(t, filepath.Join(dir, "ca.crt"), ca.PEM)
	for name, letter := range map[string]string{"alice": "a", "ci": "c", "prometheus": "p"} {
		authority.Put(t, filepath.Join(dir, name+".token"), []byte(newToken(letter)))
	}
	return dir
}

// variable is a variable of the environment in a settings file.
var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// TestDocumentedSettingsLoad checks that every settings file that a page shows is one that the program takes.
func TestDocumentedSettingsLoad(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	shown := 0
	for _, page := range pages {
		if filepath.Base(page) == "bundles.md" {
			continue // its settings name a service: see TestTheBundlesPageRuns
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
			if block[1] != "yaml" {
				continue
			}
			shown++
			dir := t.TempDir()
			put(t, dir, "policyd.yaml", strings.ReplaceAll(block[2], "/etc/policyd/", credentials(t)+"/"))
			command := exec.CommandContext(t.Context(), program, "doctor", "--config", "policyd.yaml")
			command.Dir, command.Env = dir, environment(t.TempDir())
			for _, name := range variable.FindAllStringSubmatch(block[2], -1) {
				command.Env = append(command.Env, name[1]+"=https://service.example")
			}
			out, err := command.CombinedOutput()
			require.NoErrorf(t, err, "%s\n%s\n%s", page, block[2], out)
		}
	}
	assert.NotZero(t, shown)
}
