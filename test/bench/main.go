// Bench measures policyd and writes docs/benchmarks.md: the decision in process,
// and the service over HTTP beside a bare Echo handler and OPA's own server.
//
// The three servers are measured in turns within one run, so that whatever else
// the machine does falls on all of them. Only ratios are worth comparing
// between machines.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"policyd/test/project"
)

// options are the program's flags.
type options struct {
	out    string
	rounds int
	slice  time.Duration
	bare   string
	answer string
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "", "file to write the report to, besides standard output")
	flag.IntVar(&o.rounds, "rounds", 6, "how often each server is measured at each number of connections")
	flag.DurationVar(&o.slice, "slice", time.Second, "how long one measurement takes")
	flag.StringVar(&o.bare, "bare", "", "serve the bare handler at this address instead of measuring")
	flag.StringVar(&o.answer, "answer", "", "file that holds the bare handler's answer")
	flag.Parse()
	os.Exit(status(o))
}

func status(o options) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, o options) (err error) {
	if o.bare != "" {
		return serveBare(ctx, o.bare, o.answer)
	}
	dir, err := os.MkdirTemp("", "pdbench")
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	tree, err := project.New(ctx, filepath.Clean(dir))
	if err != nil {
		return err
	}
	inProcess, err := measureInProcess(ctx)
	if err != nil {
		return err
	}
	servers, stop, err := startServers(ctx, dir, tree)
	if err != nil {
		return err
	}
	defer stop()
	results, err := measureInTurns(ctx, servers, o)
	if err != nil {
		return err
	}
	return writeReport(o, inProcess, servers, results)
}
