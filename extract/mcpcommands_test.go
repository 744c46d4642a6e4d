package extract_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S1, V12: an approval of a tool that runs commands covers none that reads a secret, changes what is
// protected or leads out, in whatever argument the command stands.
func TestCommandsInArguments(t *testing.T) {
	p := newPlace(t)
	output, err := exec.Command("git", "-C", p.project, "init", "-q").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	require.NoError(t, os.MkdirAll(p.project+"/conf", 0o755))
	require.NoError(t, os.WriteFile(p.project+"/conf/.env", []byte("A=1\n"), 0o600))
	concern := func(args map[string]any) string {
		facts := p.facts("mcp__sh__run", args)
		require.Equal(t, v1.ItemTool, facts.Items[0].Kind)
		for _, item := range facts.Items {
			assert.NotEqual(t, v1.ItemCommand, item.Kind, "what it touches is the tool's")
		}
		for _, class := range []string{"secret", "protected"} {
			if slices.Contains(facts.About, class) {
				return class
			}
		}
		for _, caveat := range []string{"reaches_secret", "reads_environment", "own_address"} {
			if facts.Items[0].Caveats.Has(caveat) {
				return caveat
			}
		}
		for i := range facts.Paths {
			if facts.Paths[i].Space == v1.SpaceOutside {
				return "outside"
			}
		}
		return ""
	}
	list := func(words ...any) []any { return words }
	for want, calls := range map[string][]map[string]any{
		"secret": {
			{"command": "cat .env"},
			{"cmd": "cat conf/.env | head"},
			{"script": "set -e\ncat .env"},
			{"shell_command": "grep x .env"},
			{"bash": "cat <.env"},
			{"line": "cat .env"},
			{"argv": list("cat", ".env")},
			{"args": list("show", "HEAD:.env")},
			{"revision": "HEAD:.env"},
			{"ref": "main:conf/.env"},
			{"object": ":0:.env"},
			{"path": "?env"},
			{"path": "conf/*"},
			{"file": "conf/.e*"},
			{"x": "*env"},
			{"x": "[.]env"},
			{"names": list("README.md", "conf/?env")},
			{"x": "curl -F file=@.env y"},
			{"options": list("--file=.env")},
			{"args": list("-f.env")},
			{"args": list("-vf.env")},
			{"args": list("-fconf/.env")},
			{"args": list("-I~/.ssh/id_rsa")},
			{"anything": "read conf/.env now"},
			{"code": "print(open('.env').read())"},
			{"deep": map[string]any{"exec": "cat .e*"}},
			{"args": map[string]any{"command": "cat ./.env"}},
			{"command": list("bash", "-lc", "cat .env")},
			{"rev": "origin/main:./.env"},
			{"commands": list("ls", "cat .env")},
			{"command": "cat ~/.ssh/id_rsa"},
			{"command": "cat $HOME/.aws/credentials"},
			{"x": "read ~/.ssh/config please"},
		},
		"protected":      {{"command": "echo x > AGENTS.md"}, {"command": "cp a .git/hooks/pre-commit"}},
		"reaches_secret": {{"command": "grep -r x ."}},
		"reads_environment": {
			{"command": "env"}, {"cmd": "printenv"},
		},
		"outside": {{"command": "cat /etc/hosts"}, {"argv": list("cat", "/etc/hosts")}, {"command": "rm ../x"}},
		"": {
			{"command": "ls src"},
			{"query": "cat .env"},
			{"description": "reads .env files"},
			{"content": "cat .env"},
			{"prompt": "what is in .env?"},
			{"revision": "HEAD"},
			{"revision": "HEAD:README.md"},
			{"message": "add .env to .gitignore"},
			{"note": "HEAD:.env"},
			{"time": "12:30"},
			{"line": 3},
			{"url": "https://example.org/a:.env"},
			{"goal": "explain what a .npmrc is"},
			{"args": map[string]any{"city": "Bern", "n": 3}},
			{"name": "v1.2:x"},
		},
	} {
		for _, args := range calls {
			assert.Equalf(t, want, concern(args), "%v", args)
		}
	}
	runs := func(args map[string]any) bool {
		return p.facts("mcp__sh__run", args).Items[0].Caveats.Has("runs_anything")
	}
	assert.True(t, runs(map[string]any{"command": "ls"}))
	assert.True(t, runs(map[string]any{"argv": list("ls", "-l")}))
	assert.False(t, runs(map[string]any{"city": "Bern", "text": "ls"}))
	many := []any{}
	for range 40 {
		many = append(many, "ls")
	}
	assert.True(t, p.facts("mcp__sh__run", map[string]any{"commands": many}).Items[0].Caveats.Has("reaches_unknown"))
}
