package bundles

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

// BenchmarkJudgeDuringReloads reports the p99 of judgements in a second without a reload and in one in which
// a bundle is checked and replaced, in turns, so that other load slows both. It also reports the quotient of
// both, which must be at most 2. Each figure is the median of all seconds.
func BenchmarkJudgeDuringReloads(b *testing.B) {
	e, change := reloadable(b)
	in := threeCommands()
	var quiet, busy, quotients []float64
	for b.Loop() {
		without := slowest(b, e, in)
		changed := make(chan error)
		go func() { changed <- change() }()
		with := slowest(b, e, in)
		require.NoError(b, <-changed)
		quiet, busy, quotients = append(quiet, without), append(busy, with), append(quotients, with/without)
	}
	b.ReportMetric(median(quiet), "quiet-p99-µs")
	b.ReportMetric(median(busy), "reload-p99-µs")
	b.ReportMetric(median(quotients), "quotient")
}

// BenchmarkReload measures one check and replacement of a bundle beside the embedded one.
func BenchmarkReload(b *testing.B) {
	_, change := reloadable(b)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, change())
	}
}

// reloadable makes an engine, and a function that changes its source and reloads it.
func reloadable(tb testing.TB) (*Engine, func() error) {
	tb.Helper()
	dir := tb.TempDir()
	writeTree(tb, dir, site("team", "t", denying("no such verb")))
	e, err := New(tb.Context(), Options{FS: policies.FS, Source: dir, Deadline: time.Minute})
	require.NoError(tb, err)
	tb.Cleanup(e.Close)
	changes := 0
	return e, func() error {
		changes++
		rules := "package site.team\n\n" + denying(fmt.Sprint("no such verb ", changes)) + "\n"
		if err := os.WriteFile(filepath.Join(dir, "site/team/team.rego"), []byte(rules), 0o600); err != nil {
			return err
		}
		return e.Reload(context.Background())
	}
}

// slowest judges anew for a second and returns the p99 in microseconds.
func slowest(b *testing.B, e *Engine, in *v1.Input) float64 {
	b.Helper()
	var took []time.Duration
	for begin := time.Now(); time.Since(begin) < time.Second; {
		start := time.Now()
		if _, err := e.Current().judge(b.Context(), in); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return float64(took[len(took)*99/100].Nanoseconds()) / 1e3
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
