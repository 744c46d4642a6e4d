package extract_test

import (
	"os"
	"path/filepath"
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

// A tree is walked once in a call, and anew in the next.
func TestTreesAreWalkedOnceInACall(t *testing.T) {
	p := newPlace(t)
	tree := filepath.Join(p.project, "tree")
	require.NoError(t, os.Mkdir(tree, 0o755))
	call := p.call("Bash", map[string]any{"command": "ls"})
	first, second := p.extractor.WalkTwice(call, tree, func() {
		require.NoError(t, os.WriteFile(filepath.Join(tree, ".env"), nil, 0o600))
	})
	assert.Empty(t, first)
	assert.Empty(t, second)
	first, _ = p.extractor.WalkTwice(call, tree, func() {})
	assert.Equal(t, "reaches_secret", first)
}

// S3: to ripgrep a hidden file of a type that is asked for isn't hidden.
func TestHiddenFilesOfATypeAreRead(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a.json", "src/.env")
	for line, want := range map[string][2]bool{
		"rg x src": {}, "rg -t json x src": {false, true}, "rg --type=json x src": {false, true}, "rg -t=json x src": {false, true},
		"rg -tgo x src": {}, "rg -t go -t json x src": {false, true}, "rg -T json x src": {}, "rg -tall x src": {true, true},
		"rg -t nosuch x src": {true, true}, "rg --files -t json src | xargs cat": {false, true}, "rg --files -t go src | xargs cat": {},
	} {
		for planted, name := range []string{"src/a.json", "src/.env.json"} {
			_ = os.Remove(p.project + "/src/.env.json")
			p.files(t, name)
			if want[planted] {
				assert.Containsf(t, p.lastOf(line), "reaches_secret", "%q with %s", line, name)
			} else {
				assert.Emptyf(t, p.lastOf(line), "%q with %s", line, name)
			}
		}
	}
}

// S3: ripgrep reads no further in a file of rules than its first line that isn't text, and
// a ".git" that leads nowhere makes no repository.
func TestIgnoreRulesThatDoNotHold(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a", "src/.env")
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	require.NoError(t, os.MkdirAll(p.project+"/.git", 0o700))
	rules := func(text string) { require.NoError(t, os.WriteFile(p.project+"/.gitignore", []byte(text), 0o600)) }
	rules(".env\n")
	assert.Empty(t, p.lastOf("rg --hidden x src"))
	rules("\xff\n.env\n")
	assert.Contains(t, p.lastOf("rg --hidden x src"), "reaches_secret")
	rules(".env\n")
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	require.NoError(t, os.Symlink("nowhere", p.project+"/.git"))
	assert.Contains(t, p.lastOf("rg --hidden x src"), "reaches_secret")
}
