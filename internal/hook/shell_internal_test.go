package hook

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V8: a line is read as the shell reads it that the client starts, which is not
// always the one that SHELL names.
func TestShellsThatClientsStart(t *testing.T) {
	for _, c := range []struct {
		client, platform, shell, own string
		installed                    []string
		want                         string
	}{
		{"claude", "linux", "/bin/bash", "", []string{"/bin/zsh"}, "bash"},
		{"claude", "linux", "/usr/bin/zsh", "", nil, "zsh"},
		{"claude", "linux", "/usr/bin/fish", "", []string{"/usr/bin/zsh", "/bin/bash"}, "zsh"},
		{"claude", "linux", "/usr/bin/fish", "", []string{"/bin/bash"}, "bash"},
		{"claude", "darwin", "", "", []string{"/bin/zsh"}, "zsh"},
		{"claude", "linux", "/bin/dash", "", []string{"/somewhere/bin/zsh"}, "zsh"},
		{"claude", "linux", "/bin/bash", "/bin/zsh", nil, "zsh"},
		{"claude", "linux", "/bin/zsh", "/opt/bash-5.3", nil, "bash"},
		{"claude", "linux", "/home/bash/bin/fish", "", []string{"/bin/zsh"}, "fish"},
		{"codex", "linux", "/bin/zsh", "", nil, "zsh"},
		{"codex", "linux", "/bin/sh", "", nil, "sh"},
		{"codex", "linux", "/usr/bin/fish", "", []string{"/bin/bash", "/bin/zsh"}, "bash"},
		{"codex", "darwin", "/usr/bin/fish", "", []string{"/bin/bash", "/bin/zsh"}, "zsh"},
		{"codex", "linux", "/bin/dash", "", nil, "sh"},
		{"opencode", "darwin", "/bin/fish", "", []string{"/bin/zsh"}, "zsh"},
		{"opencode", "linux", "/bin/dash", "", nil, "dash"},
		{"gemini", "linux", "/bin/zsh", "", nil, "bash"},
		{"copilot", "darwin", "/bin/zsh", "", nil, "bash"},
		{"cursor", "linux", "/bin/zsh", "", nil, "zsh"},
		{"cursor", "linux", "/usr/bin/fish", "", []string{"/bin/bash"}, "fish"},
		{"cursor", "linux", "", "", nil, ""},
		{"claude", "windows", "/usr/bin/bash", "", nil, "bash"},
		{"gemini", "windows", "", "", nil, ""},
	} {
		o := options{client: c.client}
		env := map[string]string{"SHELL": c.shell, "CLAUDE_CODE_SHELL": c.own, "PATH": "/somewhere/bin"}
		got := o.shell(func(name string) (string, bool) { return env[name], env[name] != "" }, c.platform,
			func(path string) bool { return slices.Contains(c.installed, path) })
		assert.Equal(t, c.want, got, "%+v", c)
	}
}

// The sidecar gets the name, and a directory isn't a shell.
func TestTheQueryNamesTheShell(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "zsh"), 0o700))
	assert.False(t, isThere(filepath.Join(dir, "zsh")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bash"), nil, 0o700))
	assert.True(t, isThere(filepath.Join(dir, "bash")))
	o := options{client: "gemini", interactive: true}
	env := func(name string) (string, bool) { return "/bin/zsh", name == "SHELL" }
	assert.Equal(t, "bash", o.query(env, "linux").Get("shell"))
	o.client = "cursor"
	assert.Equal(t, "zsh", o.query(env, "linux").Get("shell"))
}
