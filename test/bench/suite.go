package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// suite measures one kind of thing.
type suite interface {
	// prepare builds and starts what is measured.
	prepare(ctx context.Context, b *bench) error
	// round measures everything once.
	round(ctx context.Context, taken *samples) error
	// close ends what prepare started. It is called after a failed prepare, too.
	close() error
	// report writes the suite's part of the report.
	report(out io.Writer, taken *samples)
}

// entry is a suite by its name.
type entry struct {
	name string
	make func() suite
}

// allSuites are in the order of the report.
func allSuites() []entry {
	return []entry{
		{"stages", func() suite { return &stages{} }},
		{"http", func() suite { return &overHTTP{} }},
		{"growth", func() suite { return &growth{} }},
		{"reload", func() suite { return &reload{} }},
		{"startup", func() suite { return &startup{} }},
		{"memory", func() suite { return &memory{} }},
		{"hook", func() suite { return &hook{} }},
		{"profile", func() suite { return &profiled{} }},
	}
}

func suiteNames() []string {
	var names []string
	for _, e := range allSuites() {
		names = append(names, e.name)
	}
	return names
}

// choose picks suites by names with commas between; none are all.
func choose(only string) ([]entry, error) {
	all := allSuites()
	if only == "" {
		return all, nil
	}
	wanted := strings.Split(only, ",")
	for _, name := range wanted {
		if !slices.Contains(suiteNames(), name) {
			return nil, fmt.Errorf("choose suites: there is no %q; there are %s", name, strings.Join(suiteNames(), ", "))
		}
	}
	return slices.DeleteFunc(all, func(e entry) bool { return !slices.Contains(wanted, e.name) }), nil
}

// measure prepares the suites and goes through the rounds.
func measure(ctx context.Context, o options, entries []entry) (taken *samples, err error) {
	b, err := newBench(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	taken = newSamples()
	for _, e := range entries {
		made := e.make()
		defer func() { err = errors.Join(err, made.close()) }()
		began := time.Now()
		if err := made.prepare(ctx, b); err != nil {
			return nil, fmt.Errorf("prepare %s: %w", e.name, err)
		}
		fmt.Fprintf(os.Stderr, "bench: prepared %s in %s\n", e.name, time.Since(began).Round(time.Millisecond))
		taken.suites = append(taken.suites, made)
	}
	for round := range o.rounds {
		for i, made := range taken.suites {
			began := time.Now()
			if err := taken.round(ctx, made); err != nil {
				return nil, fmt.Errorf("measure %s: %w", entries[i].name, err)
			}
			fmt.Fprintf(os.Stderr, "bench: round %d of %d: %s took %s\n", round+1, o.rounds, entries[i].name,
				time.Since(began).Round(time.Millisecond))
		}
	}
	return taken, nil
}

// round adds what one round of a suite measures. One that fails is made again, once: a
// long run isn't lost for an answer that came too late.
func (s *samples) round(ctx context.Context, made suite) error {
	taken := newSamples()
	err := made.round(ctx, taken)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "bench: made again:", err)
		taken = newSamples()
		err = made.round(ctx, taken)
	}
	for name, values := range taken.values {
		s.values[name] = append(s.values[name], values...)
	}
	return err
}

// under makes a directory below the bench's own.
func (b *bench) under(name string) (string, error) {
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make directory: %w", err)
	}
	return dir, nil
}
