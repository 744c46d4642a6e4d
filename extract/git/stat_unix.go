//go:build linux || darwin

package git

import (
	"errors"
	"os"
	"syscall"
)

// stampsAreExact reports that a stamp changes whenever content does.
const stampsAreExact = true

func statPath(path string, follow bool) (stamp, error) {
	var raw syscall.Stat_t
	for {
		// Called by name, not through a variable, so that raw stays on the stack.
		var err error
		if follow {
			err = syscall.Stat(path, &raw)
		} else {
			err = syscall.Lstat(path, &raw)
		}
		if err == nil {
			return stampOf(&raw), nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return stamp{}, err
		}
	}
}

func statFile(file *os.File) (stamp, error) {
	info, err := file.Stat()
	if err != nil {
		return stamp{}, err
	}
	raw, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, os.ErrInvalid
	}
	return stampOf(raw), nil
}

func stampOf(raw *syscall.Stat_t) stamp {
	modified, changed := timesOf(raw)
	return stamp{
		present:  true,
		kind:     kindOf(uint32(raw.Mode)),
		mode:     uint32(raw.Mode) & 0o777,
		owner:    raw.Uid,
		device:   uint64(raw.Dev),
		inode:    raw.Ino,
		size:     raw.Size,
		modified: modified,
		changed:  changed,
	}
}

func kindOf(mode uint32) kind {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return kindFile
	case syscall.S_IFDIR:
		return kindDirectory
	case syscall.S_IFLNK:
		return kindLink
	default:
		return kindOther
	}
}
