package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestGitTrust checks the whole way for repositories that make git run a program of their own choice: the
// marker proves that the real git runs it, and policyd must not allow the line. What a person configures for
// themselves, and what git-lfs installs, changes nothing.
func TestGitTrust(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "marker")
	script := filepath.Join(t.TempDir(), "evil.sh")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\ntouch "+marker+"\ncat \"$2\" 2>/dev/null\n"), 0o700))
	cases := []struct {
		name, line string
		config     [][]string
		files      map[string]string
		attack     bool
	}{
		{"fsmonitor", "git status", [][]string{{"core.fsmonitor", script}}, nil, true},
		{"external diff", "git diff", [][]string{{"diff.external", script}}, map[string]string{"README.md": "changed\n"}, true},
		{"textconv", "git diff", [][]string{{"diff.x.textconv", script}}, map[string]string{".gitattributes": "*.md diff=x\n", "README.md": "changed\n"}, true},
		{"clean filter", "git diff", [][]string{{"filter.x.clean", script}}, map[string]string{".gitattributes": "*.md filter=x\n", "README.md": "changed\n"}, true},
		{"aliases and remotes", "git status", [][]string{{"alias.st", "status"}, {"remote.other.url", "git@h:x"}, {"user.name", "x"}}, nil, false},
		{"git-lfs", "git log --oneline -3", [][]string{
			{"filter.lfs.clean", "git-lfs clean -- %f"},
			{"filter.lfs.smudge", "git-lfs smudge -- %f"},
			{"filter.lfs.process", "git-lfs filter-process"},
			{"filter.lfs.required", "true"},
		}, map[string]string{".git/hooks/post-checkout": "#!/bin/sh\ngit lfs post-checkout\n"}, false},
		{"the person's own settings", "git status", nil, map[string]string{
			"../.gitconfig": "[core]\n\teditor = vim\n\tpager = delta\n[credential]\n\thelper = store\n",
		}, false},
	}
	s := startServer(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, os.RemoveAll(marker))
			tree := newTree(t)
			for path, text := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(tree.Project, path), []byte(text), 0o700))
			}
			git := func(args ...string) {
				command := exec.Command("git", args...)
				command.Dir = tree.Project
				command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tree.Home, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat"}
				output, err := command.CombinedOutput()
				t.Logf("git %v: %v\n%s", args, err, output)
			}
			for _, setting := range c.config {
				git("config", setting[0], setting[1])
			}
			args, err := json.Marshal(map[string]string{"command": c.line})
			require.NoError(t, err)
			decision := s.decide(t, v1.Call{Tool: "Bash", Args: args, Cwd: tree.Project, Session: session(tree, "claude-code")})
			if !c.attack {
				assert.Equal(t, v1.EffectAllow, decision.Effect, decision.Reasons)
				return
			}
			assert.NotEqual(t, v1.EffectAllow, decision.Effect)
			assert.NoFileExists(t, marker, "deciding runs nothing")
			git(c.line[len("git "):])
			assert.FileExists(t, marker, "the attack is real: git ran the program")
		})
	}
}
