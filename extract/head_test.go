package extract_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: names that git prints of HEAD and the work tree are those of the index
// while it holds what HEAD holds; a name that only HEAD has may be cut into others.
func TestNamesOfHead(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/.env"))
	require.NoError(t, os.MkdirAll(p.project+"/x /etc", 0o700))
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = p.project
		cmd.Env = append(os.Environ(), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	caveats := func(line string) []string {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		return items[len(items)-1].Caveats
	}
	git("init", "-q", "-b", "main")
	git("add", "README.md", "src", "docs")
	git("commit", "-q", "-m", "one")
	const line = "git diff --name-only HEAD | xargs grep -n x"
	assert.Empty(t, caveats(line))
	const staged = "git diff --name-only --cached --diff-filter=ACM | xargs -r grep -n x"
	assert.Empty(t, caveats(staged))
	assert.Empty(t, caveats(`for f in $(git diff --name-only HEAD -- src); do wc -l "$f"; done`))
	require.NoError(t, os.WriteFile(p.project+"/x /etc/passwd", nil, 0o600))
	git("add", "x /etc/passwd")
	git("commit", "-q", "-m", "two")
	assert.Contains(t, caveats(line), "reaches_unknown", "cut at its blank it names another file")
	git("rm", "-q", "--cached", "x /etc/passwd")
	require.NoError(t, os.RemoveAll(p.project+"/x "))
	assert.Contains(t, caveats(line), "reaches_unknown", "HEAD still names it")
	assert.Contains(t, caveats(staged), "reaches_unknown", "HEAD still names it")
	git("commit", "-q", "-m", "three")
	assert.Empty(t, caveats(line))
	for _, line := range []string{
		"git diff --name-only HEAD~1 | xargs cat", "git diff --name-only HEAD~1 HEAD | xargs cat", "git diff --name-only HEAD HEAD~1 | xargs cat",
		"git diff --name-only HEAD...main~1 | xargs cat", "git diff --name-only main | xargs cat", "git diff --name-only @ | xargs cat",
		"git diff --name-only HEAD^ | xargs cat", "git diff --cached --name-only HEAD~1 | xargs cat",
		"git diff --cached --name-only main | xargs cat", "git log --name-only --format= HEAD | xargs cat", "git show --name-only --format= HEAD | xargs cat",
	} {
		assert.NotEmptyf(t, caveats(line), "%q", line)
	}
}
