package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keptHistory is a project whose history holds a secret in conf, which nothing but commits
// has any more. The last commit but one is the one that took it away.
func keptHistory(t *testing.T) (p place, git func(args ...string) string) {
	t.Helper()
	p = newPlace(t)
	git = p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	write := func(name string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.project, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(p.project, name), []byte("A=b "+name+"\n"), 0o600))
		git("add", "-f", name)
	}
	git("add", "README.md", "src")
	write("conf/x.txt")
	commit()
	write("conf/.env")
	commit()
	git("tag", "content", "HEAD:conf/.env")
	git("rm", "-q", "-f", "conf/.env")
	commit()
	commit()
	return p, git
}

// S3: what the shell makes of a pattern may be the name of a directory, of which git takes all
// that is below.
func TestDirectoriesThatPatternsStandFor(t *testing.T) {
	p, _ := keptHistory(t)
	assertReaches(t, p, map[string]bool{
		"git log -p -- con?": true, "git log -p -- ./c*f": true, "git log -p -- co[n]f src": true,
		"git log -p src con?": true, "git diff HEAD~3 HEAD~2 -- con?": true, "git grep A= HEAD~2 -- con?": true,
		"for d in con?; do git log -p -- $d; done": true, "cd src && git log -p -- ../con?": true,
		"git log -p -- sr?": false, "git log -p -- src/*.go": false, "git log -p -- *.md": false, "git log -p -- conf/*.txt": false,
		"git show HEAD -- con?": false, "git log --stat -- con?": false, "git log -p -- 'src/*'": false,
	})
}

// S3: contents that a tag names are printed with the tags, be they no file's any more.
func TestContentsThatTagsStillName(t *testing.T) {
	p, git := keptHistory(t)
	lines := []string{
		"git for-each-ref --format='%(raw)'", "git tag -l --format='%(*raw)'", "for t in $(git tag); do git show --stat $t; done",
		"git tag | xargs -n1 git show -s",
	}
	unknown := func(line string) bool {
		return someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "reaches_unknown")
	}
	for _, line := range lines {
		assert.True(t, unknown(line), line)
	}
	assert.False(t, unknown("git for-each-ref --format='%(refname)'"))
	git("tag", "-f", "content", "HEAD:conf/x.txt")
	git("tag", "-a", "-m", "m", "said", "HEAD")
	for _, line := range lines {
		assert.False(t, unknown(line), line)
	}
}

// S3: a file that is called like a revision doesn't make git take the word for a path: git log takes
// a range all the same, and others look for no file.
func TestFilesCalledLikeRevisions(t *testing.T) {
	p, git := keptHistory(t)
	git("branch", "old", "HEAD~3")
	git("branch", "removed", "HEAD~1")
	git("tag", "quiet", "HEAD")
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "conf/.env"), []byte("A=b\n"), 0o600))
	git("add", "-f", "conf/.env")
	git("stash", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "conf/x.txt"), []byte("y\n"), 0o600))
	git("stash", "-q")
	lines := map[string]bool{
		"git log -p old..removed": true, "git log -p old...removed": true, "git whatchanged -p main old..removed": true,
		"git range-diff old removed main": true, "git stash show -p 1": true,
		"git log -p feed": true, "git log -p config": false, "git log -p src": false, "git diff README.md": false,
	}
	for line := range lines {
		for _, word := range strings.Fields(line)[2:] {
			if _, err := os.Lstat(filepath.Join(p.project, word)); err != nil {
				require.NoError(t, os.WriteFile(filepath.Join(p.project, word), nil, 0o600))
			}
		}
	}
	assertReaches(t, p, lines)
	assertReaches(t, p, map[string]bool{"cd src && git log -p ../README.md": false, "cd src && git log -p ..": true})
}

// S3: git ls-files names all that is below a directory which a pattern stands for.
func TestTrackedBelowPatterns(t *testing.T) {
	p, git := keptHistory(t)
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "conf/.env"), []byte("A=b\n"), 0o600))
	git("add", "-f", "conf/.env")
	reaches := func(line string) bool {
		return someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "reaches_secret")
	}
	for _, line := range []string{"git ls-files con? | xargs cat", "git ls-files -- con? | xargs cat", "git grep --cached A= -- con?"} {
		assert.True(t, reaches(line), line)
	}
	for _, line := range []string{"git ls-files sr? | xargs cat", "git ls-files src/*.go | xargs cat"} {
		assert.False(t, reaches(line), line)
	}
}
