//go:build unix

package extract_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
)

// TestClientsScratchDirectory holds P3: a client's own directory is read without a
// question, unless somebody else could have put something there.
func TestClientsScratchDirectory(t *testing.T) {
	p := newPlace(t)
	shared := filepath.Join(p.home, "shared")
	own := filepath.Join(shared, fmt.Sprintf("client-%d", os.Getuid()))
	require.NoError(t, os.MkdirAll(own, 0o700))
	file := filepath.Join(own, "out.txt")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	data := policyData(t)
	data["settings"] = map[string]any{"scope": map[string]any{"read_also": []any{shared + "/client-{user}"}}}
	base, err := extract.NewBase(extract.Options{Home: p.home, Platform: "linux"})
	require.NoError(t, err)
	x, err := base.With(data)
	require.NoError(t, err)
	space := func() string {
		facts := x.Extract(p.call("Read", map[string]any{"file_path": file}), nil)
		require.Len(t, facts.Paths, 1)
		return facts.Paths[0].Space
	}
	assert.Equal(t, v1.SpaceReadAlso, space())
	require.NoError(t, os.Chmod(own, 0o770))
	assert.Equal(t, v1.SpaceOutside, space(), "others may write there")
	require.NoError(t, os.Chmod(own, 0o700))
	require.NoError(t, os.Rename(own, own+"x"))
	require.NoError(t, os.Symlink(own+"x", own))
	assert.Equal(t, v1.SpaceOutside, space(), "a link is not the client's directory")
}

// scratching is a place with a client's directories below its home.
func scratching(t *testing.T, p place) *extract.Extractor {
	t.Helper()
	data := policyData(t)
	config, _ := data["config"].(map[string]any)
	config["scratch"] = map[string]any{
		"claude":  map[string]any{"workspace": []any{"~/shared/claude-{user}/{project}"}, "read": []any{}},
		"copilot": map[string]any{"workspace": []any{"~/.copilot/state/{session}/files"}, "read": []any{"~/.copilot/state/{session}"}},
		"gemini":  map[string]any{"workspace": []any{"~/.gemini/tmp/{registered}/plans"}, "read": []any{"~/.gemini/tmp/{registered}"}},
	}
	base, err := extract.NewBase(extract.Options{Home: p.home, Platform: "linux"})
	require.NoError(t, err)
	t.Cleanup(base.Close)
	x, err := base.With(data)
	require.NoError(t, err)
	return x
}

