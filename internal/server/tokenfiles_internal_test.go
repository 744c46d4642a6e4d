package server

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An error of the system's says nothing of a token file: the token that was read last stays,
// and so does what is held open for it. A file that is gone or bad ends its token.
func TestATokenOutlivesAnErrorOfTheSystem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	made, err := LoadOrCreateTokens(dir)
	require.NoError(t, err)
	named := filepath.Join(t.TempDir(), "named.token")
	require.NoError(t, createToken(named))
	files, err := OpenTokenFiles(dir, []TokenFile{{Principal: Principal{Name: "build", Role: RoleAgent}, File: named}})
	require.NoError(t, err)
	third, err := readToken(named)
	require.NoError(t, err)
	count := func() (known int) {
		for _, token := range []string{made.Agent, made.Operator, third} {
			if found := files.Keys().find(token); found != nil && found.ended.Err() == nil {
				known++
			}
		}
		return known
	}
	for _, transient := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EINTR, syscall.ENOMEM, syscall.EIO} {
		failing := func(file string) (string, error) { return "", &os.PathError{Op: "open", Path: file, Err: transient} }
		files.load, files.loadNamed = failing, failing
		for range 3 {
			require.ErrorIs(t, files.Reload(), transient)
			assert.Equal(t, 3, count(), transient)
		}
		files.load, files.loadNamed = loadToken, readToken
		require.NoError(t, files.Reload())
		assert.Equal(t, 3, count())
	}
	require.NoError(t, os.Remove(named))
	require.ErrorIs(t, files.Reload(), os.ErrNotExist)
	assert.Equal(t, 2, count())
	files.loadNamed = func(file string) (string, error) {
		return "", &os.PathError{Op: "open", Path: file, Err: syscall.EMFILE}
	}
	require.ErrorIs(t, files.Reload(), syscall.EMFILE)
	assert.Equal(t, 2, count(), "a token that was taken away doesn't come back by an error")
}
