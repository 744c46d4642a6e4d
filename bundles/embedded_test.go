package bundles

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

// The bundle that is built in passes every check of an operator's bundle, its own tests
// among them, and judges without a fault.
func TestEmbeddedBundleActivates(t *testing.T) {
	e := newEngine(t, Options{FS: policies.FS, TestOnActivate: true})
	status := threeCommands()
	status.Items = status.Items[2:]
	status.Paths, status.Verbs, status.Names = nil, []string{"git status"}, nil
	judgement, err := e.Current().Judge(t.Context(), status)
	require.NoError(t, err)
	require.Equal(t, v1.EffectAllow, judgement.Effect, "%+v", judgement)

	judgement, err = e.Current().Judge(t.Context(), nothing())
	require.NoError(t, err)
	require.NotEqual(t, v1.EffectAllow, judgement.Effect)
}

// shortLine is what "cd src && git status && ls -la" looks like.
func shortLine(tb testing.TB) *v1.Input {
	tb.Helper()
	text, err := os.ReadFile("testdata/three_commands.json")
	require.NoError(tb, err)
	var in v1.Input
	require.NoError(tb, json.Unmarshal(text, &in))
	return &in
}

// BenchmarkJudgeEmbedded measures the judgement of a line that is new, and of one that is
// remembered.
func BenchmarkJudgeEmbedded(b *testing.B) {
	for name, remembered := range map[string]int{"evaluated": 0, "remembered": 1000} {
		b.Run(name, func(b *testing.B) {
			e, err := New(b.Context(), Options{FS: policies.FS, Remembered: remembered})
			require.NoError(b, err)
			b.Cleanup(e.Close)
			in, snapshot, ctx := shortLine(b), e.Current(), b.Context()
			judgement, err := snapshot.Judge(ctx, in)
			require.NoError(b, err)
			require.Equal(b, v1.EffectAllow, judgement.Effect)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := snapshot.Judge(ctx, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
