//go:build amd64 || arm64

package contain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestPathsWithLinksAreNotOpened, with and without openat2.
func TestPathsWithLinksAreNotOpened(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir+"/a/b", 0o700))
	require.NoError(t, os.Symlink("a", dir+"/link"))
	require.NoError(t, os.Symlink("a/b", dir+"/end"))
	for name, open := range map[string]func(string) (int, error){"openat2": openNoLinks, "by steps": openBySteps} {
		fd, err := open(dir + "/a/b")
		require.NoError(t, err, name)
		require.NoError(t, unix.Close(fd))
		_, err = open(dir + "/link/b")
		require.Error(t, err, name)
		_, err = open(dir + "/missing/b")
		require.ErrorIs(t, err, unix.ENOENT, name)
		fd, err = open("/")
		require.NoError(t, err, name)
		require.NoError(t, unix.Close(fd))
	}
	_, err = openReal(dir + "/end")
	assert.ErrorIs(t, err, unix.ELOOP)
}
