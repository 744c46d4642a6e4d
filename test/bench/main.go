// Bench measures policyd, and writes docs/benchmarks.md with its figures and plots:
// the decision in process, the service beside a bare Echo handler, OPA's own server and
// cedar-go, how the cost grows, how long a start takes, and memory.
//
// Everything is measured in rounds. A round measures each thing once, one after the
// other, so that whatever else the machine does falls on all of them; what is reported is
// the median of the rounds, and of a ratio the median of each round's ratio. Only ratios
// are worth comparing between machines.
//
// It is a module of its own, so that what it draws and compares with never reaches the
// program's dependencies.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// options are the program's flags.
type options struct {
	rounds    int
	slice     time.Duration
	only      string
	decisions int64
	write     bool
	before    string
	cache     bool
	bare      string
	answer    string
	duties    string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "how often everything is measured")
	flag.DurationVar(&o.slice, "slice", 600*time.Millisecond, "how long one measurement over HTTP takes")
	flag.StringVar(&o.only, "only", "", "measure these `suites` alone, with commas between: "+strings.Join(suiteNames(), ","))
	flag.Int64Var(&o.decisions, "decisions", 100_000, "how many decisions memory may not grow over")
	flag.BoolVar(&o.write, "write", false, "write docs/benchmarks.md, its figures and plots, and the table of README.md")
	flag.StringVar(&o.before, "before", "", "compare with the figures of an earlier run, a `file` such as docs/benchmarks.json")
	flag.BoolVar(&o.cache, "cache", true, "leave policyd the memory of decisions that it comes with")
	flag.StringVar(&o.bare, "bare", "", "serve the bare handler at this `address` instead of measuring")
	flag.StringVar(&o.answer, "answer", "", "`file` that holds the bare handler's answer")
	flag.StringVar(&o.duties, "duties", "", "`file` that holds what the bare handler has to do before it answers")
	flag.Parse()
	os.Exit(status(o))
}

func status(o options) int {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(garbagePercent) // this process judges by cedar-go, and serves the bare handler
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, o options) error {
	if o.bare != "" {
		return serveBare(ctx, o)
	}
	suites, err := choose(o.only)
	if err != nil {
		return err
	}
	if o.write && o.only != "" {
		return errors.New("write report: -only measures a part, and the report holds everything")
	}
	before, err := readFigures(o.before)
	if err != nil {
		return err
	}
	began := time.Now()
	taken, err := measure(ctx, o, suites)
	if err != nil {
		return err
	}
	taken.took = time.Since(began)
	return writeReport(o, taken, before)
}
