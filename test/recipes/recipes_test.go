package recipes

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The recipes of CONTRIBUTING.md work in a copy of the sources, in the order of the page:
// files are written, commands run, and they print what stands below them.
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
		switch {
		case path != "":
			file := filepath.Join(dir, filepath.FromSlash(path))
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
				if assert.Truef(t, found, "%q is not printed, or not in this order; left of the output:\n%s", line, before) {
					printed = after
				}
			}
		}
	}
	assert.GreaterOrEqual(t, ran, 4)
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
