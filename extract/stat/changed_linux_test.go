package stat_test

import (
	"syscall"
	"time"
)

func changed(raw *syscall.Stat_t) time.Duration { return time.Duration(raw.Ctim.Nano()) }
