// Package hookbench measures what the hook program adds to a tool call.
package hookbench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rounds are the pairs of runs whose medians are compared.
const rounds = 200

// BenchmarkHook runs the hook program and the least program that sends one
// request over the same socket by turns, and reports the medians of both and
// their ratio.
func BenchmarkHook(b *testing.B) {
	dir, err := os.MkdirTemp("", "hook") //nolint:usetesting // b.TempDir may be too long for a socket
	require.NoError(b, err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	hook, bare := build(b, dir, "policyd/cmd/policyd-hook"), build(b, dir, "policyd/test/clients/hookbench/bare")
	socket := serve(b, filepath.Join(dir, "s"))
	payload, err := os.ReadFile("../../testdata/fixtures/claude/PreToolUse-Bash.json")
	require.NoError(b, err)
	for b.Loop() {
		var hooks, bares []time.Duration
		for range rounds {
			bares = append(bares, measure(b, payload, bare, socket))
			hooks = append(hooks, measure(b, payload, hook, "claude", "--socket", socket))
		}
		slices.Sort(hooks)
		slices.Sort(bares)
		hooked, least := hooks[rounds/2], bares[rounds/2]
		b.ReportMetric(float64(hooked.Microseconds()), "hook-µs")
		b.ReportMetric(float64(least.Microseconds()), "bare-µs")
		b.ReportMetric(float64(hooked)/float64(least), "ratio")
	}
}

func build(b *testing.B, dir, pkg string) string {
	b.Helper()
	out := filepath.Join(dir, filepath.Base(pkg))
	command := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := command.CombinedOutput()
	require.NoErrorf(b, err, "%s", text)
	return out
}

// serve answers as the sidecar does, without deciding.
func serve(b *testing.B, socket string) string {
	b.Helper()
	listener, err := new(net.ListenConfig).Listen(b.Context(), "unix", socket)
	require.NoError(b, err)
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Policyd-Decision", "allow")
		w.Header().Set("Policyd-Exit", "0")
		_, _ = fmt.Fprint(w, "{}")
	})}
	go func() { _ = server.Serve(listener) }()
	b.Cleanup(func() { _ = server.Shutdown(context.Background()) })
	return socket
}

func measure(b *testing.B, payload []byte, program string, args ...string) time.Duration {
	b.Helper()
	command := exec.CommandContext(b.Context(), program, args...)
	command.Stdin = bytes.NewReader(payload)
	started := time.Now()
	out, err := command.Output()
	took := time.Since(started)
	require.NoError(b, err)
	require.Equal(b, "{}", string(bytes.TrimSpace(out)))
	return took
}
