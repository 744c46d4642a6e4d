//go:build unix

package contain

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Die ends this process by a signal, as the program that was run ended. It returns if the signal doesn't
// end a process.
func Die(signal int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	resetSignal(signal)
	raise(unix.Signal(signal))
}
