package bundles

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// BenchmarkJudgeDuringReloads reports how long the slowest hundredth of judgements takes
// (p99) while nothing else happens, and while a bundle is checked and replaced every
// second, or without a pause. The bar is twice the quiet p99 with a reload every second.
func BenchmarkJudgeDuringReloads(b *testing.B) {
	for name, pause := range map[string]time.Duration{"quiet": -1, "every second": time.Second, "without a pause": 0} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			writeTree(b, dir, site("team", "t", denying("no such verb")))
			e, err := New(b.Context(), Options{FS: policies.FS, Source: dir, Deadline: time.Minute})
			require.NoError(b, err)
			defer e.Close()
			ctx, stop := context.WithCancel(b.Context())
			done := make(chan error)
			reloads := 0
			go func() {
				var err error
				reloads, err = reloadUntil(ctx, e, filepath.Join(dir, "site/team/team.rego"), pause)
				done <- err
			}()
			in := threeCommands()
			took := make([]time.Duration, 0, 1<<20)
			for b.Loop() {
				start := time.Now()
				if _, err := e.Current().Judge(b.Context(), in); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			stop()
			require.NoError(b, <-done)
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
			b.ReportMetric(float64(reloads), "reloads")
		})
	}
}

// reloadUntil changes and reloads the bundle until ctx ends, and returns how often.
func reloadUntil(ctx context.Context, e *Engine, file string, pause time.Duration) (reloads int, err error) {
	verbs := []string{"no such verb", "nor such a one"}
	for pause >= 0 && ctx.Err() == nil {
		rules := "package site.team\n\n" + denying(verbs[reloads%2]) + "\n"
		if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
			return reloads, err
		}
		if err := e.Reload(context.Background()); err != nil {
			return reloads, err
		}
		reloads++
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return reloads, nil
}
