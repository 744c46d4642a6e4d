//go:build !linux && !darwin

package git

import (
	"io/fs"
	"os"
	"time"
)

// stampsAreExact is false where the portable interface shows neither inode nor
// time of change: nothing is kept in the cache there.
const stampsAreExact = false

func statPath(path string, follow bool) (stamp, error) {
	call := os.Lstat
	if follow {
		call = os.Stat
	}
	info, err := call(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func statFile(file *os.File) (stamp, error) {
	info, err := file.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{
		present:  true,
		kind:     kindOf(info.Mode()),
		mode:     uint32(info.Mode().Perm()),
		owner:    uint32(os.Geteuid()), //nolint:gosec // compared with the same conversion only
		size:     info.Size(),
		modified: time.Duration(info.ModTime().UnixNano()),
	}
}

func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsRegular():
		return kindFile
	case mode.IsDir():
		return kindDirectory
	case mode&fs.ModeSymlink != 0:
		return kindLink
	default:
		return kindOther
	}
}
