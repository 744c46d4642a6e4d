package catalog_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/catalog"
	"policyd/extract/disk"
)

// S3: the file types are at least those of the ripgrep at hand.
func TestFileTypes(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	require.NotEmpty(t, c.FileTypes)
	for name, globs := range c.FileTypes {
		assert.False(t, slices.ContainsFunc(globs, func(glob string) bool { return !disk.PlainGlob(glob) }), name)
	}
	program, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("no ripgrep to compare with")
	}
	out, err := exec.CommandContext(t.Context(), program, "--no-config", "--type-list").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if globs, known := c.FileTypes[name]; known {
			assert.Subset(t, globs, strings.Split(list, ", "), name)
		}
	}
}
