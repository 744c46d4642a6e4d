package stat_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/stat"
)

func TestReadReturnsAFileAndItsStamp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	content, found, err := stat.Read(file, 4)
	require.NoError(t, err)
	assert.Equal(t, "text", string(content))
	want, err := stat.Path(file, true)
	require.NoError(t, err)
	assert.Equal(t, want, found)
	_, _, err = stat.Read(file, 3)
	require.ErrorIs(t, err, stat.ErrTooLarge)
	_, _, err = stat.Read(file+"/below", 4)
	assert.True(t, stat.Missing(err))
	_, _, err = stat.Read(file+"2", 4)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.True(t, stat.Missing(err))
}

// P13, S3: what never ends, or says nothing, is not read.
func TestReadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range append(endless(t, dir), dir) {
		_, _, err := stat.Read(path, 1<<20)
		require.ErrorIs(t, err, stat.ErrNotRegular, path)
	}
	sparse := filepath.Join(dir, "sparse")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 1<<40))
	_, _, err := stat.Read(sparse, 1<<20)
	require.ErrorIs(t, err, stat.ErrTooLarge)
}
