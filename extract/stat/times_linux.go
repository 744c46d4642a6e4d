package stat

import (
	"syscall"
	"time"
)

func timesOf(raw *syscall.Stat_t) (modified, changed time.Duration) {
	return time.Duration(raw.Mtim.Nano()), time.Duration(raw.Ctim.Nano())
}
