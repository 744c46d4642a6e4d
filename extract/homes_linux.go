package extract

import (
	"syscall"
	"time"
)

func stampHome(path string) (homeStamp, bool) {
	var raw syscall.Stat_t
	if err := syscall.Lstat(path, &raw); err != nil {
		return homeStamp{}, false
	}
	return homeStamp{
		device: raw.Dev, inode: raw.Ino,
		modified: time.Duration(raw.Mtim.Nano()), changed: time.Duration(raw.Ctim.Nano()),
	}, true
}
