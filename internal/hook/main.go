package hook

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// Main runs the hook in this process, on its own standard streams, and returns
// the exit status. args are the command line without the program's name.
func Main(args []string) int {
	// The process ends before there is anything to collect: what it reads is bounded.
	debug.SetGCPercent(-1)
	// The HTTP client's own lines are not for the agent program's users.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	// A client that no longer reads sees the exit status, not a signal.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	program := &Program{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, Platform: runtime.GOOS,
	}
	return program.Run(ctx, args)
}
