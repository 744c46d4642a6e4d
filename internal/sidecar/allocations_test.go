package sidecar

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the committed allocations anew")

const (
	// allocationsFile holds what a decision allocates, by name.
	allocationsFile = "testdata/allocations.json"
	// mostGrowth bounds how much a figure may grow, and mostGain how much it may fall before the file must be
	// updated: an unrecorded gain can be lost.
	mostGrowth, mostGain = 1.05, 0.9
)

// TestDecisionsKeepTheirAllocations checks the number of allocations of one decision, from request bytes to
// answer bytes, the record written. It depends neither on the machine nor on what else runs there. -update
// rewrites the figures.
func TestDecisionsKeepTheirAllocations(t *testing.T) {
	if underRace {
		t.Skip("pools lose things under the race detector")
	}
	counted := countAllocations(t)
	if *update {
		text, err := json.MarshalIndent(counted, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(allocationsFile, append(text, '\n'), 0o600))
	}
	text, err := os.ReadFile(allocationsFile)
	require.NoError(t, err)
	var committed map[string]float64
	require.NoError(t, json.Unmarshal(text, &committed))
	require.ElementsMatch(t, slices.Collect(maps.Keys(counted)), slices.Collect(maps.Keys(committed)),
		"%s doesn't hold the calls that are counted: run go test ./internal/sidecar -run %s -update", allocationsFile, t.Name())
	for name, count := range counted {
		before := committed[name]
		t.Logf("%s: %.0f allocations, committed %.0f", name, count, before)
		assert.LessOrEqualf(t, count, before*mostGrowth, "%s allocates more than the committed %.0f and a twentieth", name, before)
		assert.GreaterOrEqualf(t, count, before*mostGain,
			"%s allocates %.0f, a tenth less than the committed %.0f: keep the gain with go test ./internal/sidecar -run %s -update, "+
				"and commit %s", name, count, before, t.Name(), allocationsFile)
	}
}

// countAllocations counts calls with nothing remembered of decisions, and one that
// is repeated.
func countAllocations(t *testing.T) map[string]float64 {
	t.Helper()
	tree := benchmarkTree(t, 0)
	decider, uncached := benchmarkSidecar(t, tree), benchmarkSidecar(t, tree, cacheOff)
	counted := map[string]float64{}
	for _, call := range benchmarkCalls() {
		body := requestBody(t, tree, call.tool, call.fixed)
		counted[call.name] = allocationsOf(t, uncached, body)
		if call.name == "three_commands" {
			counted[call.name+"_repeated"] = allocationsOf(t, decider, body)
		}
	}
	return counted
}

// allocationsOf is the least of several counts: a goroutine of the sidecar's own, or
// a pool that grows, can only add.
func allocationsOf(t *testing.T, decider *Sidecar, body []byte) float64 {
	t.Helper()
	requireAllowed(t, decider, body)
	// A collection empties pools, which would be filled again.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := 0.0
	for round := range 5 {
		count := testing.AllocsPerRun(100, func() { _, _ = wholeWay(t.Context(), decider, body) })
		if round == 0 || count < least {
			least = count
		}
	}
	return least
}
