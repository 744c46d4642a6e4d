package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S2: git reads other objects in the place of those that refs replace, so that no path says what it prints.
func TestReplacedObjects(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/README.md", []byte("one\n"), 0o600))
	git := p.repository(t)
	secret := git("hash-object", "-w", ".env")
	git("add", "README.md", "docs", "src")
	git("commit", "-q", "-m", "first")
	require.NoError(t, os.WriteFile(p.project+"/README.md", []byte("two\n"), 0o600))
	git("commit", "-q", "-a", "-m", "second")
	lines := map[string]bool{
		"git show HEAD:README.md": true, "git show :README.md": true, "git show HEAD:docs/a.md": true, "git show HEAD~1:README.md | head": true,
		"git cat-file -p HEAD:README.md": true, "git cat-file -p :README.md": true, "git cat-file blob $(git rev-parse HEAD):README.md": true,
		"git diff": true, "git diff README.md": true, "git diff HEAD -- README.md": true, "git diff HEAD~1:README.md README.md": true,
		"git log -p -- README.md": true, "git log -p README.md": true, "git show HEAD -- README.md": true, "git show": true,
		"git grep -n o HEAD -- README.md": true, "git grep --cached o": true, "git blame README.md": true, "git archive HEAD README.md": true,
		"git config --blob HEAD:README.md --list": true, "git diff --cached": true, "git stash show -p": true,
		"git log --oneline": false, "git status --short": false, "git branch": false, "git ls-tree -r HEAD": false, "git ls-files": false,
		"git rev-parse HEAD": false, "git log --stat": false, "git diff --stat": false, "git config user.name": false,
	}
	for _, replaced := range []bool{false, true} {
		if replaced {
			git("replace", git("rev-parse", "HEAD:README.md"), secret)
			git("replace", git("rev-parse", "HEAD:docs/a.md"), secret)
		}
		for line, prints := range lines {
			items := p.facts("Bash", map[string]any{"command": line}).Items
			assert.Equalf(t, replaced && prints, someItemHas(items, "reaches_unknown", "reaches_secret"), "%q, replaced: %t", line, replaced)
		}
	}
}

// S2: where the shell puts names of refs in front of a path, each of them may be that of a directory's tree.
func TestPathsInWhatAnyRefNames(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	require.NoError(t, os.MkdirAll(p.project+"/.kube", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/.kube/config", []byte("secret\n"), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/config", []byte("public\n"), 0o600))
	git("add", "-f", "config", ".kube", "README.md")
	git("commit", "-q", "-m", "first")
	tree := git("rev-parse", "HEAD:.kube")
	git("rm", "-q", "-r", "--cached", ".kube")
	git("commit", "-q", "-m", "second")
	git("tag", "v1")
	lines := []string{
		"for t in $(git tag); do git show $t:config; done", "t=$(git tag | head -1); git show \"$t:config\"", "git tag | while read -r t; do git show \"$t:config\"; done",
		"for t in $(git for-each-ref --format='%(refname)'); do git cat-file -p \"$t:config\"; done", "for t in $(git tag); do git config --blob $t:config -l; done",
	}
	for _, tagged := range []bool{false, true} {
		if tagged {
			git("tag", "kubetree", tree)
		}
		for _, line := range lines {
			items := p.facts("Bash", map[string]any{"command": line}).Items
			assert.Equalf(t, tagged, someItemHas(items, "reaches_unknown", "reaches_secret"), "%q, tagged: %t", line, tagged)
		}
	}
}
