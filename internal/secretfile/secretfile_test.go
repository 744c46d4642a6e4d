package secretfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/secretfile"
)

func TestOnlyPrivateFilesAreRead(t *testing.T) {
	for mode, private := range map[fs.FileMode]bool{
		0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o620: false, 0o602: false, 0o644: false,
	} {
		path := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(path, []byte("content"), 0o600))
		require.NoError(t, os.Chmod(path, mode))
		content, err := secretfile.Read(path)
		if private {
			require.NoError(t, err, "%04o", mode)
			assert.Equal(t, "content", string(content))
			continue
		}
		var open *secretfile.ModeError
		require.ErrorAs(t, err, &open, "%04o", mode)
		assert.Equal(t, mode, open.Mode)
		assert.Empty(t, content)
	}
}

// TestAFileThatAnotherUserHandsOver checks that a group may read what another user owns, and nobody else may.
func TestAFileThatAnotherUserHandsOver(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can give files away")
	}
	for mode, private := range map[fs.FileMode]bool{0o640: true, 0o440: true, 0o660: false, 0o644: false, 0o444: false} {
		path := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(path, []byte("content"), 0o600))
		require.NoError(t, os.Chown(path, 65532, 0))
		require.NoError(t, os.Chmod(path, mode))
		_, err := secretfile.Read(path)
		assert.Equal(t, private, err == nil, "%04o: %v", mode, err)
	}
}

func TestLinksAreFollowedAndDirectoriesRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("content"), 0o600))
	require.NoError(t, os.Symlink("secret", filepath.Join(dir, "link")))
	content, err := secretfile.Read(filepath.Join(dir, "link"))
	require.NoError(t, err)
	assert.Equal(t, "content", string(content))
	_, err = secretfile.Read(dir)
	assert.ErrorContains(t, err, "not a regular file")
	_, err = secretfile.Read(filepath.Join(dir, "none"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}
