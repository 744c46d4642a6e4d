package recipes

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRecipes follows CONTRIBUTING.md in a copy of the sources, in the order of the page. It writes
// the files, makes the changes and runs the commands. Each command prints the text below it.
func TestRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program for each recipe")
	}
	dir := copyOfSources(t)
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	printed, ran := "", 0
	for _, block := range fencedBlocks(string(page)) {
		kind, path, _ := strings.Cut(block.info, " ")
		file := filepath.Join(dir, filepath.FromSlash(path))
		switch {
		case kind == "diff":
			change(t, file, block.text)
		case path != "":
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte(block.text), 0o600))
		case kind == "sh":
			cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", block.text)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoErrorf(t, err, "%s\n%s", block.text, out)
			printed, ran = string(out), ran+1
		case kind == "text" && ran > 0:
			for line := range strings.Lines(block.text) {
				before, after, found := strings.Cut(printed, line)
				if assert.Truef(t, found, "%q is not printed, or not in this order; the rest of the output:\n%s", line, before) {
					printed = after
				}
			}
		}
	}
	assert.GreaterOrEqual(t, ran, 7)
}

// The paths that the page refers to exist, so that a recipe doesn't lead into a file that moved.
func TestPathsOfThePageExist(t *testing.T) {
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	paths := regexp.MustCompile("`([a-z]+(?:/[a-z_.]+)+)`").FindAllStringSubmatch(string(page), -1)
	assert.Greater(t, len(paths), 10)
	for _, path := range paths {
		_, err := os.Stat(filepath.Join("../..", path[1]))
		assert.NoError(t, err)
	}
}

// change replaces the removed lines of a diff by the added ones, in the one file below dir that has them once.
func change(t *testing.T, dir, diff string) {
	t.Helper()
	var removed, added []string
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line[1:], "\n")
		if line[0] == '-' {
			removed = append(removed, text)
		} else {
			added = append(added, text)
		}
	}
	before, after := strings.Join(removed, "\n"), strings.Join(added, "\n")
	require.NotEmpty(t, before)
	changed := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		changed += strings.Count(string(text), before)
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), before, after)), 0o600)
	}))
	require.Equalf(t, 1, changed, "places below %s that have %q", dir, before)
}

type fencedBlock struct{ info, text string }

func fencedBlocks(page string) []fencedBlock {
	var blocks []fencedBlock
	for i, part := range strings.Split("\n"+page, "\n```") {
		if i%2 == 1 {
			info, text, _ := strings.Cut(part, "\n")
			blocks = append(blocks, fencedBlock{info, text + "\n"})
		}
	}
	return blocks
}

// copyOfSources copies what git knows or would add.
func copyOfSources(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	listed := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	listed.Dir = "../.."
	names, err := listed.Output()
	require.NoError(t, err)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o700))
	}
	return dir
}