// TestScratchDirectoriesAreWorkspace holds P2: what a client made for this project or session is
// its agent's to work in, and nothing of another's is.
func TestScratchDirectoriesAreWorkspace(t *testing.T) {
	p := newPlace(t)
	x := scratching(t, p)
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.home+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.home+"/"+name, []byte(text), 0o600))
	}
	dashed := strings.Map(func(r rune) rune {
		if r == '/' || r == '_' || r == '.' {
			return '-'
		}
		return r
	}, p.project)
	claudes := fmt.Sprintf("shared/claude-%d/", os.Getuid())
	put(claudes+dashed+"/s/scratchpad/x", "x")
	put(claudes+"-other/s/scratchpad/x", "x")
	put(".copilot/state/s/files/x", "x")
	put(".copilot/state/s/events.jsonl", "x")
	put(".copilot/state/other/files/x", "x")
	put(".gemini/projects.json", `{"projects":{"`+p.project+`":"work","/elsewhere":"other","`+p.home+`":"../.."}}`)
	put(".gemini/tmp/work/plans/x", "x")
	put(".gemini/tmp/work/chats/x", "x")
	put(".gemini/tmp/other/plans/x", "x")
	for _, test := range []struct {
		agent, session, tool, path, want string
		protected                        bool
	}{
		{"claude-code", "s", "Write", claudes + dashed + "/s/scratchpad/x", v1.SpaceProject, false},
		{"claude-code", "t", "Read", claudes + dashed + "/s/scratchpad/x", v1.SpaceProject, false},
		{"claude-code", "s", "Write", claudes + dashed + "/s/scratchpad/.git/hooks/x", v1.SpaceProject, true},
		{"claude-code", "s", "Read", claudes + "-other/s/scratchpad/x", v1.SpaceOutside, false},
		{"codex", "s", "Read", claudes + dashed + "/s/scratchpad/x", v1.SpaceOutside, false},
		{"copilot-cli", "copilot-cli:s", "Write", ".copilot/state/s/files/x", v1.SpaceProject, false},
		{"copilot-cli", "s", "Write", ".copilot/state/s/files/x", v1.SpaceProject, false},
		{"copilot-cli", "s", "Write", ".copilot/state/s/events.jsonl", v1.SpaceReadAlso, true},
		{"copilot-cli", "s", "Read", ".copilot/state/s/events.jsonl", v1.SpaceReadAlso, false},
		{"copilot-cli", "s", "Read", ".copilot/state/other/files/x", v1.SpaceOutside, false},
		{"copilot-cli", "..", "Read", ".copilot/state/s/files/x", v1.SpaceOutside, false},
		{"copilot-cli", "s/../other", "Read", ".copilot/state/other/files/x", v1.SpaceOutside, false},
		{"gemini-cli", "s", "Write", ".gemini/tmp/work/plans/x", v1.SpaceProject, false},
		{"gemini-cli", "s", "Read", ".gemini/tmp/work/chats/x", v1.SpaceReadAlso, false},
		{"gemini-cli", "s", "Write", ".gemini/tmp/work/chats/x", v1.SpaceReadAlso, true},
		{"gemini-cli", "s", "Read", ".gemini/tmp/other/plans/x", v1.SpaceOutside, false},
	} {
		shell := map[string]string{"claude-code": "Bash", "codex": "shell", "copilot-cli": "bash", "gemini-cli": "run_shell_command"}[test.agent]
		line := map[string]string{"Read": "cat ", "Write": "echo x > "}[test.tool] + p.home + "/" + test.path
		call := p.call(shell, map[string]any{"command": line})
		call.Session.Agent, call.Session.ID = test.agent, test.session
		facts := x.Extract(call, nil)
		require.Len(t, facts.Paths, 1, test)
		assert.Equal(t, test.want, facts.Paths[0].Space, test)
		assert.Equal(t, test.protected, has(facts.Paths[0].Class, "protected_always"), test)
	}
}

// TestScratchDirectoriesOfOthers holds that a directory which somebody else could have made, or
// can write in, is no workspace.
func TestScratchDirectoriesOfOthers(t *testing.T) {
	p := newPlace(t)
	x := scratching(t, p)
	shared := p.home + "/shared"
	client := fmt.Sprintf("%s/claude-%d", shared, os.Getuid())
	dir := client + "/" + strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(p.project)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	space := func() string {
		facts := x.Extract(p.call("Bash", map[string]any{"command": "echo x > " + dir + "/x"}), nil)
		require.Len(t, facts.Paths, 1)
		return facts.Paths[0].Space
	}
	require.NoError(t, os.Chmod(shared, os.ModeSticky|0o777))
	require.Equal(t, v1.SpaceProject, space())
	for _, test := range []struct {
		path  string
		wrong os.FileMode
		right os.FileMode
	}{{dir, 0o720, 0o700}, {dir, 0o702, 0o700}, {client, 0o702, 0o700}, {shared, 0o777, os.ModeSticky | 0o777}} {
		require.NoError(t, os.Chmod(test.path, test.wrong))
		assert.Equal(t, v1.SpaceOutside, space(), test)
		require.NoError(t, os.Chmod(test.path, test.right))
		require.Equal(t, v1.SpaceProject, space())
	}
	if os.Geteuid() == 0 {
		for _, path := range []string{dir, client} {
			require.NoError(t, os.Lchown(path, 4711, -1))
			assert.Equal(t, v1.SpaceOutside, space(), path)
			require.NoError(t, os.Lchown(path, 0, -1))
		}
	}
	require.NoError(t, os.Rename(dir, p.home+"/elsewhere"))
	require.NoError(t, os.Symlink(p.home+"/elsewhere", dir))
	assert.Equal(t, v1.SpaceOutside, space(), "a link leads anywhere")
}
