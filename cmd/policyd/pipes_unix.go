//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// keepPipes keeps the program alive when its reader goes away, so that it can finish. It doesn't affect
// programs that it starts.
func keepPipes() (release func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}
