package extract_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: what git prints of commits is asked about by what these hold, as the line names them: a
// secret that the index names no more is still in the history.
func TestSecretsInCommits(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	git("add", "README.md", "src")
	commit()
	git("add", "-f", ".env")
	commit()
	leak := git("rev-parse", "--short", "HEAD")
	git("rm", "-q", "--cached", ".env")
	assertReaches(t, p, map[string]bool{"git diff --cached": true, "git diff --staged -- src": false, "git diff": false, "git diff HEAD": true})
	commit()
	require.NoError(t, os.WriteFile(filepath.Join(p.project, ".gitignore"), []byte(".env\n"), 0o600))
	git("add", ".gitignore")
	commit()
	commit()
	assertReaches(t, p, map[string]bool{
		"git diff --cached": false, "git diff HEAD": false, "git diff HEAD~1 HEAD": false, "git diff HEAD~2": false, "git diff HEAD~3": true,
		"git diff HEAD~4..": false, "git diff main...HEAD": false, "git diff HEAD~3 -- src": false, "git diff HEAD~2^!": true, "git diff HEAD~1^!": true, "git diff --merge-base HEAD~3": true,
		"git show": false, "git show HEAD~1": false, "git show HEAD~2": true, "git show " + leak: true, "git show --stat " + leak: false,
		"git show HEAD~2 -- src": false, "git show -2": false, "git show -n 3": true, "git show HEAD --do-walk": true, "git show HEAD --not HEAD~3": true, "git show main~1 --oneline": false, "git show nowhere": true,
		"git cat-file -p HEAD~2": false, "git cat-file -p HEAD:README.md": false,
		"git log -p": true, "git log -p -2": false, "git log -2 -p --stat": false, "git log -p -3": true, "git log -p -n 2": false,
		"git log -p --max-count=2 --author=a": true, "git log -p -2 --reverse --text -M": false, "git log -p -2 --diff-filter=M": true, "git whatchanged -p -2": true, "git log": false, "git log --stat": false,
		"git log -p -- src/main.go": false, "git log -p src": false, "git log -p --ignore-missing src": true, "git log -p --ignore-missing -- src": false, "git log -p -2 .env.example": true, "git log -p HEAD~2..": false,
		"git log -p HEAD~3..": true, "git log -p HEAD ^HEAD~2": false, "git log -p --all": true, "git log -p -- ':!.env'": false,
		"git log -p --boundary HEAD~1..": true, "git log --oneline -S A=b": false, "git log -S A=b -p": true,
		"git grep A= HEAD": false, "git grep A= HEAD~3": true, "git grep A= HEAD~3 -- src": false, "git grep -l A= HEAD~3": false,
		"git diff HEAD~3: HEAD:": true, "git diff HEAD~3:src HEAD:src": false, "git diff HEAD~3:README.md HEAD:README.md": false,
		"git grep A= HEAD~3:": true, "git grep A= HEAD~3:src": false, "git grep A= HEAD:": false, "git show HEAD~3:": false,
		"git show HEAD~3:README.md..HEAD~1": true, "git diff HEAD~3:./": true,
		"git diff-tree -p HEAD": false, "git diff-tree -p HEAD~2": true, "git reflog": false, "git reflog -p": true,
		"git show $(git rev-parse HEAD)": true, "git rev-list --all | xargs git grep A=": true,
		"for c in $(git log --format=%h -2); do git show $c; done":              true,
		"for c in $(git log --format=%h -2); do git show --stat $c; done":       false,
		"for c in $(git log --format=%h -2); do git show $c -- README.md; done": false,
	})
}

