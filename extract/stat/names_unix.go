//go:build unix && !linux && !darwin

package stat

import (
	"io/fs"
	"syscall"
)

func namesOf(info fs.FileInfo) uint64 {
	if raw, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(raw.Nlink) //nolint:unconvert // the field's width differs between platforms
	}
	return 1
}
