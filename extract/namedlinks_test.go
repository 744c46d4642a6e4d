package extract_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: find goes through no link, so that one counts by its name alone; a command that goes
// through trees, or find given -L, goes through all.
func TestLinksCountByTheirNames(t *testing.T) {
	p := newPlace(t)
	p.files(t, "d/a.md", "e/x")
	outside := filepath.Join(filepath.Dir(p.project), "out.txt")
	require.NoError(t, os.WriteFile(outside, []byte("x"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(p.project, "d/out")))
	for line, clean := range map[string]bool{
		`find . -name '*.md' -exec wc -l {} +`: true, `find . -iname '*.MD' | xargs wc -l`: true, `find . -name '*.md' -exec cat {} \;`: true,
		`find . -name 'o*' -exec wc -l {} +`: false, `find . -iname 'OUT' | xargs wc -l`: false, `find . ! -name '*.md' -exec cat {} \;`: false,
		`find -L . -name '*.md' -exec cat {} +`: false, `find . -follow -name '*.md' -exec cat {} +`: false, `find */ -name '*.md' -exec cat {} +`: false,
		`find . -name '*.md' -exec grep -r x {} +`: false, `find . -name d -exec diff {} e \;`: false, `find . -name '*.md' -o -exec cat {} +`: false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		assert.Equal(t, clean, !someItemHas(items, "reaches_outside", "reaches_unknown", "reaches_secret", "executes", "dynamic_word"), line)
	}
}
