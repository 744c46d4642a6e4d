//go:build unix

package extract_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: in a work tree of another user's git prints nothing, so that a path which
// begins with its top begins at the root.
func TestTopOfAnothersWorkTree(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root gives files away")
	}
	p := newPlace(t)
	output, err := exec.Command("git", "init", "-q", p.project).CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	known := func() bool {
		facts := p.facts("Bash", map[string]any{"command": `cat "$(git rev-parse --show-toplevel)/README.md"`})
		return !facts.Items[len(facts.Items)-1].Caveats.Has("dynamic_word")
	}
	assert.True(t, known())
	for _, place := range []string{p.project, p.project + "/.git"} {
		require.NoError(t, os.Lchown(place, 12345, -1))
		assert.False(t, known(), place)
		require.NoError(t, os.Lchown(place, 0, -1))
	}
	assert.True(t, known())
}
