package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// startsPerRound is how often each kind of start is measured in a round: with five
	// rounds fifteen times.
	startsPerRound = 3
	// readyEvery is how often a starting server is asked whether it is ready.
	readyEvery = 250 * time.Microsecond
	// leastStart is the program that only compiles the policy.
	leastStart       = "./leaststart"
	leastStartFigure = "startup/least/ms"
)

// startup measures how long policyd takes from exec to the first 200 of /readyz.
type startup struct {
	bench          *bench
	program, least string
	number         int
}

func (s *startup) prepare(ctx context.Context, b *bench) (err error) {
	s.bench = b
	if s.program, err = b.build(ctx, policydPackage); err != nil {
		return err
	}
	if s.least, err = b.build(ctx, leastStart, "-C", benchModule); err != nil {
		return err
	}
	_, err = s.start(ctx, "startup") // what exists later, and a warm disk
	return err
}

func (s *startup) round(ctx context.Context, taken *samples) error {
	for range startsPerRound {
		s.number++
		fresh := fmt.Sprintf("startup-%d", s.number)
		for name, state := range map[string]string{"existing": "startup", "empty": fresh} {
			took, err := s.start(ctx, state)
			if err != nil {
				return err
			}
			taken.add("startup/"+name+"/ms", float64(took.Microseconds())/1e3)
		}
		began := time.Now()
		if err := exec.CommandContext(ctx, s.least).Run(); err != nil {
			return fmt.Errorf("compile the policy alone: %w", err)
		}
		taken.add(leastStartFigure, float64(time.Since(began).Microseconds())/1e3)
		if err := os.RemoveAll(filepath.Join(s.bench.dir, fresh)); err != nil {
			return fmt.Errorf("remove state: %w", err)
		}
	}
	return nil
}

// start starts policyd, waits until it is ready, and ends it.
func (s *startup) start(ctx context.Context, state string) (time.Duration, error) {
	dir, err := s.bench.under(state)
	if err != nil {
		return 0, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	p, err := s.bench.launch(ctx, s.bench.policydEnvironment(), s.program,
		"serve", "--addr", address, "--state-dir", dir, "--run-dir", filepath.Join(dir, "run"))
	if err != nil {
		return 0, err
	}
	defer p.stop()
	at := endpoint{"tcp", address}
	err = retry(ctx, readyEvery, func() error {
		_, err := at.get(ctx, "/readyz")
		return err
	})
	return time.Since(began), err
}

func (*startup) close() error { return nil }

func (*startup) report(out io.Writer, taken *samples) {
	fmt.Fprint(out, startupProse)
	fmt.Fprint(out, "\n| state directory | ms, median | starts |\n|---|---|---|\n")
	for _, name := range []string{"existing", "empty"} {
		figure := "startup/" + name + "/ms"
		fmt.Fprintf(out, "| %s | %.0f | %d |\n", name, taken.median(figure), len(taken.values[figure]))
	}
	fmt.Fprintf(out, "| none, a program that only compiles the policy | %.0f | %d |\n",
		taken.median(leastStartFigure), len(taken.values[leastStartFigure]))
}

const startupProse = `
## Start

How it is measured: from starting the program to the first 200 of ` + "`GET /readyz`" + `, which means that the policy is
compiled and is the one that passed its cases where it was built, the store is open, and the decision log can be written. The program's file is in
the page cache. An existing state directory has a database and tokens; an empty one gets both.
The last row is test/bench/leaststart, which parses and compiles the same policy with OPA as it comes, from its start to
its end.
`
