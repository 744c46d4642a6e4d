package syntax_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/git/syntax"
)

// repository is a new one with a file of each name.
func repository(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(dir+"/"+name, nil, 0o600))
	}
	_, err := git(t, dir, "init", "-q", ".")
	require.NoError(t, err)
	_, err = git(t, dir, "add", "-A")
	require.NoError(t, err)
	return dir
}

func git(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	return string(out), err
}

// What magic is cut off, git cuts off as well: the pathspec with its magic spelled out, and the
// rest behind it, selects the same names.
func TestMagicIsGits(t *testing.T) {
	dir := repository(t, "a", "b", "ab", "A")
	heads := []string{":", ":!", ":^", ":/", ":!/", ":/!", ":/:", ":!:", ":::", ":(top)", ":(exclude)", ":(icase)", ":(glob)", ":(literal)", ":(top,icase)", ":(glob,literal)", ":(attr:x)", ":(", ":()", ":a", ":(exclude,top)"}
	known := 0
	for _, head := range heads {
		for _, rest := range []string{"a", "a*", "", "[ab]", "-a", "A"} {
			text := head + rest
			m, pattern, ok := syntax.CutMagic(text)
			if !ok {
				continue
			}
			known++
			mine, mineErr := git(t, dir, "ls-files", "--", spelled(m)+pattern)
			gits, gitsErr := git(t, dir, "ls-files", "--", text)
			assert.Equalf(t, gitsErr == nil, mineErr == nil, "%s as %s", text, spelled(m)+pattern)
			assert.Equalf(t, gits, mine, "%s as %s", text, spelled(m)+pattern)
		}
	}
	assert.Greater(t, known, 40)
}

func spelled(m syntax.Magic) string {
	var words []string
	for _, word := range []struct {
		on   bool
		name string
	}{{m.Exclude, "exclude"}, {m.Top, "top"}, {m.Glob, "glob"}, {m.Literal, "literal"}} {
		if word.on {
			words = append(words, word.name)
		}
	}
	return ":(" + strings.Join(words, ",") + ")"
}

// A format of dates that is said to print one line does, in git.
func TestDatesOfOneLine(t *testing.T) {
	dir := repository(t, "a")
	_, err := git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x")
	require.NoError(t, err)
	kept := 0
	for _, format := range []string{"iso", "iso8601-strict", "human", "relative", "format:%Y-%m-%d", "format-local:%H:%M", "format:%n", "format:%D%t", "format:a\nb", "raw", "format:%c", "format:%%", "format:%"} {
		if !syntax.PrintsOneLine(format) {
			continue
		}
		kept++
		out, err := git(t, dir, "log", "-1", "--format=%ad", "--date="+format)
		require.NoError(t, err, format)
		assert.Equal(t, 1, strings.Count(out, "\n"), format)
	}
	assert.Equal(t, 7, kept)
}

func TestHashes(t *testing.T) {
	assert.Equal(t, []string{"abcd", "beef12"}, syntax.Hashes("x-gabcd..beef12:fab"))
}
