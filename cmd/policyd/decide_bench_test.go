package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	fast "github.com/goccy/go-json"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/config"
	"policyd/internal/gate"
	"policyd/internal/strict"
	"policyd/test/project"
)

// benchmarkCalls are the calls that the budget is kept for.
func benchmarkCalls() []struct{ name, tool, args string } {
	return []struct{ name, tool, args string }{
		{"file_read", "Read", `{"file_path":"README.md"}`},
		{"git_status", "Bash", `{"command":"git status"}`},
		{"three_commands", "Bash", `{"command":"cd src && git status && ls -la"}`},
	}
}

// mostAllocations is the budget of the three-command line.
const mostAllocations = 673

// BenchmarkDecide measures the whole way, from request bytes to answer bytes,
// the record written.
func BenchmarkDecide(b *testing.B) {
	decider, tree := benchmarkSidecar(b)
	for _, call := range benchmarkCalls() {
		b.Run(call.name, func(b *testing.B) {
			body := requestBody(b, tree, call.tool, call.args)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wholeWay(b.Context(), decider, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestDecideKeepsItsBudget holds the number of allocations, which doesn't
// depend on the machine.
func TestDecideKeepsItsBudget(t *testing.T) {
	decider, tree := benchmarkSidecar(t)
	call := benchmarkCalls()[2]
	body := requestBody(t, tree, call.tool, call.args)
	effect, err := wholeWay(t.Context(), decider, body)
	require.NoError(t, err)
	require.Equal(t, v1.EffectAllow, effect, "the budget is kept for a line that is allowed")
	allocations := testing.AllocsPerRun(200, func() {
		_, _ = wholeWay(t.Context(), decider, body)
	})
	t.Logf("%.0f allocations", allocations)
	require.LessOrEqual(t, allocations, float64(mostAllocations))
}

func wholeWay(ctx context.Context, decider *sidecar, body []byte) (v1.Effect, error) {
	call, err := strict.DecodeCall(body)
	if err != nil {
		return v1.EffectDeny, err
	}
	decision := decider.gate.Decide(ctx, call, gate.DecideOptions{})
	_, err = fast.Marshal(&decision)
	return decision.Effect, err
}

func benchmarkSidecar(tb testing.TB) (*sidecar, project.Tree) {
	tb.Helper()
	tree, err := project.New(tb.Context(), tb.TempDir())
	require.NoError(tb, err)
	state := filepath.Join(tb.TempDir(), "state")
	loaded, err := config.Load("", func(name string) (string, bool) { return tree.Home, name == "HOME" },
		map[string]string{"state_dir": state})
	require.NoError(tb, err)
	decider, err := newSidecar(tb.Context(), &settings{
		Config: loaded, home: tree.Home, platform: runtime.GOOS,
		// A repository that was made this second is never remembered.
		now: func() time.Time { return time.Now().Add(time.Hour) },
	},
		slog.New(slog.DiscardHandler))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, decider.Close()) })
	return decider, tree
}

func requestBody(tb testing.TB, tree project.Tree, tool, args string) []byte {
	tb.Helper()
	body, err := json.Marshal(v1.Call{
		Tool: tool, Args: json.RawMessage(args), Cwd: tree.Project,
		Session: v1.Session{
			ID: "bench", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: tree.Project,
			Interactive: new(true), Platform: "linux", Home: tree.Home,
		},
	})
	require.NoError(tb, err)
	return body
}
