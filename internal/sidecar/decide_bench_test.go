package sidecar

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/config"
	"policyd/internal/gate"
	"policyd/internal/strict"
	"policyd/internal/wire"
	"policyd/test/project"
)

// variants is how many files the forms of a call go through. It has to be more
// than anything remembers between calls, so that none of them is a repeat.
const variants = 8192

// cacheOff turns the memory of decisions off, by the name that its setting has in
// the environment.
const cacheOff = "POLICYD_DECISION_CACHE_ENTRIES=0"

// benchmarkCall is a call that is measured. In form, %04d represents the number of a file of the project's
// src; fixed is the same call without one.
type benchmarkCall struct{ name, tool, form, fixed string }

func benchmarkCalls() []benchmarkCall {
	return []benchmarkCall{
		{"file_read", "Read", `{"file_path":"src/f%04d.go"}`, `{"file_path":"README.md"}`},
		{"git_status", "Bash", `{"command":"git status src/f%04d.go"}`, `{"command":"git status"}`},
		{
			"three_commands", "Bash",
			`{"command":"cd src && git status && ls -la f%04d.go"}`, `{"command":"cd src && git status && ls -la"}`,
		},
		{
			"twenty_commands", "Bash",
			`{"command":"` + twentyCommands + ` && wc -c f%04d.go"}`, `{"command":"` + twentyCommands + ` && wc -c main.go"}`,
		},
	}
}

// twentyCommands are nineteen, and the forms add the last.
const twentyCommands = "cd src && pwd && ls -la && git status && git diff --stat && git log --oneline -5 && cat main.go && " +
	"head -5 util.go && tail -5 app.py && wc -l main.go && grep -n TODO main.go && sort ../names.txt && uniq ../a.txt && " +
	"cut -d: -f1 ../names.txt && diff ../a.txt ../b.txt && git branch && ls ../docs && echo done && stat main.go"

// BenchmarkDecide measures the whole way, from request bytes to answer bytes, the
// record written: a call that nobody made before (first), the same one over and
// over (repeat), and that with the memory of decisions off (uncached).
func BenchmarkDecide(b *testing.B) {
	tree := benchmarkTree(b, variants)
	decider, uncached := benchmarkSidecar(b, tree), benchmarkSidecar(b, tree, cacheOff)
	for _, call := range benchmarkCalls() {
		bodies := call.bodies(b, tree, variants)
		fixed := [][]byte{requestBody(b, tree, call.tool, call.fixed)}
		b.Run(call.name+"/first", func(b *testing.B) { decideInTurn(b, decider, bodies) })
		b.Run(call.name+"/repeat", func(b *testing.B) { decideInTurn(b, decider, fixed) })
		b.Run(call.name+"/uncached", func(b *testing.B) { decideInTurn(b, uncached, fixed) })
	}
}

// bodies are n requests that differ in what the policy judges.
func (c benchmarkCall) bodies(tb testing.TB, tree project.Tree, n int) [][]byte {
	tb.Helper()
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = requestBody(tb, tree, c.tool, fmt.Sprintf(c.form, i%variants))
	}
	return bodies
}

// decideInTurn decides the requests one after the other, and then again.
func decideInTurn(b *testing.B, decider *Sidecar, bodies [][]byte) {
	b.Helper()
	requireAllowed(b, decider, bodies[0])
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if _, err := wholeWay(b.Context(), decider, bodies[i%len(bodies)]); err != nil {
			b.Fatal(err)
		}
	}
}

// requireAllowed checks that what is measured is a call that is allowed. On a machine that is busy enough the
// first judgements can take longer than they may.
func requireAllowed(tb testing.TB, decider *Sidecar, body []byte) {
	tb.Helper()
	for range 20 {
		effect, err := wholeWay(tb.Context(), decider, body)
		require.NoError(tb, err)
		if effect == v1.EffectAllow {
			return
		}
	}
	require.Failf(tb, "a call that isn't allowed", "%s", body)
}

func wholeWay(ctx context.Context, decider *Sidecar, body []byte) (v1.Effect, error) {
	call, err := strict.DecodeCall(body)
	if err != nil {
		return v1.EffectDeny, err
	}
	decision := decider.Gate.Decide(ctx, call, gate.DecideOptions{})
	err = encodeAnswer(&decision)
	return decision.Effect, err
}

// answers holds *bytes.Buffer: a server uses its buffers again.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func encodeAnswer(decision *v1.Decision) error {
	buffer, _ := answers.Get().(*bytes.Buffer)
	defer answers.Put(buffer)
	buffer.Reset()
	text, err := wire.AppendDecision(buffer.AvailableBuffer(), decision)
	buffer.Write(text)
	return err
}

// benchmarkTree is an ordinary project with so many of the files that forms name.
func benchmarkTree(tb testing.TB, files int) project.Tree {
	tb.Helper()
	tree, err := project.New(tb.Context(), tb.TempDir())
	require.NoError(tb, err)
	for i := range files {
		require.NoError(tb, os.WriteFile(filepath.Join(tree.Project, "src", fmt.Sprintf("f%04d.go", i)), nil, 0o600))
	}
	return tree
}

// benchmarkSidecar wires a sidecar by an environment of NAME=value.
func benchmarkSidecar(tb testing.TB, tree project.Tree, environment ...string) *Sidecar {
	tb.Helper()
	set := map[string]string{"HOME": tree.Home, "POLICYD_STATE_DIR": filepath.Join(tb.TempDir(), "state")}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value
	}
	loaded, err := config.Load("", func(name string) (string, bool) { value, found := set[name]; return value, found }, nil)
	require.NoError(tb, err)
	decider, err := New(tb.Context(), &Settings{
		Config: loaded, Home: tree.Home, Platform: runtime.GOOS,
		// A repository that was made this second is never remembered.
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	},
		slog.New(slog.DiscardHandler))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, decider.Close()) })
	return decider
}

func requestBody(tb testing.TB, tree project.Tree, tool, args string) []byte {
	tb.Helper()
	return bodyOf(tb, v1.Call{Tool: tool, Args: json.RawMessage(args), Cwd: tree.Project, Session: benchmarkSession(tree, "bench")})
}

func bodyOf(tb testing.TB, call v1.Call) []byte {
	tb.Helper()
	body, err := json.Marshal(call)
	require.NoError(tb, err)
	return body
}

func benchmarkSession(tree project.Tree, id string) v1.Session {
	return v1.Session{
		ID: id, Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: tree.Project,
		Interactive: new(true), Platform: "linux", Home: tree.Home,
	}
}