// S3: of contents that a line names by their hash and the index doesn't hold it is not known whose they
// are: a file that was added and never committed lies in no tree.
func TestContentsThatNoFileHas(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	git("add", "README.md", "src")
	git("commit", "-q", "-m", "first")
	git("add", "-f", ".env")
	git("reset", "-q")
	secret, text := git("hash-object", ".env"), git("rev-parse", "HEAD:README.md")
	for line, want := range map[string]bool{
		"git cat-file -p " + secret: true, "git show " + secret[:8]: true, "git show -s " + secret: true, "git show --stat " + secret: true,
		"git diff " + secret + " HEAD:README.md": true, "git diff " + text + " " + secret: true, "git show HEAD " + secret: true,
		"git cat-file -p " + text: false, "git show " + text[:8]: false, "git show -s " + text: false, "git show HEAD " + text: false,
		"git diff " + text + " HEAD:README.md": false,
	} {
		assert.Equalf(t, want, slices.Contains(p.caveatsOf(t, line), "reaches_unknown"), "%q", line)
	}
	git("tag", "secret", secret)
	assert.Contains(t, p.caveatsOf(t, "git show --stat secret"), "reaches_unknown")
}

// repository makes the project a repository, and returns what runs git there.
func (p place) repository(t *testing.T) func(args ...string) string {
	t.Helper()
	git := func(args ...string) string {
		t.Helper()
		return p.git(t, args...)
	}
	git("init", "-q", "-b", "main")
	return git
}

// assertReaches wants a line to reach a secret in commits, and nothing but that, or nothing at all.
func assertReaches(t *testing.T, p place, lines map[string]bool) {
	t.Helper()
	for line, want := range lines {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.Equalf(t, want, someItemHas(facts.Items, "secret_in_commits"), "%q", line)
		assert.Equalf(t, want, someItemHas(facts.Items, "reaches_secret"), "%q", line)
		assert.Falsef(t, someItemHas(facts.Items, "reaches_unknown", "reaches_outside"), "%q", line)
		assert.NotEmptyf(t, facts.Items, "%q", line)
	}
}

// Of words that no ref leads to, what they name counts, and whatever git walks from there.
func TestSecretsInCommitsThatNoRefNames(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	git("add", "README.md", "src")
	commit()
	git("checkout", "-q", "--detach")
	git("add", "-f", ".env")
	commit()
	leak := git("rev-parse", "--short=8", "HEAD")
	git("rm", "-q", "--cached", ".env")
	commit()
	commit()
	commit()
	far := git("rev-parse", "--short=8", "HEAD")
	git("checkout", "-q", "main")
	require.NoError(t, os.RemoveAll(filepath.Join(p.project, ".git", "logs")))
	assertReaches(t, p, map[string]bool{
		"git show " + far: false, "git show " + far + "^{commit}~3": true, "git show " + far + "~2^@": true, "git show " + leak + "^-": true,
		"git show x-g" + leak: true, "git show v1-3-g" + leak: true, "git show " + leak + "^{/m}": true, "git show HEAD^{/m}": false,
		"git log -p HEAD..x-g" + far: true, "git show --do-walk " + far: true, "git show -9 " + far: true, "git diff x-g" + leak: true,
		"git grep A= " + leak + "^{tree}": true, "git diff-tree -p x-g" + leak: true, "git show ':/deadbeef'": false, "git show HEAD@{0}": false,
	})
}

// Options and words that leave commits out make git show walk, and turn what others name.
func TestSecretsThatShowWalksTo(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	git("add", "README.md", "src")
	commit()
	git("add", "-f", ".env")
	commit()
	text := git("rev-parse", "HEAD:README.md")
	git("rm", "-q", "--cached", ".env")
	commit()
	for range 4 {
		commit()
	}
	git("add", "-f", ".env")
	git("stash", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "README.md"), []byte("other\n"), 0o600))
	git("stash", "-q")
	git("tag", "1")
	assertReaches(t, p, map[string]bool{
		"git show HEAD": false, "git show HEAD ^HEAD~6": true, "git show HEAD ^HEAD~2": false, "git show HEAD --not HEAD~6": true,
		"git show HEAD HEAD~2..HEAD~1": false, "git show -1": false, "git show -2 HEAD": false, "git show -9": true, "git show -n 9": true,
		"git show --max-count=9 HEAD": true, "git log -p --not ^HEAD HEAD~6": true, "git log -p --not HEAD..HEAD~6": true,
		"git show -s " + text: false, "git show " + text: false, "git show -s HEAD~5": false, "git show -s HEAD@{1}": false,
		"git diff " + text + " HEAD~5": true,
		"git stash show -p":            false, "git stash show -p 1": true, "git stash show 1 -p": true, "git show 1": false,
	})
}
