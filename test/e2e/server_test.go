package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// patience bounds every wait for the program. It is far above what is needed,
// since a busy machine is no failure.
const patience = 30 * time.Second

// server is a running policyd.
type server struct {
	*process
	url      string
	stateDir string
	runDir   string
	home     string
	flags    []string
	// limits are the options of ulimit with which the program starts, such as "-n 64".
	limits string
}

// startServer starts `policyd serve` on a free port and ends it with the test.
func startServer(t *testing.T, flags ...string) *server {
	t.Helper()
	return startLimited(t, filepath.Join(t.TempDir(), "state"), "", flags...)
}

// startLimited is startServer with a state directory, and with limits of the system.
func startLimited(t *testing.T, stateDir, limits string, flags ...string) *server {
	t.Helper()
	s := &server{
		stateDir: stateDir, runDir: shortDir(t), home: filepath.Join(t.TempDir(), "owner"), flags: flags, limits: limits,
	}
	require.NoError(t, os.Mkdir(s.home, 0o700))
	s.start(t)
	return s
}

func (s *server) start(t *testing.T) {
	t.Helper()
	arguments := append([]string{"serve", "--addr", "127.0.0.1:0", "--state-dir", s.stateDir, "--run-dir", s.runDir}, s.flags...)
	command := exec.Command(program, arguments...)
	if s.limits != "" {
		command = exec.Command("sh", append([]string{"-c", "ulimit " + s.limits + ` && exec "$0" "$@"`, program}, arguments...)...)
	}
	command.Env = environment(s.home)
	for _, name := range []string{"POLICYD_STORE", "BUNDLE_TOKEN", "BUNDLE_KEY", "POD_IP"} {
		if value, set := os.LookupEnv(name); set {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	s.process = launch(t, command)
	s.url = addressOf.FindString(s.line)
	require.NotEmptyf(t, s.url, "policyd said %q", s.line)
}

// restart ends the server and starts another on the same state.
func (s *server) restart(t *testing.T) *server {
	t.Helper()
	s.stop(t)
	next := *s
	next.start(t)
	return &next
}

// process is a program that runs until the test ends.
type process struct {
	command *exec.Cmd
	// line is the first that it wrote to standard output.
	line    string
	stderr  *output
	exited  chan error
	stopped bool
}

// launch starts a program and waits for its first line.
func launch(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{command: command, stderr: &output{}, exited: make(chan error, 1)}
	command.Stderr = p.stderr
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		lines <- line
		_, _ = io.Copy(io.Discard, stdout)
		p.exited <- command.Wait()
	}()
	t.Cleanup(func() { p.stop(t) })
	select {
	case p.line = <-lines:
		require.NotEmptyf(t, p.line, "policyd ended: %s", p.stderr)
	case <-time.After(patience):
		require.FailNow(t, "policyd serve does not say where it listens")
	}
	return p
}

// stop asks the program to end and waits until it has; twice is harmless.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if p.stopped {
		return
	}
	p.stopped = true
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.exited:
		require.NoErrorf(t, err, "policyd serve: %s", p.stderr)
	case <-time.After(patience):
		_ = p.command.Process.Kill()
		require.FailNow(t, "policyd serve does not drain")
	}
}

// kill ends the program as a power cut would.
func (p *process) kill(t *testing.T) {
	t.Helper()
	p.stopped = true
	require.NoError(t, p.command.Process.Kill())
	select {
	case err := <-p.exited:
		require.Error(t, err, "it was killed")
	case <-time.After(patience):
		require.FailNow(t, "policyd serve survives a kill")
	}
}

// output is what a program writes while a test reads it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

var (
	addressOf    = regexp.MustCompile(`http://[0-9.]+:[0-9]+`)
	addressesRow = regexp.MustCompile(`mine\.rego:[0-9]+`)
	namesTest    = regexp.MustCompile(`test_never`)
)

func (s *server) token(t *testing.T, role string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.stateDir, role+".token"))
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// post sends body to path as an agent and returns status, media type and body.
func (s *server) post(t *testing.T, path, body string) (int, string, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.token(t, "agent"))
	request.Header.Set("Content-Type", "application/json")
	return do(t, http.DefaultClient, request)
}

// socketClient talks over the Unix socket, which needs no token.
func (s *server) socketClient() *http.Client {
	socket := filepath.Join(s.runDir, "policyd.sock")
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
}

func do(t *testing.T, client *http.Client, request *http.Request) (int, string, []byte) {
	t.Helper()
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header.Get("Content-Type"), body
}

// decide sends a call and holds what every decision has to be: status 200, a
// reason, a policy revision, and a prompt exactly where a person is asked.
func (s *server) decide(t *testing.T, call v1.Call) v1.Decision {
	t.Helper()
	body, err := json.Marshal(call)
	require.NoError(t, err)
	status, _, answer := s.post(t, "/v1/decide", string(body))
	require.Equalf(t, http.StatusOK, status, "%s\n%s", body, answer)
	return wellFormed(t, answer)
}

func wellFormed(t *testing.T, answer []byte) v1.Decision {
	t.Helper()
	var decision v1.Decision
	require.NoErrorf(t, json.Unmarshal(answer, &decision), "%s", answer)
	requireWellFormed(t, &decision)
	return decision
}

func requireWellFormed(t *testing.T, decision *v1.Decision) {
	t.Helper()
	require.NotEmptyf(t, decision.ID, "%+v", decision)
	require.NotEmptyf(t, decision.Reasons, "%+v", decision)
	require.NotEmptyf(t, decision.Policy.Revision, "%+v", decision)
	require.Equalf(t, decision.Effect == v1.EffectPrompt, decision.Prompt != nil, "%+v", decision)
}

// environment is what a program gets that must not know the tester's own home.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
}

// shortDir is a directory whose name leaves room for a socket's: the kernel
// takes 108 bytes.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pd") //nolint:usetesting // t.TempDir is longer than a socket's name may be
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func newTree(t *testing.T) project.Tree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	tree, err := project.New(t.Context(), t.TempDir())
	require.NoError(t, err)
	return tree
}

// session is a person's own, interactive session in the tree's project. Agent
// and home of a session are fixed, so each pair has a session of its own.
func session(tree project.Tree, agent string) v1.Session {
	return v1.Session{
		ID: agent + strings.ReplaceAll(tree.Home, "/", "-"), Agent: agent, Audience: v1.AudiencePersonal, ProjectDir: tree.Project,
		Interactive: new(true), Platform: "linux", Home: tree.Home, Shell: "bash",
	}
}
