//go:build !linux && !darwin

package stat

import (
	"io/fs"
	"os"
	"time"
)

// Exact is false where the portable interface shows neither inode nor time of
// change: nothing may be remembered on the strength of a stamp.
const Exact = false

func look(path string, follow bool) (Stamp, error) {
	call := os.Lstat
	if follow {
		call = os.Stat
	}
	info, err := call(path)
	if err != nil {
		return Stamp{}, err
	}
	return stampOf(info), nil
}

// Open describes an open file.
func Open(file *os.File) (Stamp, error) {
	info, err := file.Stat()
	if err != nil {
		return Stamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) Stamp {
	return Stamp{
		Kind:        kindOf(info.Mode()),
		Sticky:      info.Mode()&fs.ModeSticky != 0,
		Permissions: uint32(info.Mode().Perm()),
		Owner:       uint32(os.Geteuid()), //nolint:gosec // compared with the same conversion only
		Names:       namesOf(info),
		Size:        info.Size(),
		Modified:    time.Duration(info.ModTime().UnixNano()),
	}
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return File
	case mode&fs.ModeSymlink != 0:
		return Link
	case mode.IsDir():
		return Directory
	default:
		return Other
	}
}

func lookBelow(dir, name string, follow bool) (Stamp, error) { return look(dir+"/"+name, follow) }
