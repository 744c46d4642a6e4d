//go:build unix

package extract_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
)

// TestClientsScratchDirectory holds P3: a client's own directory is read without a
// question, unless somebody else could have put something there.
func TestClientsScratchDirectory(t *testing.T) {
	p := newPlace(t)
	shared := filepath.Join(p.home, "shared")
	own := filepath.Join(shared, fmt.Sprintf("client-%d", os.Getuid()))
	require.NoError(t, os.MkdirAll(own, 0o700))
	file := filepath.Join(own, "out.txt")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	data := policyData(t)
	data["settings"] = map[string]any{"scope": map[string]any{"read_also": []any{shared + "/client-{user}"}}}
	base, err := extract.NewBase(extract.Options{Home: p.home, Platform: "linux"})
	require.NoError(t, err)
	x, err := base.With(data)
	require.NoError(t, err)
	space := func() string {
		facts := x.Extract(p.call("Read", map[string]any{"file_path": file}), nil)
		require.Len(t, facts.Paths, 1)
		return facts.Paths[0].Space
	}
	assert.Equal(t, v1.SpaceReadAlso, space())
	require.NoError(t, os.Chmod(own, 0o770))
	assert.Equal(t, v1.SpaceOutside, space(), "others may write there")
	require.NoError(t, os.Chmod(own, 0o700))
	require.NoError(t, os.Rename(own, own+"x"))
	require.NoError(t, os.Symlink(own+"x", own))
	assert.Equal(t, v1.SpaceOutside, space(), "a link is not the client's directory")
}
