package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keptHistory is a project whose history holds a secret in conf, which nothing but commits
// has any more. The last commit but one is the one that took it away.
func keptHistory(t *testing.T) (p place, git func(args ...string)) {
	t.Helper()
	p = newPlace(t)
	git = func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		cmd.Dir = p.project
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	write := func(name string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.project, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(p.project, name), []byte("A=b "+name+"\n"), 0o600))
		git("add", "-f", name)
	}
	git("init", "-q", "-b", "main")
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
