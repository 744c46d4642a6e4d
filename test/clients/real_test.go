package clients

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clientsVariable names the directory with the clients' programs, and asks for
// their tests: make test-clients.
const clientsVariable = "POLICYD_TEST_CLIENTS"

// realClient is how one agent program is driven without a person and without a
// network.
type realClient struct {
	name, program string
	args          []string
	// prepare writes settings of the client's own, and returns its environment.
	prepare func(t *testing.T, r *realRun, address string) []string
	// trust is what a person does once after the install.
	trust func(t *testing.T, r *realRun)
}

func realClients() []realClient {
	return []realClient{
		{
			name: "claude", program: "claude", args: []string{"-p", "go on", "--allowedTools", "Bash", "--model", "claude-sonnet-4-5"},
			prepare: func(_ *testing.T, _ *realRun, address string) []string {
				return []string{
					"ANTHROPIC_BASE_URL=" + address, "ANTHROPIC_API_KEY=none", "DISABLE_TELEMETRY=1",
					"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
				}
			},
		},
	}
}

// realRun is one home with a project, a server and an installed client.
type realRun struct {
	home, project, policyd, program string
	env                             []string
	server                          *exec.Cmd
}

// TestRealClients drives the real agent programs, with a model that follows a
// script, and holds what the hooks are for: a denied command leaves no trace, an
// allowed one runs, and with policyd gone in the middle of a session nothing runs.
func TestRealClients(t *testing.T) {
	bin := os.Getenv(clientsVariable)
	if bin == "" {
		t.Skip("skipped: " + clientsVariable + " is not set; make test-clients installs the programs and sets it")
	}
	programs := buildPrograms(t)
	for _, client := range realClients() {
		t.Run(client.name, func(t *testing.T) {
			program := filepath.Join(bin, client.program)
			if _, err := os.Stat(program); err != nil {
				t.Skipf("skipped: %v", err)
			}
			r := newRealRun(t, programs, program)
			t.Run("without hooks all runs", func(t *testing.T) {
				model := newModel(t, "cat .env > leaked.txt")
				r.drive(t, &client, model)
				require.FileExists(t, filepath.Join(r.project, "leaked.txt"), "the rig itself lets commands run:\n%s", model.heard())
				require.NoError(t, os.Remove(filepath.Join(r.project, "leaked.txt")))
			})
			r.install(t, &client)
			r.serve(t)
			t.Run("a denied command leaves no trace, an allowed one runs", func(t *testing.T) {
				model := newModel(t, "cat .env > leaked.txt", "cat marker.txt")
				r.drive(t, &client, model)
				assert.Equal(t, 2, model.steps())
				assert.NoFileExists(t, filepath.Join(r.project, "leaked.txt"))
				assert.NotContains(t, model.heard(), "hunter2")
				assert.Contains(t, model.heard(), "the marker's text")
				assert.Contains(t, model.heard(), "secret", "the model is told why")
			})
			t.Run("policyd killed in the middle", func(t *testing.T) {
				model := newModel(t, "cat marker.txt", "cat second.txt", "cat marker.txt > trace.txt")
				model.before = func(step int) {
					if step == 1 {
						require.NoError(t, r.server.Process.Kill())
						_ = r.server.Wait()
					}
				}
				r.drive(t, &client, model)
				assert.Greater(t, model.steps(), 1)
				assert.Contains(t, model.heard(), "the marker's text")
				assert.NotContains(t, model.heard(), "the second's text")
				assert.NoFileExists(t, filepath.Join(r.project, "trace.txt"))
			})
		})
	}
}

func buildPrograms(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "build", "-o", dir+"/", "policyd/cmd/policyd", "policyd/cmd/policyd-hook")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", text)
	return dir
}

func newRealRun(t *testing.T, programs, client string) *realRun {
	t.Helper()
	home, err := os.MkdirTemp("", "home") // t.TempDir may be too long for a socket
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	r := &realRun{
		home: home, project: filepath.Join(home, "proj"), policyd: filepath.Join(programs, "policyd"), program: client,
		env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "TERM=dumb", "NO_COLOR=1", "CI=1"},
	}
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(filepath.Join(r.project, "marker.txt"), "the marker's text\n")
	write(filepath.Join(r.project, "second.txt"), "the second's text\n")
	write(filepath.Join(r.project, ".env"), "PASSWORD=hunter2\n")
	r.run(t, "git", "init", "--quiet", ".")
	return r
}

func (r *realRun) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir, command.Env = r.project, r.env
	text, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", text)
	return string(text)
}

func (r *realRun) install(t *testing.T, client *realClient) {
	t.Helper()
	r.run(t, r.policyd, "install", client.name, "--no-tools", "--hold", "0s")
	if client.trust != nil {
		client.trust(t, r)
	}
}

func (r *realRun) serve(t *testing.T) {
	t.Helper()
	r.server = exec.Command(r.policyd, "serve", "--addr", "127.0.0.1:0")
	r.server.Dir, r.server.Env = r.home, r.env
	var log bytes.Buffer
	r.server.Stderr = &log
	require.NoError(t, r.server.Start())
	t.Cleanup(func() { _ = r.server.Process.Kill(); _ = r.server.Wait() })
	socket := filepath.Join(r.home, ".local/state/policyd/run/policyd.sock")
	require.Eventually(t, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, 20*time.Second, 20*time.Millisecond, "%s", &log)
	doctor := r.run(t, r.policyd, "doctor")
	require.Contains(t, doctor, "the hook answers")
}

// drive runs the client until it ends. Its exit status is its own affair.
func (r *realRun) drive(t *testing.T, client *realClient, m *model) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	env := client.prepare(t, r, m.URL)
	command := exec.CommandContext(ctx, r.program, client.args...)
	command.Dir, command.Env = r.project, append(append([]string{}, r.env...), env...)
	text, err := command.CombinedOutput()
	t.Logf("%s: %v: %s", client.name, err, strings.TrimSpace(string(text)))
	require.NoError(t, ctx.Err(), "the client never ended")
	require.Positive(t, m.steps(), "the client never asked the model for a command:\n%.3000s", m.heard())
}
