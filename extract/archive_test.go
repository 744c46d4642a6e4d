package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V3: scripts that unpack split their words once more: also a pattern that is handed on
// as it is, since it matches nothing.
func TestPatternsThatScriptsSplitAgain(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/one.gz", []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/t w.xz", []byte("x"), 0o600))
	for line, asks := range map[string]bool{
		"zcat *.gz": false, "zgrep x one*": false, "zcat *.xz": true, "zgrep x '.env '*": true, "zcat no*": true, "cat no*": false,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		assert.Equalf(t, asks, facts.Items[0].Caveats.Has("dynamic_word"), "%q", line)
	}
}
