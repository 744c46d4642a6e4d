package bundles

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

// inputsVariable names a directory of inputs, NAME.json, that are measured instead of
// the one in testdata: those of another benchmark.
const inputsVariable = "POLICYD_BENCH_INPUTS"

// BenchmarkStages measures the parts of a judgement by the built-in policy apart:
// writing the input as terms, evaluating, and reading the result.
func BenchmarkStages(b *testing.B) {
	e, err := New(b.Context(), Options{FS: policies.FS, Deadline: time.Minute})
	require.NoError(b, err)
	b.Cleanup(e.Close)
	for name, in := range stageInputs(b) {
		b.Run(name, func(b *testing.B) { benchmarkStages(b, e.Current(), in) })
	}
}

func benchmarkStages(b *testing.B, s *Snapshot, in *v1.Input) {
	b.Helper()
	input, err := s.words.inputTerm(in)
	require.NoError(b, err)
	result, err := s.evaluate(b.Context(), input)
	require.NoError(b, err)
	judgement, err := s.words.judgement(result, in)
	require.NoError(b, err)
	require.Equal(b, v1.EffectAllow, judgement.Effect)
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"input", func() error { _, err := s.words.inputTerm(in); return err }},
		{"eval", func() error { _, err := s.evaluate(b.Context(), input); return err }},
		{"result", func() error { _, err := s.words.judgement(result, in); return err }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := part.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func stageInputs(b *testing.B) map[string]*v1.Input {
	b.Helper()
	dir := os.Getenv(inputsVariable)
	if dir == "" {
		return map[string]*v1.Input{"three_commands": shortLine(b)}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(b, err)
	require.NotEmpty(b, files)
	inputs := map[string]*v1.Input{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(b, err)
		var in v1.Input
		require.NoError(b, json.Unmarshal(text, &in), file)
		inputs[strings.TrimSuffix(filepath.Base(file), ".json")] = &in
	}
	return inputs
}
