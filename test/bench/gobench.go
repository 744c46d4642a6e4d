package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// goBenchmarks are the benchmarks of a package that was built for testing.
type goBenchmarks struct {
	program string
	// dir is the package's own, where its tests expect to be run.
	dir string
	env []string
}

// newGoBenchmarks builds the benchmarks of a package, by its path from the module's root.
func newGoBenchmarks(ctx context.Context, b *bench, pkg string, env ...string) (*goBenchmarks, error) {
	program, err := b.buildTests(ctx, "./"+pkg)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(pkg)
	if err != nil {
		return nil, fmt.Errorf("find package: %w", err)
	}
	gc := fmt.Sprintf("GOGC=%d", garbagePercent) // as the program sets it for itself
	return &goBenchmarks{program: program, dir: dir, env: append(env, gc)}, nil
}

// run runs the benchmarks that match once, each for the given time or number of runs, and adds the
// measurements below prefix. It omits the first part of a benchmark's name.
func (g *goBenchmarks) run(ctx context.Context, taken *samples, prefix, match, long string, flags ...string) error {
	arguments := append([]string{"-test.run=^$", "-test.bench=" + match, "-test.benchtime=" + long}, flags...)
	cmd := exec.CommandContext(ctx, g.program, arguments...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), g.env...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("run benchmark %s: %w: %s%s", match, err, out, &problems)
	}
	found := 0
	results := benchfmt.NewReader(bytes.NewReader(out), match)
	for results.Scan() {
		result, isResult := results.Result().(*benchfmt.Result)
		if !isResult {
			continue
		}
		found++
		_, parts := result.Name.Parts()
		name := prefix
		for _, part := range parts {
			if !bytes.HasPrefix(part, []byte("-")) { // the number of processors
				name += string(part)
			}
		}
		for _, value := range result.Values {
			taken.add(name+"/"+unit(value.Unit), plain(value))
		}
	}
	if err := results.Err(); err != nil {
		return fmt.Errorf("read benchmark %s: %w", match, err)
	}
	if found == 0 {
		return fmt.Errorf("read benchmark %s: no figures in %s", match, out)
	}
	return nil
}

// unit is the last part of a figure's name.
func unit(of string) string {
	switch of {
	case "sec/op":
		return "us"
	case "B/op":
		return "bytes"
	case "allocs/op":
		return "allocations"
	}
	return strings.ReplaceAll(of, "/", "_per_")
}

// plain is the value in the unit that it is named by.
func plain(value benchfmt.Value) float64 {
	if value.Unit == "sec/op" {
		return value.Value * 1e6
	}
	return value.Value
}
