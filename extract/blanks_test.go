package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: read and xargs take away the blanks at the ends of a line. A name that is printed without
// the directory it lies in, or without "./", then is another one: of " .." the directory above
// is left.
func TestBlanksAtTheEndsOfNames(t *testing.T) {
	lines := []string{
		`ls docs | while read -r n; do cat "docs/$n/.env"; done`, `ls docs | while read -r n; do ls "$n"; done`,
		`ls docs | xargs -I{} ls {}`, `ls docs | xargs -I{} sh -c 'cat "docs/$1/.env"' _ {}`,
		`rg --files docs | while read -r n; do cat "$n"; done`, `rg -l x docs | xargs -I{} cat {}`,
		`rg --files | while read -r n; do head -1 "$n"; done`,
	}
	caveats := func(p place, line string) []string {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.Falsef(t, facts.Messy, "%q", line)
		return facts.Items[len(facts.Items)-1].Caveats
	}
	plain := newPlace(t)
	require.NoError(t, os.Remove(plain.project+"/out")) // a link that leads out
	require.NoError(t, os.MkdirAll(plain.project+"/docs/a b/c", 0o700))
	for _, line := range lines {
		assert.Emptyf(t, caveats(plain, line), "%q", line)
	}
	for _, name := range []string{" ..", ".. ", "\t.."} {
		p := newPlace(t)
		require.NoError(t, os.Remove(p.project+"/out"))
		require.NoError(t, os.MkdirAll(p.project+"/docs/"+name, 0o700))
		require.NoError(t, os.WriteFile(p.project+"/docs/"+name+"/x", nil, 0o600))
		for _, line := range lines {
			assert.Containsf(t, caveats(p, line), "reaches_unknown", "%q with %q", line, name)
		}
	}
}
