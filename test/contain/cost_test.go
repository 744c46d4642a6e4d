//go:build linux && (amd64 || arm64)

package contain

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// The bars are for a start more than a start without containment, in the fastest tenth: other work on the machine adds to
// the rest.
var bars = map[string]time.Duration{v1.ProfileReadOnly: 6 * time.Millisecond, v1.ProfileProject: 15 * time.Millisecond}

// turns is how often each kind of start is measured, one after the other.
const turns = 150

// TestCost measures the start of a program by `policyd-hook run`, with the claim, against no containment and
// bubblewrap. It is part of make contain alone: it needs a quiet machine.
func TestCost(t *testing.T) {
	if !full() {
		t.Skip("skipped: make contain measures")
	}
	need(t, v1.ProfileProject)
	w := newWorld(t, os.Geteuid())
	socket := grants(t, w)
	program := hookProgram(t)
	type kind struct {
		name string
		argv []string
	}
	kinds := []kind{
		{"none", []string{"/bin/true"}},
		{v1.ProfileReadOnly, []string{program, "run", "--socket", socket, "--decision", v1.ProfileReadOnly, "--", "/bin/true"}},
		{v1.ProfileProject, []string{program, "run", "--socket", socket, "--decision", v1.ProfileProject, "--", "/bin/true"}},
		{"policyd", []string{filepath.Join(filepath.Dir(program), "policyd"), "run", "--socket", socket, "--decision", v1.ProfileReadOnly, "--", "/bin/true"}},
		{"loopback", []string{program, "run", "--socket", socket, "--decision", "loopback", "--", "/bin/true"}},
	}
	if bubblewrap, err := exec.LookPath("bwrap"); err == nil {
		kinds = append(kinds, kind{"bubblewrap", []string{
			bubblewrap, "--ro-bind", "/", "/", "--bind", w.Project, w.Project, "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--unshare-all", "/bin/true",
		}})
	}
	kinds = slices.DeleteFunc(kinds, func(k kind) bool { _, err := os.Stat(k.argv[0]); return err != nil })
	spent, used := map[string][]time.Duration{}, map[string]time.Duration{}
	for range turns {
		for _, kind := range kinds {
			command := exec.CommandContext(t.Context(), kind.argv[0], kind.argv[1:]...)
			command.Dir = w.Project
			begin := time.Now()
			output, err := command.CombinedOutput()
			took := time.Since(begin)
			require.NoError(t, err, "%s: %s", kind.name, output)
			spent[kind.name] = append(spent[kind.name], took)
			used[kind.name] += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		}
	}
	for _, kind := range kinds {
		slices.Sort(spent[kind.name])
	}
	base, quiet := spent["none"][turns/2], spent["none"][turns/10]
	for _, kind := range kinds {
		times := spent[kind.name]
		t.Logf("%-10s more than none: median %6.2f ms, p10 %6.2f ms; median %6.2f ms, p90 %6.2f ms, processor %6.2f ms", kind.name,
			milliseconds(times[turns/2]-base), milliseconds(times[turns/10]-quiet), milliseconds(times[turns/2]), milliseconds(times[turns*9/10]),
			milliseconds(used[kind.name]/turns))
		if bar, found := bars[kind.name]; found {
			assert.LessOrEqual(t, times[turns/10]-quiet, bar, kind.name)
		}
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// grants is a sidecar that grants every claim, with the profile that the decision is named after.
func grants(t *testing.T, w *world) string {
	t.Helper()
	socket := filepath.Join(w.root, "sidecar.sock")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		id := strings.Split(request.URL.Path, "/")[3]
		profile, network := id, v1.NetworkNone
		if id == v1.NetworkLoopback {
			profile, network = v1.ProfileProject, v1.NetworkLoopback
		}
		_ = json.NewEncoder(writer).Encode(v1.RunGranted{DecisionID: id, Obligation: *w.obligation(profile, network)})
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return socket
}

// hookProgram is the small program, as it is installed.
func hookProgram(t *testing.T) string {
	t.Helper()
	if built := os.Getenv("POLICYD_TEST_PROGRAMS"); built != "" {
		return filepath.Join(built, "policyd-hook")
	}
	program := filepath.Join(t.TempDir(), "policyd-hook")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", program, "policyd/cmd/policyd-hook")
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return program
}
