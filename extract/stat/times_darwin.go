package stat

import (
	"syscall"
	"time"
)

func timesOf(raw *syscall.Stat_t) (modified, changed time.Duration) {
	return time.Duration(raw.Mtimespec.Nano()), time.Duration(raw.Ctimespec.Nano())
}
