package server_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/server"
)

func TestTokensAreMadeOnceAndPrivate(t *testing.T) {
	state := filepath.Join(t.TempDir(), "a", "state")
	first, err := server.LoadOrCreateTokens(state)
	require.NoError(t, err)
	assert.Len(t, first.Agent, 43)
	assert.NotEqual(t, first.Agent, first.Operator)
	for name, mode := range map[string]os.FileMode{"": 0o700, "agent.token": 0o600, "operator.token": 0o600} {
		info, err := os.Stat(filepath.Join(state, name))
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), name)
	}
	again, err := server.LoadOrCreateTokens(state)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	entries, err := os.ReadDir(state)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "nothing else is left")
}

func TestTokensMadeAtOnceAreTheSame(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	seen := make([]server.Tokens, 8)
	var group sync.WaitGroup
	for i := range seen {
		group.Go(func() {
			made, err := server.LoadOrCreateTokens(state)
			assert.NoError(t, err)
			seen[i] = made
		})
	}
	group.Wait()
	for _, made := range seen {
		assert.Equal(t, seen[0], made)
	}
}

func TestTokensThatOthersMayKnowAreRefused(t *testing.T) {
	tests := []struct {
		name, want string
		spoil      func(t *testing.T, file string)
	}{
		{"group", "mode 0640", func(t *testing.T, file string) { require.NoError(t, os.Chmod(file, 0o640)) }},
		{"world", "mode 0604", func(t *testing.T, file string) { require.NoError(t, os.Chmod(file, 0o604)) }},
		{"short", "32 bytes", func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, []byte("abc"), 0o600)) }},
		{"empty", "32 bytes", func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, nil, 0o600)) }},
		{"link", "not a regular file", func(t *testing.T, file string) {
			require.NoError(t, os.Rename(file, file+".real"))
			require.NoError(t, os.Symlink(file+".real", file))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			_, err := server.LoadOrCreateTokens(state)
			require.NoError(t, err)
			test.spoil(t, filepath.Join(state, "operator.token"))
			_, err = server.LoadOrCreateTokens(state)
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "operator.token")
		})
	}
}

func TestAnOpenStateIsRefusedWithWhatToDo(t *testing.T) {
	for _, mode := range []os.FileMode{0o755, 0o750, 0o701} {
		state := filepath.Join(t.TempDir(), "state")
		require.NoError(t, os.Mkdir(state, 0o700))
		require.NoError(t, os.Chmod(state, mode))
		_, err := server.LoadOrCreateTokens(state)
		var open *server.ModeError
		require.ErrorAs(t, err, &open)
		assert.Equal(t, server.ModeError{Path: state, Mode: mode, Want: 0o700}, *open)
		entries, err := os.ReadDir(state)
		require.NoError(t, err)
		assert.Empty(t, entries, "no token is made where others may enter")
	}
}

func TestAnOpenTokenIsRefusedWithWhatToDo(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	_, err := server.LoadOrCreateTokens(state)
	require.NoError(t, err)
	file := filepath.Join(state, "agent.token")
	require.NoError(t, os.Chmod(file, 0o644))
	_, err = server.LoadOrCreateTokens(state)
	var open *server.ModeError
	require.ErrorAs(t, err, &open)
	assert.Equal(t, server.ModeError{Path: file, Mode: 0o644, Want: 0o600, Secret: true}, *open)
}

func runDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "run")
}

func TestSocketIsPrivateAndRemovedAtTheEnd(t *testing.T) {
	directory := runDir(t)
	listener, err := server.ListenUnix(directory, server.SocketAccess{})
	require.NoError(t, err)
	info, err := os.Stat(directory)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o027)
	require.NoError(t, listener.Close())
	_, err = os.Lstat(filepath.Join(directory, server.SocketName))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestStaleSocketIsReplaced(t *testing.T) {
	directory := runDir(t)
	listener, err := server.ListenUnix(directory, server.SocketAccess{})
	require.NoError(t, err)
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	listener, err = server.ListenUnix(directory, server.SocketAccess{})
	require.NoError(t, err)
	require.NoError(t, listener.Close())
}

func TestLiveSocketIsLeftAlone(t *testing.T) {
	directory := runDir(t)
	listener, err := server.ListenUnix(directory, server.SocketAccess{})
	require.NoError(t, err)
	defer listener.Close()
	_, err = server.ListenUnix(directory, server.SocketAccess{})
	require.ErrorContains(t, err, "another policyd answers")
	_, err = os.Lstat(filepath.Join(directory, server.SocketName))
	require.NoError(t, err)
}

func TestListenUnixRefusesWhatItCannotTrust(t *testing.T) {
	directory := runDir(t)
	require.NoError(t, os.Mkdir(directory, 0o750))
	file := filepath.Join(directory, server.SocketName)
	require.NoError(t, os.WriteFile(file, []byte("keep"), 0o600))
	_, err := server.ListenUnix(directory, server.SocketAccess{})
	require.ErrorContains(t, err, "not a socket")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "keep", string(data))

	open := runDir(t)
	require.NoError(t, os.Mkdir(open, 0o750))
	require.NoError(t, os.Chmod(open, 0o755))
	_, err = server.ListenUnix(open, server.SocketAccess{})
	require.ErrorContains(t, err, "mode 0755")

	_, err = server.ListenUnix("/"+strings.Repeat("d", 103), server.SocketAccess{})
	require.ErrorContains(t, err, "shorter --run-dir")
}
