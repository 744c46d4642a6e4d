package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: git log --follow goes on with what a file began as a copy of, and shows that whole.
func TestFollowingAFileShowsWhatItWasCopiedFrom(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	p.git(t, "init", "-q", p.project)
	p.files(t, "src/.env", "a.txt")
	p.git(t, "-C", p.project, "add", "-f", "src/.env", "a.txt")
	for _, on := range []bool{false, true} {
		if on {
			p.git(t, "-C", p.project, "config", "log.follow", "true")
		}
		for line, want := range map[string]bool{
			"git log -p -- a.txt": on, "git log -p a.txt": on, "git log --follow a.txt": false, "git log --follow --stat -- a.txt": false,
			"git log -p --follow -- a.txt": true, "git log -p --follow -M1% a.txt": true, "git show --follow HEAD -- a.txt": true,
		} {
			assert.Equalf(t, want, len(p.lastOf(line)) > 0, "%q, log.follow %v", line, on)
		}
	}
}

// S3: a tag may name the contents of a file; formats of refs print them, and git grep searches
// them whatever paths it is limited to.
func TestFormatsAndSearchesPrintWhatATagNames(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	p.git(t, "init", "-q", p.project)
	p.files(t, "src/.env", "a.txt")
	lines := map[string]bool{
		"git for-each-ref --format='%(raw)'": true, "git tag -l --format='%(*raw)'": true, "git branch --format='%(raw)'": true,
		"git for-each-ref --format='%(refname)'": false, "git tag -l": false,
		"git grep x v1 -- a.txt": true, "git grep x HEAD -- a.txt": false, "git grep -l x v1 -- a.txt": false, "git grep x -- a.txt": false,
	}
	p.git(t, "-C", p.project, "add", "a.txt")
	p.git(t, "-C", p.project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
	p.git(t, "-C", p.project, "tag", "v1")
	for line := range lines {
		assert.Emptyf(t, p.lastOf(line), "%q where no secret is tracked", line)
	}
	p.git(t, "-C", p.project, "add", "-f", "src/.env")
	for line, want := range lines {
		assert.Equalf(t, want, len(p.lastOf(line)) > 0, "%q", line)
	}
}
