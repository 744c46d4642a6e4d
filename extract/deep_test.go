package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: where ** is one name it may be a link, and what lies behind it is read.
func TestDeepPatternsGoThroughLinks(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/.env"))
	require.NoError(t, os.Remove(p.project+"/out"))
	caveats := func(line string) []string {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		return items[len(items)-1].Caveats
	}
	const line = "cat **/passwd"
	require.Empty(t, caveats(line))
	require.NoError(t, os.Symlink("src", p.project+"/inside"))
	assert.Empty(t, caveats(line))
	require.NoError(t, os.Symlink("nothing", p.project+"/dangling"))
	assert.Empty(t, caveats(line))
	require.NoError(t, os.Symlink("/etc", p.project+"/lib"))
	assert.Contains(t, caveats(line), "reaches_unknown")
	assert.Contains(t, caveats("wc -l **/*.conf"), "reaches_unknown")
}
