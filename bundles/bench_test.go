package bundles

import (
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

func smallEngine(tb testing.TB) *Engine {
	tb.Helper()
	e, err := New(tb.Context(), unsmoked(Options{Source: "testdata/small"}))
	require.NoError(tb, err)
	tb.Cleanup(e.Close)
	return e
}

// The bounds leave a twentieth above what was measured, which is the same on every
// machine. An input is built of what the inputs before it left, as in a session.
func TestJudgeAllocatesLittle(t *testing.T) {
	if underRace {
		t.Skip("pools lose things under the race detector")
	}
	in := threeCommands()
	words := newVocabulary()
	building := allocations(func() error {
		_, err := words.inputTerm(in)
		return err
	})
	small := judging(t, smallEngine(t), in)
	embedded := newEngine(t, Options{FS: policies.FS})
	whole := judging(t, embedded, shortLine(t))
	t.Logf("allocations: input %v, judgement by a small policy %v, by the embedded one %v", building, small, whole)
	require.LessOrEqual(t, building, 63.0)
	require.LessOrEqual(t, small, 375.0)
	require.LessOrEqual(t, whole, 258.0)
	repeated := judging(t, newEngine(t, Options{FS: policies.FS, Remembered: 100}), shortLine(t))
	require.LessOrEqual(t, repeated, 1.0, "the covers are copied, and nothing else")
}

func judging(t *testing.T, e *Engine, in *v1.Input) float64 {
	t.Helper()
	snapshot, ctx := e.Current(), t.Context()
	return allocations(func() error {
		_, err := snapshot.Judge(ctx, in)
		return err
	})
}

func allocations(run func() error) float64 {
	return testing.AllocsPerRun(100, func() {
		if err := run(); err != nil {
			panic(err)
		}
	})
}

func BenchmarkInput(b *testing.B) {
	in, words := threeCommands(), newVocabulary()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := words.inputTerm(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	in, snapshot, ctx := threeCommands(), smallEngine(b).Current(), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := snapshot.Judge(ctx, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJudgeParallel(b *testing.B) {
	in, snapshot, ctx := threeCommands(), smallEngine(b).Current(), b.Context()
	b.ReportAllocs()
	b.RunParallel(func(each *testing.PB) {
		for each.Next() {
			if _, err := snapshot.Judge(ctx, in); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
