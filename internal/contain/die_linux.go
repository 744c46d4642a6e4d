//go:build amd64 || arm64

package contain

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// resetSignal restores the kernel's own action: Go's would print stack traces for some signals.
func resetSignal(signal int) {
	var defaults struct {
		handler, flags, restorer, mask uint64
	}
	const maskSize = 8
	//nolint:gosec // the kernel reads the structure
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(&defaults)), 0, maskSize, 0, 0)
}

// raise sends to the calling thread, so that the signal arrives before raise returns.
func raise(signal unix.Signal) { _ = unix.Tgkill(unix.Getpid(), unix.Gettid(), signal) }
