package recipes

import (
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
	for _, block := range Blocks(string(page)) {
		file := filepath.Join(dir, filepath.FromSlash(block.File))
		switch {
		case block.Kind == "diff":
			change(t, file, block)
		case block.File != "":
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte(block.Text), 0o600))
		case block.Kind == "sh":
			printed, ran = run(t, dir, block.Text), ran+1
		case block.Kind == "text" && ran > 0:
			for line := range strings.Lines(block.Text) {
				before, after, found := strings.Cut(printed, line)
				if assert.Truef(t, found, "%q is not printed, or not in this order; the rest of the output:\n%s", line, before) {
					printed = after
				}
			}
		}
	}
	assert.GreaterOrEqual(t, ran, 9)
	run(t, dir, gates)
}

// gates are the tests of make check that a recipe can break.
const gates = `
go vet ./internal/clients/reply ./internal/install ./internal/config ./extract/shell
test -z "$(gofmt -l internal/clients internal/install internal/config extract/shell)"
go test -short ./bundles -run 'SmokeCases|IsProven'
go test -short ./test -run 'TopLevel|SmokeFacts'
go test -short ./internal/clients/reply ./internal/config ./extract/argv ./extract/catalog
`

// A table that can't be read gets no proof, and the error names file, program and column.
func TestAMalformedTableIsNotProven(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles tests")
	}
	dir := copyOfSources(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "extract/argv/programs/plotx.json"), []byte(`{"plotx": {"stile": "go"}}`), 0o600))
	proof := filepath.Join(dir, "bundles/smoke/proof.json")
	before, err := os.ReadFile(proof)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "policies/policyd/rules/later.rego"), []byte("package policyd.rules\n"), 0o600))
	cmd := exec.CommandContext(t.Context(), "make", "generate")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), `programs/plotx.json: plotx: unknown column "stile"`)
	after, err := os.ReadFile(proof)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

// run runs a script in a directory, and returns what it prints.
func run(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s\n%s", script, out)
	return string(out)
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

// change replaces the removed lines of a block by the added ones, in the file that has them once.
func change(t *testing.T, file string, block Block) {
	t.Helper()
	before, after := block.Change()
	require.NotEmpty(t, before)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equalf(t, 1, strings.Count(string(text), before), "places in %s that have %q", block.File, before)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), before, after, 1)), 0o600))
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
