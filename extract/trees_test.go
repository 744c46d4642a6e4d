package extract_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A tree is walked once in a call, and anew in the next.
func TestTreesAreWalkedOnceInACall(t *testing.T) {
	p := newPlace(t)
	tree := filepath.Join(p.project, "tree")
	require.NoError(t, os.Mkdir(tree, 0o755))
	call := p.call("Bash", map[string]any{"command": "ls"})
	first, second := p.extractor.WalkTwice(call, tree, func() {
		require.NoError(t, os.WriteFile(filepath.Join(tree, ".env"), nil, 0o600))
	})
	assert.Empty(t, first)
	assert.Empty(t, second)
	first, _ = p.extractor.WalkTwice(call, tree, func() {})
	assert.Equal(t, "reaches_secret", first)
}
