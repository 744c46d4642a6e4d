package server_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/server"
)

func TestTheSocketHasTheConfiguredModeAndGroup(t *testing.T) {
	for _, test := range []struct {
		access server.SocketAccess
		mode   fs.FileMode
	}{
		{server.SocketAccess{}, 0o660}, {server.SocketAccess{Mode: 0o660}, 0o660}, {server.SocketAccess{Mode: 0o600}, 0o600},
	} {
		directory := runDir(t)
		listener, err := server.ListenUnix(directory, test.access)
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join(directory, server.SocketName))
		require.NoError(t, err)
		assert.Equal(t, test.mode, info.Mode().Perm())
		require.NoError(t, listener.Close())
	}
}

func TestTheGroupGetsDirectoryAndSocket(t *testing.T) {
	group := os.Getegid()
	if os.Geteuid() == 0 {
		group = 4242 // root may give to any
	}
	directory := runDir(t)
	require.NoError(t, os.Mkdir(directory, 0o700))
	listener, err := server.ListenUnix(directory, server.SocketAccess{Group: strconv.Itoa(group)})
	require.NoError(t, err)
	defer listener.Close()
	for name, mode := range map[string]fs.FileMode{directory: 0o750, filepath.Join(directory, server.SocketName): 0o660} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), name)
		status, ok := info.Sys().(*syscall.Stat_t)
		require.True(t, ok)
		assert.Equal(t, uint32(group), status.Gid, name)
	}
}

func TestASocketForEverybodyIsRefused(t *testing.T) {
	for _, mode := range []fs.FileMode{0o666, 0o662, 0o606, 0o777, 0o640, 0o4660} {
		directory := runDir(t)
		_, err := server.ListenUnix(directory, server.SocketAccess{Mode: mode})
		require.ErrorContains(t, err, "0600 and 0660 are allowed", "%04o", mode)
		assert.NoDirExists(t, directory)
	}
	_, err := server.ListenUnix(runDir(t), server.SocketAccess{Group: "no-such-group"})
	require.ErrorContains(t, err, `there is no group "no-such-group"`)
}
