package e2e

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// roundTrip sends a line and reads what comes back of it.
func roundTrip(b *testing.B, to io.Writer, from *bufio.Reader, line string) {
	b.Helper()
	if _, err := io.WriteString(to, line); err != nil {
		b.Fatal(err)
	}
	got, err := from.ReadString('\n')
	if err != nil || got != line {
		b.Fatalf("%q came back as %q: %v", line, got, err)
	}
}

// BenchmarkMCPGate measures what a gate adds to a message: a round trip through
// it and a server that echoes, beside one without it, turn by turn.
func BenchmarkMCPGate(b *testing.B) {
	s := startBenchServer(b)
	direct := exec.CommandContext(b.Context(), "cat")
	directIn, err := direct.StdinPipe()
	require.NoError(b, err)
	out, err := direct.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, direct.Start())
	defer func() { _ = directIn.Close(); _ = direct.Wait() }()
	directOut := bufio.NewReader(out)
	gate := exec.CommandContext(b.Context(), program, "mcp", "--state-dir", s.stateDir, "--name", "srv", "--", "cat")
	gate.Dir, gate.Env = b.TempDir(), environment(s.home)
	gateIn, err := gate.StdinPipe()
	require.NoError(b, err)
	if out, err = gate.StdoutPipe(); err != nil {
		b.Fatal(err)
	}
	require.NoError(b, gate.Start())
	defer func() { _ = gateIn.Close(); _ = gate.Wait() }()
	gateOut := bufio.NewReader(out)
	for name, line := range map[string]string{
		"passed":  `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"abc"}}` + "\n",
		"decided": toolCall(1, "read_file", map[string]any{"path": "README.md"}),
	} {
		roundTrip(b, gateIn, gateOut, line) // the session is registered with the first call
		b.Run(name, func(b *testing.B) {
			var bare, gated time.Duration
			for b.Loop() {
				begin := time.Now()
				roundTrip(b, directIn, directOut, line)
				middle := time.Now()
				roundTrip(b, gateIn, gateOut, line)
				bare, gated = bare+middle.Sub(begin), gated+time.Since(middle)
			}
			count := float64(b.N)
			b.ReportMetric(float64(bare.Microseconds())/count, "µs/direct")
			b.ReportMetric(float64((gated-bare).Microseconds())/count, "µs/added")
			b.ReportMetric(float64(gated)/float64(bare), "ratio")
		})
	}
}

// startBenchServer starts a server whose agents may read files by the tool of srv.
func startBenchServer(b *testing.B) *server {
	b.Helper()
	s := &server{stateDir: filepath.Join(b.TempDir(), "state"), home: b.TempDir()}
	command := exec.CommandContext(b.Context(), program, "serve", "--addr", "127.0.0.1:0", "--state-dir", s.stateDir)
	command.Env = environment(s.home)
	out, err := command.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, command.Start())
	b.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	_, err = bufio.NewReader(out).ReadString('\n') // it listens
	require.NoError(b, err)
	trust := exec.CommandContext(b.Context(), program, "approvals", "trust-verb", "mcp:srv/read_file", "--tool", "mcp", "--state-dir", s.stateDir)
	trust.Env = environment(s.home)
	text, err := trust.CombinedOutput()
	require.NoErrorf(b, err, "%s", text)
	return s
}
