package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: what rg -l and grep -l print are files, so that a program which reads trees is given
// none, but for what they or a filter say besides.
func TestNamesOfFilesAlone(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/out"))
	for line, safe := range map[string]bool{
		"rg -l x | xargs rg -n y": true, "rg --files | xargs rg y": true, "rg -l x | xargs -r grep -rn y": true, "grep -rl --include='*.go' x . | xargs rg y": true,
		"for f in $(rg -l x); do grep -rn y $f; done": true, "rg -l x | grep -v z | xargs -r grep -rn y": true,
		"rg -l x | xargs grep -rn y":                             false, // of all, where it is given no name
		"rg -l --hidden x | xargs rg y":                          false,
		"rg -uu --files | xargs rg y":                            false,
		"grep -rL --include='*.go' x . | xargs -r grep -rn y":    false, // busybox names directories
		"grep -rl -L --include='*.go' x . | xargs -r grep -rn y": false,
		"grep -rl x . | xargs rg y":                              false,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		asked := facts.Messy || len(facts.Items[len(facts.Items)-1].Caveats) > 0
		assert.Equal(t, safe, !asked, "%s: %v", line, facts.Items[len(facts.Items)-1].Caveats)
	}
	for _, dir := range []string{"<stdin>", "file"} {
		require.NoError(t, os.Mkdir(p.project+"/"+dir, 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+dir+"/.env", nil, 0o600))
		facts := p.facts("Bash", map[string]any{"command": "rg -l x | grep -v z | xargs -r grep -rn y"})
		assert.True(t, facts.Items[len(facts.Items)-1].Caveats.Has("reaches_secret"), dir)
		require.NoError(t, os.RemoveAll(p.project+"/"+dir))
	}
	require.NoError(t, os.Symlink("/etc", p.project+"/src/link"))
	facts := p.facts("Bash", map[string]any{"command": "rg -l x | xargs rg y"})
	assert.True(t, facts.Items[len(facts.Items)-1].Caveats.Has("reaches_outside"))
}
