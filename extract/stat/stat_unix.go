//go:build linux || darwin

package stat

import (
	"os"
	"syscall"
)

// Exact reports that a stamp changes whenever content does.
const Exact = true

// Open describes an open file.
func Open(file *os.File) (Stamp, error) {
	info, err := file.Stat()
	if err != nil {
		return Stamp{}, err
	}
	raw, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}, os.ErrInvalid
	}
	return stampOf(raw), nil
}

// portable asks by the standard library, which copies the path to the heap.
func portable(path string, follow bool, raw *syscall.Stat_t) error {
	if follow {
		return syscall.Stat(path, raw)
	}
	return syscall.Lstat(path, raw)
}

func stampOf(raw *syscall.Stat_t) Stamp {
	modified, changed := timesOf(raw)
	return Stamp{
		Kind:        kindOf(uint32(raw.Mode)), //nolint:unconvert // the field's width differs between platforms
		Sticky:      raw.Mode&syscall.S_ISVTX != 0,
		Permissions: uint32(raw.Mode) & 0o777, //nolint:unconvert // the field's width differs between platforms
		Owner:       raw.Uid,
		Device:      uint64(raw.Dev), //nolint:unconvert // the field's width differs between platforms
		Inode:       raw.Ino,
		Names:       uint64(raw.Nlink), //nolint:unconvert // the field's width differs between platforms
		Size:        raw.Size,
		Modified:    modified,
		Changed:     changed,
	}
}

func kindOf(mode uint32) Kind {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return File
	case syscall.S_IFDIR:
		return Directory
	case syscall.S_IFLNK:
		return Link
	default:
		return Other
	}
}
