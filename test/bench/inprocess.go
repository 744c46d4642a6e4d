package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
)

// figure is what one decision costs in process: medians of several runs.
type figure struct {
	name        string
	nanoseconds float64
	allocations float64
	bytes       float64
}

const inProcessRuns = 5

var benchmarkLine = regexp.MustCompile(`(?m)^BenchmarkDecide/(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+(\d+) B/op\s+(\d+) allocs/op`)

// measureInProcess runs the benchmark of the whole way, from request bytes to
// answer bytes, that lies beside the wiring.
func measureInProcess(ctx context.Context) ([]figure, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkDecide$", "-benchmem",
		"-count", strconv.Itoa(inProcessRuns), "./cmd/policyd")
	cmd.Env = append(os.Environ(), "GOGC=400") // as the program sets it for itself
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run benchmark: %w: %s", err, out)
	}
	var order []string
	runs := map[string][]figure{}
	for _, match := range benchmarkLine.FindAllStringSubmatch(string(out), -1) {
		f := figure{name: match[1]}
		for i, field := range []*float64{&f.nanoseconds, &f.bytes, &f.allocations} {
			if *field, err = strconv.ParseFloat(match[i+2], 64); err != nil {
				return nil, fmt.Errorf("read benchmark: %w", err)
			}
		}
		if runs[f.name] == nil {
			order = append(order, f.name)
		}
		runs[f.name] = append(runs[f.name], f)
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("read benchmark: no figures in %s", out)
	}
	var figures []figure
	for _, name := range order {
		figures = append(figures, middle(runs[name]))
	}
	return figures, nil
}

// middle is the run of median time.
func middle(runs []figure) figure {
	slices.SortFunc(runs, func(a, b figure) int { return int(a.nanoseconds - b.nanoseconds) })
	return runs[len(runs)/2]
}
