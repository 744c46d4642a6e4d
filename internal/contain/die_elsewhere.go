//go:build unix && !(linux && (amd64 || arm64))

package contain

import (
	"os/signal"

	"golang.org/x/sys/unix"
)

func resetSignal(number int) { signal.Reset(unix.Signal(number)) }

func raise(number unix.Signal) { _ = unix.Kill(unix.Getpid(), number) }
