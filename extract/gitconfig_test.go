package extract_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S2: a token that a repository's settings hold is a secret, whatever prints it.
func TestSettingsOfGitThatHoldSecrets(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		output, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	git("remote", "add", "origin", "https://example.org/a.git")
	lines := map[string]bool{
		"git config --list": true, "git config -l --show-origin": true, "git config --get-regexp remote": true, "git remote -v": true,
		"git remote get-url origin": true, "git config remote.origin.url": true, "git config --get REMOTE.origin.URL": true,
		"git config get --all --regexp remote": true, "git config get --regexp a.b": true, "git config get --url=https://x a": true,
		"git config get user.name": false,
		"git config user.name":     false, "git config --list --name-only": false, "git remote": false, "git status": false,
	}
	check := func(secret bool) {
		for line, prints := range lines {
			facts := p.facts("Bash", map[string]any{"command": line})
			assert.Equalf(t, secret && prints, facts.Items[0].Caveats.Has("reaches_secret"), "%q", line)
		}
		facts := p.facts("Bash", map[string]any{"command": "git config github.token"})
		assert.True(t, facts.Items[0].Caveats.Has("reaches_secret"))
	}
	check(false)
	git("remote", "set-url", "origin", "https://token@example.org/a.git")
	check(true)
	git("remote", "set-url", "origin", "git@example.org:a.git")
	check(false)
	require.NoError(t, os.WriteFile(p.home+"/.gitconfig", []byte("[include]\n\tpath = more\n"), 0o600))
	facts := p.facts("Bash", map[string]any{"command": "git config --list"})
	assert.True(t, facts.Items[0].Caveats.Has("reaches_secret"), "what is taken in may hold one")
}

// S1, S2: git prints lines of a file that its settings name where they are not
// what it expects, so what a repository names is held to the same lists.
func TestSettingsOfGitThatNameFiles(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		output, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	caveat := func() string {
		for _, name := range []string{"reaches_secret", "reaches_outside", "reaches_unknown", "git_untrusted"} {
			if p.facts("Bash", map[string]any{"command": "git blame README.md"}).Items[0].Caveats.Has(name) {
				return name
			}
		}
		return ""
	}
	require.NoError(t, os.Symlink(".env", p.project+"/link"))
	for value, want := range map[string]string{
		".env": "reaches_secret", "link": "reaches_secret", "~/.netrc": "reaches_secret", p.home + "/.ssh/known": "reaches_secret",
		"docs/../.env": "reaches_secret", "../elsewhere": "reaches_outside", "/etc/passwd": "reaches_outside",
		".git-blame-ignore-revs": "", "docs/revs": "", "~someone/x": "git_untrusted", "%(prefix)/etc/x": "git_untrusted",
	} {
		for _, key := range []string{"blame.ignoreRevsFile", "core.attributesFile", "core.excludesFile", "mailmap.file", "diff.orderFile", "gpg.ssh.allowedSignersFile"} {
			git("config", key, value)
			assert.Equalf(t, want, caveat(), "%s = %s", key, value)
			git("config", "--unset", key)
		}
	}
	// The person's own name is trusted, what lies there in the project is not.
	require.NoError(t, os.WriteFile(p.home+"/.gitconfig", []byte("[blame]\n\tignoreRevsFile = link\n[core]\n\texcludesFile = ~/.gitignore\n"), 0o600))
	assert.Equal(t, "reaches_secret", caveat())
	require.NoError(t, os.Remove(p.project+"/link"))
	assert.Empty(t, caveat())
}

// P3: objects of another repository, which a repository can take for its own,
// are named by their hashes.
func TestObjectsOfOtherRepositories(t *testing.T) {
	p := newPlace(t)
	git := func(dir string, args ...string) string {
		args = append([]string{"-C", dir, "-c", "user.name=d", "-c", "user.email=d@example.org"}, args...)
		output, err := exec.Command("git", args...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
		return strings.TrimSpace(string(output))
	}
	git(p.project, "init", "-q")
	other, inside := t.TempDir(), p.project+"/vendored"
	require.NoError(t, os.Mkdir(inside, 0o755))
	for _, dir := range []string{other, inside} {
		git(dir, "init", "-q")
		git(dir, "commit", "-q", "--allow-empty", "-m", "private")
	}
	commit := git(other, "rev-parse", "HEAD")
	outside := func(line string) bool {
		item := p.facts("Bash", map[string]any{"command": line}).Items[0]
		assert.False(t, item.Caveats.Has("git_untrusted"), line)
		return item.Caveats.Has("reaches_outside")
	}
	lines := map[string]bool{
		"git show " + commit: true, "git log -p " + commit[:7]: true, "git cat-file -p " + commit[:4]: true,
		"git show " + commit + ":a.go": true, "git show " + commit[:7] + "~0:a.go": true, "git cat-file blob " + commit + ":a.go": true,
		"git diff HEAD:a.go " + commit + "^{tree}:a.go": true, "git config --blob " + commit + ":a.go --list": true, "git show main:a.go": false,
		"git log --alternate-refs": true, "git show main": false, "git status": false, "git log --oneline": false,
	}
	check := func(foreign bool) {
		for line, names := range lines {
			assert.Equalf(t, foreign && names, outside(line), "%q", line)
		}
	}
	check(false)
	alternates := p.project + "/.git/objects/info/alternates"
	for text, foreign := range map[string]bool{
		other + "/.git/objects\n": true, "# none\n\n": false, "../../vendored/.git/objects\n": false,
		"\"" + other + "/.git/objects\"\n": true, "../../nowhere\n": true,
	} {
		require.NoError(t, os.WriteFile(alternates, []byte(text), 0o600))
		check(foreign)
	}
	// An alternate's own alternates count.
	require.NoError(t, os.WriteFile(alternates, []byte("../../vendored/.git/objects\n"), 0o600))
	require.NoError(t, os.WriteFile(inside+"/.git/objects/info/alternates", []byte(other+"/.git/objects\n"), 0o600))
	check(true)
	// So does a directory of objects that lies elsewhere.
	require.NoError(t, os.RemoveAll(p.project+"/.git/objects"))
	require.NoError(t, os.Symlink(other+"/.git/objects", p.project+"/.git/objects"))
	check(true)
}

// S2: what git remote is asked about is asked about in the file that holds it.
func TestSettingsThatHoldSecrets(t *testing.T) {
	p := newPlace(t)
	output, err := exec.Command("git", "-C", p.project, "init", "-q").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	reads := map[string]map[string]any{}
	for _, line := range []string{
		"cat .git/config", "cd .git && head config", "grep -r url .git", "rg -uu url .git", "rg --hidden -g '!.env*' url", "cat .git/conf*",
		"find .git -name config -exec cat {} +", "ls .git/c* | xargs cat", "awk 1 <.git/config",
	} {
		reads[line] = map[string]any{"command": line}
	}
	asked := func(tool string, args map[string]any) bool {
		return someItemHas(p.facts(tool, args).Items, "reaches_secret")
	}
	for address, want := range map[string]bool{"https://dev:t0ken@example.org/x.git": true, "https://example.org/x.git": false} {
		text := "[remote \"origin\"]\n\turl = " + address + "\n"
		require.NoError(t, os.WriteFile(p.project+"/.git/config", []byte(text), 0o600))
		for line, args := range reads {
			assert.Equalf(t, want, asked("Bash", args), "%q with %s", line, address)
		}
		assert.Equal(t, want, asked("Read", map[string]any{"file_path": ".git/config"}), address)
		assert.False(t, asked("Bash", map[string]any{"command": "ls -l .git/config; cat .git/HEAD"}), address)
	}
}
