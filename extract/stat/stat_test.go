//go:build linux || darwin

package stat_test

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/stat"
)

// What is said of a path is what the standard library says of it.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	deep := dir + strings.Repeat("/"+strings.Repeat("d", 60), 5)
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.NoError(t, os.WriteFile(dir+"/file", []byte("text"), 0o640))
	require.NoError(t, os.Link(dir+"/file", dir+"/other name"))
	require.NoError(t, os.Symlink("file", dir+"/link"))
	require.NoError(t, os.Symlink("nowhere", dir+"/dangling"))
	require.NoError(t, os.Symlink(deep, dir+"/far"))
	require.NoError(t, syscall.Mkfifo(dir+"/pipe", 0o600))
	paths := []string{
		"file", "other name", "link", "dangling", "far", "pipe", "", ".", "file/below", "missing", "link/below", "nul\x00byte",
		strings.TrimPrefix(deep, dir+"/"), strings.TrimPrefix(deep, dir+"/") + "/missing",
	}
	for length := 200; length < 300; length++ { // where the path no longer has room on the stack
		paths = append(paths, strings.Repeat("./", (length-len(dir)-1-len("file"))/2)+"file")
	}
	for _, name := range paths {
		for _, follow := range []bool{false, true} {
			path := dir + "/" + name
			want, wantErr := os.Lstat(path)
			if follow {
				want, wantErr = os.Stat(path)
			}
			got, err := stat.Path(path, follow)
			if wantErr != nil {
				require.Error(t, err, path)
				require.ErrorIs(t, wantErr, err, path)
				require.Equal(t, stat.Stamp{}, got)
				continue
			}
			require.NoError(t, err, path)
			require.Equal(t, describe(t, want), got, path)
		}
	}
}

func describe(t *testing.T, info os.FileInfo) stat.Stamp {
	t.Helper()
	raw, ok := info.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	kind := stat.Other
	switch {
	case info.Mode().IsRegular():
		kind = stat.File
	case info.IsDir():
		kind = stat.Directory
	case info.Mode()&os.ModeSymlink != 0:
		kind = stat.Link
	}
	stamp := stat.Stamp{
		Kind: kind, Permissions: uint32(info.Mode().Perm()), Owner: raw.Uid, Device: uint64(raw.Dev), Inode: raw.Ino,
		Names: uint64(raw.Nlink), Size: info.Size(), Modified: time.Duration(info.ModTime().UnixNano()),
	}
	stamp.Changed = changed(raw)
	return stamp
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/file", nil, 0o600))
	for _, path := range []string{dir + "/none", dir + "/file/below", ""} {
		_, err := stat.Path(path, true)
		assert.True(t, stat.Missing(err), path)
	}
	_, err := stat.Path(dir+"/"+strings.Repeat("x", 300), true)
	require.Error(t, err)
	assert.False(t, stat.Missing(err), "a name that is too long says nothing")
	assert.False(t, stat.Missing(nil))
}

func TestOpen(t *testing.T) {
	path := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	got, err := stat.Open(file)
	require.NoError(t, err)
	want, err := stat.Path(path, false)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestSocketIsOther(t *testing.T) {
	path := t.TempDir() + "/s"
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer listener.Close()
	got, err := stat.Path(path, true)
	require.NoError(t, err)
	assert.Equal(t, stat.Other, got.Kind)
}
