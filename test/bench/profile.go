package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

const (
	// profiledFunction is what the profiles are of: everything that it calls.
	profiledFunction = "policyd/internal/sidecar.wholeWay"
	profiledBench    = "^BenchmarkDecide$/^three_commands$/^first$"
	mostLines        = 15
	cpuSample        = "cpu"
	objectSample     = "alloc_objects"
)

// profiled states where time and allocations of the three commands go.
type profiled struct {
	wiring       *goBenchmarks
	dir          string
	time, memory *profile.Profile
}

func (p *profiled) prepare(ctx context.Context, b *bench) (err error) {
	if p.wiring, err = newGoBenchmarks(ctx, b, wiringTests); err != nil {
		return err
	}
	p.dir, err = b.under("profiles")
	return err
}

// round profiles the time, and puts the profiles of all rounds together. Allocations,
// which are the same in each, are profiled once. What is measured meanwhile is no figure:
// profiling costs.
func (p *profiled) round(ctx context.Context, _ *samples) (err error) {
	time, err := p.take(ctx, "2s", "-test.memprofilerate=0", "-test.cpuprofile=")
	if err != nil {
		return err
	}
	if p.time == nil {
		p.time = time
		p.memory, err = p.take(ctx, "2000x", "-test.memprofilerate=128", "-test.memprofile=")
		return err
	}
	if p.time, err = profile.Merge([]*profile.Profile{p.time, time}); err != nil {
		return fmt.Errorf("merge profiles: %w", err)
	}
	return nil
}

// take runs the benchmark for so long with a flag that names the profile's file.
func (p *profiled) take(ctx context.Context, long, rate, flag string) (*profile.Profile, error) {
	file := filepath.Join(p.dir, "profile")
	if err := p.wiring.run(ctx, newSamples(), "profile", profiledBench, long, rate, flag+file); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	read, err := profile.ParseData(text)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	return read, nil
}

func (*profiled) close() error { return nil }

func (p *profiled) report(out io.Writer, taken *samples) {
	if p.time == nil {
		return
	}
	perDecision := taken.median("decide/three_commands/first/allocations")
	fmt.Fprint(out, profileProse)
	time, objects := tally(p.time, cpuSample, packageOf), tally(p.memory, objectSample, packageOf)
	fmt.Fprint(out, "\n### By package\n\n| package | share of the time | allocations a decision |\n|---|---|---|\n")
	for _, line := range time.top(mostLines) {
		fmt.Fprintf(out, "| %s | %.1f %% | %.0f |\n", line, 100*time.share(line), objects.share(line)*perDecision)
	}
	fmt.Fprint(out, "\n### By function\n\n| function | share of the time |\n|---|---|\n")
	functions := tally(p.time, cpuSample, whole)
	for _, line := range functions.top(mostLines) {
		fmt.Fprintf(out, "| `%s` | %.1f %% |\n", line, 100*functions.share(line))
	}
	fmt.Fprint(out, "\n| function | share of the allocations | a decision |\n|---|---|---|\n")
	functions = tally(p.memory, objectSample, whole)
	for _, line := range functions.top(mostLines) {
		fmt.Fprintf(out, "| `%s` | %.1f %% | %.0f |\n", line, 100*functions.share(line), functions.share(line)*perDecision)
	}
}

// counts are the values of a profile's samples by something that their innermost
// function has.
type counts struct {
	by  map[string]int64
	all int64
}

// tally counts the samples that were taken below the profiled function.
func tally(of *profile.Profile, sample string, name func(function string) string) counts {
	c := counts{by: map[string]int64{}}
	column := slices.IndexFunc(of.SampleType, func(kind *profile.ValueType) bool { return kind.Type == sample })
	if column < 0 {
		return c
	}
	for _, s := range of.Sample {
		stack := functionsOf(s)
		if !slices.Contains(stack, profiledFunction) {
			continue
		}
		c.by[name(stack[0])] += s.Value[column]
		c.all += s.Value[column]
	}
	return c
}

// functionsOf is the stack of a sample, innermost first.
func functionsOf(s *profile.Sample) []string {
	var stack []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			// Of a generic function all shapes are one.
			name, _, _ := strings.Cut(line.Function.Name, "[")
			stack = append(stack, name)
		}
	}
	return stack
}

func (c counts) share(name string) float64 { return float64(c.by[name]) / float64(max(c.all, 1)) }

// top are the names with the most, in order.
func (c counts) top(n int) []string {
	names := slices.SortedFunc(maps.Keys(c.by), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.by[b], c.by[a]), cmp.Compare(a, b))
	})
	return names[:min(n, len(names))]
}

func whole(function string) string { return function }

// packageOf is the package of a function: what precedes the first full stop after the last slash. Functions
// in assembly have none.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, found := strings.Cut(function[slash:], ".")
	if !found {
		return "assembly"
	}
	return function[:slash] + name
}

const profileProse = `
## Where the time goes

How it is measured: profiles of Go's own profiler over first calls of the three commands, only what happens within a
decision; the collection of garbage beside it is not in them. A line is what a package or function does itself, without
what it calls.
`
