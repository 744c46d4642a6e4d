//go:build unix

package main

import (
	"math"
	"syscall"
)

// descriptorLimit is how many file descriptors this process may have, 0 for any number.
func descriptorLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
