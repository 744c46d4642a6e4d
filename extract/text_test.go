package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V8: a path that climbs out of a link names another file than it says, and of one that
// is no text grep prints a sentence, which a shell would evaluate.
func TestTextBehindALinkIsUnknown(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/sub/deep", 0o700))
	require.NoError(t, os.Symlink("sub/deep", p.project+"/l"))
	require.NoError(t, os.WriteFile(p.project+"/f", []byte("x\n"), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/sub/f", []byte("x\x00\n"), 0o600))
	for file, known := range map[string]bool{"f": true, "./f": true, "sub/f": false, "l/../f": false} {
		line := "n=$(grep -n x " + file + " | head -1 | cut -d: -f1); echo $((n+1))"
		assert.Equal(t, known, !p.facts("Bash", map[string]any{"command": line}).Messy, line)
	}
}
