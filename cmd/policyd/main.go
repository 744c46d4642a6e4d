package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"policyd/internal/contain"
)

// memoryForSpeed is the garbage collector's target unless the environment sets one: half as many decisions
// per second again, for 13 MB more.
const memoryForSpeed = 400

func main() {
	contain.Stage()
	os.Exit(start())
}

// start runs the program and returns its exit status, so that deferred work is
// done before the process ends.
func start() int {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(memoryForSpeed)
	}
	limitMemory(os.LookupEnv, os.DirFS("/"))
	// Rules can request the time in the zone "Local", and have to give the same result everywhere.
	time.Local = time.UTC
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	program := &Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv}
	return program.Run(ctx, os.Args[1:])
}
