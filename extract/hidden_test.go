package extract_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: an ignore rule that takes a hidden directory back in makes ripgrep read
// what lies in it, and a rule of nothing everything.
func TestHiddenDirectoriesTakenBack(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/tools/.held/in", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/tools/.held/in/server.pem", []byte("x"), 0o600))
	asked := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		return facts.Items[len(facts.Items)-1].Caveats.Has("reaches_secret")
	}
	for rule, want := range map[string]bool{
		"": false, "!.held": true, "!.held/": true, "!.hel?": true, "!.HELD": true, "!tools/.held": true,
		"!": true, "!\t": true, "!.github": false, "!.env.example": false, "!.gitkeep": false, ".held": false,
	} {
		require.NoError(t, os.WriteFile(p.project+"/.ignore", []byte(rule+"\n"), 0o600))
		for _, line := range []string{"rg x tools", "cd tools && rg x"} {
			assert.Equalf(t, want, asked(line), "%q with %q", line, rule)
		}
	}
	require.NoError(t, os.Remove(p.project+"/.ignore"))
	require.NoError(t, os.WriteFile(p.project+"/tools/.rgignore", []byte("!.held"), 0o600))
	assert.True(t, asked("rg x tools"))
}

// S3: a rule that takes hidden files back in makes ripgrep read them, whatever it is written in:
// of a linked work tree the rules beside its files are those of the main one.
func TestHiddenFilesTakenBack(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a", "src/.env.production")
	asked := func() bool { return slices.Contains(p.lastOf("rg x src"), "reaches_secret") }
	for rule, want := range map[string]bool{
		"!.env.prod*": true, "!.env.[p]*": true, "!.ENV.P*": true, "!.en?.*tion": true, "!.env.example": false, "!.gitk*": false, "\ufeff\ufeff!.env.*": true,
	} {
		require.NoError(t, os.WriteFile(p.project+"/.gitignore", []byte(rule+"\n"), 0o600))
		assert.Equalf(t, want, asked(), "%q", rule)
	}
	require.NoError(t, os.Remove(p.project+"/.gitignore"))
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	p.git(t, "init", "-q", p.project+"/main")
	p.git(t, "-C", p.project+"/main", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	p.git(t, "-C", p.project+"/main", "worktree", "add", "-q", p.project+"/src/tree")
	p.files(t, "src/tree/a", "src/tree/.env")
	require.NoError(t, os.Remove(p.project+"/src/.env.production"))
	assert.False(t, asked())
	require.NoError(t, os.WriteFile(p.project+"/main/.git/info/exclude", []byte("!.env\n"), 0o600))
	assert.True(t, asked())
}

// S3: fd leaves hidden entries out, unless it is told not to or ignore rules take them back in.
func TestHiddenEntriesOfFd(t *testing.T) {
	p := newPlace(t)
	p.files(t, "tools/.env", "tools/x.go", "tools/.held/server.pem")
	asked := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		return len(facts.Items[len(facts.Items)-1].Caveats) > 0
	}
	for line, want := range map[string]bool{
		"fd -t f . tools -x cat": false, "fdfind . tools | xargs cat": false, "fd -I . tools -x cat": false, "fd -E x . tools -x cat": false,
		"fd -H . tools -x cat": true, "fd -u . tools | xargs cat": true, "fd -HI . tools -x cat": true, "fd --hidden . tools -x cat": true, "fd --ignore-file r . tools -x cat": true,
		"fd . tools/.held -x cat": true,
	} {
		assert.Equalf(t, want, asked(line), "%q", line)
	}
	for _, name := range []string{"tools/.fdignore", ".fdignore", ".ignore", "tools/.gitignore", "../.config/fd/ignore"} {
		p.files(t, name)
		for rule, want := range map[string]bool{"!.env": true, "!.held/": true, "x": false} {
			require.NoError(t, os.WriteFile(p.project+"/"+name, []byte(rule+"\n"), 0o600))
			assert.Equalf(t, want, asked("fd -t f . tools -x cat"), "%q with %q", name, rule)
		}
		require.NoError(t, os.Remove(p.project+"/"+name))
	}
}
