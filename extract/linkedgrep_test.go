package extract_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: git grep opens tracked files by their names, and follows a link that stands in the
// place of a directory of theirs; it looks only at what each file itself is.
func TestGitGrepFollowsLinkedDirectories(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		output, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	for _, dir := range []string{"moved/below", "kept"} {
		require.NoError(t, os.MkdirAll(p.project+"/"+dir, 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+dir+"/file", []byte("x\n"), 0o600))
	}
	git("init", "-q")
	git("add", "src", "moved", "kept")
	assert.Empty(t, p.caveatsOf(t, "git grep x"))
	require.NoError(t, os.RemoveAll(p.project+"/moved"))
	require.NoError(t, os.Symlink(p.project+"/kept", p.project+"/moved"))
	assert.Empty(t, p.caveatsOf(t, "git grep x"), "what it leads to is the project's own")
	for _, target := range []string{p.home + "/other", p.home} {
		require.NoError(t, os.Remove(p.project+"/moved"))
		require.NoError(t, os.Symlink(target, p.project+"/moved"))
		for line, want := range map[string]bool{
			"git grep x": true, "git grep -n x -- '*file'": true, "git -C kept grep x ..": true, "git grep -h '' -- . ':!kept'": true,
			"git grep x -- kept": false, "git -C kept grep x": false, "git grep -l x": false, "git grep --cached x": false, "git diff": false,
		} {
			caveats := p.caveatsOf(t, line)
			assert.Equalf(t, want, len(caveats) > 0, "%q: %v", line, caveats)
		}
	}
}
