package clients

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/install"
)

// containedLines are the model's requests, each with the expected result. No expected text is in its line.
// The first only reads known paths, so that it is allowed before the client is known to run rewritten lines.
var containedLines = []struct{ line, heard string }{
	{"cat marker.txt", "the marker's text"},
	{`perl -e 'open(F, ">", "made.txt") or die "not " . "made"; print F 1'`, "not made"},
	{`perl -e 'print join("-", 1..5), "\n"; exit 3'`, "1-2-3-4-5"},
	{"perl - \"it's\" 'a \"b\"' <<'END'\nprint uc(join \"|\", @ARGV), \"\\n\";\nEND\nprintf '%s\\n' \"$((6 * 7))\" '$x`y`' | tr a-z A-Z", "IT'S|A "},
	{"perl -e 'print length(q(" + strings.Repeat("x", 16<<10) + ")) + 1, \"\\n\"'", "16385"},
	{"bash build.sh", "BUILT AND HIDDEN"},
}

// TestRealClientsRunContained drives the real agent programs with the installed hook, and checks that they
// run the line that the hook hands them and not the model's: a write that the profile refuses doesn't happen,
// and what is printed reaches the model. A client that passes the new line by writes the file, and must not
// be one of install.Contains.
func TestRealClientsRunContained(t *testing.T) {
	bin := os.Getenv(clientsVariable)
	if bin == "" {
		t.Skip("skipped: " + clientsVariable + " is not set; make test-clients installs the programs and sets it")
	}
	programs := buildPrograms(t)
	for _, client := range realClients() {
		if !install.Contains(client.name) {
			continue
		}
		t.Run(client.name, func(t *testing.T) {
			program := filepath.Join(bin, client.name)
			if _, err := os.Stat(program); err != nil {
				t.Skipf("skipped: %v", err)
			}
			r := newRealRun(t, programs, program)
			r.write(t, client.settings)
			r.write(t, map[string]string{"proj/build.sh": "tr a-z A-Z <<<'built and' >built.txt; cat built.txt .env; echo HIDDEN >>built.txt; paste -sd' ' built.txt\n"})
			client.flags = append(client.flags, "--contain")
			r.install(t, &client, "0s")
			r.serve(t)
			r.awaitContainment(t)
			var lines []string
			for _, each := range containedLines {
				lines = append(lines, each.line)
			}
			model := newModel(t, lines...)
			r.drive(t, &client, model)
			require.Equal(t, len(lines), model.steps())
			heard := model.heard()
			for _, each := range containedLines {
				told, err := json.Marshal(each.heard)
				require.NoError(t, err)
				assert.Containsf(t, heard, string(told[1:len(told)-1]), "%.80s", each.line)
			}
			assert.NoFileExists(t, filepath.Join(r.project, "made.txt"), "the client runs the model's own line")
			assert.Contains(t, heard, "policyd: contained: write to ", "the model is told what was refused")
			assert.FileExists(t, filepath.Join(r.project, "built.txt"))
			assert.NotContains(t, heard, "hunter2", "the secret is hidden from the build")
			r.ranContained(t, lines)
		})
	}
}

// awaitContainment waits until the server has found out what it can contain.
func (r *realRun) awaitContainment(t *testing.T) {
	t.Helper()
	socket := filepath.Join(r.home, ".local/state/policyd/run/policyd.sock")
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	var said string
	require.Eventually(t, func() bool {
		response, err := (&http.Client{Transport: transport}).Get("http://policyd/readyz?verbose")
		if err != nil {
			return false
		}
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		said = string(text)
		return err == nil && strings.Contains(said, `"contain/project","ok":true`)
	}, 5*time.Minute, 20*time.Millisecond, "%s", said)
}

// ranContained checks that every line was decided once and with an obligation: no client asks about a
// rewritten line, and each line's result shows that it ran contained.
func (r *realRun) ranContained(t *testing.T, lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.home, ".local/state/policyd/decisions.jsonl"))
	require.NoError(t, err)
	obliged := 0
	for line := range strings.Lines(string(text)) {
		var record v1.Record
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		assert.Equalf(t, v1.EffectAllow, record.Result.Decision, "%.2000s", line)
		if len(record.Result.Obligations) > 0 {
			obliged++
		} else {
			assert.Equalf(t, "contained_run", record.Result.Reasons[0].Code, "%.2000s", line)
		}
	}
	assert.Equal(t, len(lines), obliged)
}
