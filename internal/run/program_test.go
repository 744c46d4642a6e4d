package run_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/contain"
	"policyd/internal/run"
)

// asProgram makes the test's program behave as `policyd-hook run`.
const asProgram = "POLICYD_TEST_AS_RUN"

func TestMain(m *testing.M) {
	contain.Stage()
	if os.Getenv(asProgram) != "" {
		_ = os.Unsetenv(asProgram)
		os.Exit(run.Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// sidecar answers claims with what the test gives, and keeps what it was sent.
type sidecar struct {
	status int
	answer any
	socket string

	mu       sync.Mutex
	requests []string
	claims   []v1.RunClaim
	reports  []v1.RunReport
}

func newSidecar(t *testing.T, status int, answer any) *sidecar {
	t.Helper()
	s := &sidecar{status: status, answer: answer, socket: filepath.Join(t.TempDir(), "s")}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", s.socket)
	require.NoError(t, err)
	server := &http.Server{Handler: s}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return s
}

func (s *sidecar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/report") {
		var got v1.RunReport
		_ = json.NewDecoder(r.Body).Decode(&got)
		s.reports = append(s.reports, got)
		return
	}
	var got v1.RunClaim
	_ = json.NewDecoder(r.Body).Decode(&got)
	s.claims = append(s.claims, got)
	w.WriteHeader(s.status)
	if text, ok := s.answer.(string); ok {
		_, _ = w.Write([]byte(text))
		return
	}
	_ = json.NewEncoder(w).Encode(s.answer)
}

func granted(id string) v1.RunGranted {
	return v1.RunGranted{DecisionID: id, Obligation: v1.Obligation{
		Kind: v1.ObligationContain, Profile: v1.ProfileReadOnly, Read: []string{"/"}, Network: v1.NetworkNone,
		Environment: v1.EnvironmentLimits{Drop: []string{"*_TOKEN"}},
	}}
}

type outcome struct {
	stdout, stderr string
	state          *os.ProcessState
}

func start(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...)
	command.Env = append(os.Environ(), asProgram+"=1", "A_TOKEN=secret", "POLICYD_TOKEN=secret", "KEPT=kept")
	command.Dir = dir
	command.Env = append(command.Env, "PWD="+dir)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader("input\n"), &stdout, &stderr
	_ = command.Run()
	require.NotNil(t, command.ProcessState)
	return outcome{stdout.String(), stderr.String(), command.ProcessState}
}

func needReadOnly(t *testing.T) {
	t.Helper()
	if report := contain.Probe(); !report.Works(v1.ProfileReadOnly) {
		t.Skipf("skipped: this machine can't contain: %+v", report.Capabilities)
	}
}

// TestWhatIsNotGrantedIsNotRun: on anything but a whole grant nothing is started.
func TestWhatIsNotGrantedIsNotRun(t *testing.T) {
	id := "01a2"
	unknown := `{"decision_id":"01a2","obligation":{"kind":"contain","profile":"read_only","read":["/"],"network":"none","quota":1}}`
	other := granted("other")
	for name, c := range map[string]struct {
		status  int
		answer  any
		message string
	}{
		"spent":            {http.StatusConflict, `{"title":"Conflict","detail":"the decision was claimed before","code":"run_spent"}`, "claimed before (run_spent)"},
		"unknown":          {http.StatusNotFound, ``, "status 404"},
		"too old":          {http.StatusGone, `{}`, "status 410"},
		"created":          {http.StatusCreated, granted(id), "status 201"},
		"not JSON":         {http.StatusOK, `hello`, "read grant"},
		"empty":            {http.StatusOK, `{}`, "read grant"},
		"another decision": {http.StatusOK, other, "other"},
		"an unknown limit": {http.StatusOK, unknown, "quota"},
		"no obligation":    {http.StatusOK, v1.RunGranted{DecisionID: id}, "unknown kind"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newSidecar(t, c.status, c.answer)
			dir := t.TempDir()
			got := start(t, dir, "--decision", id, "--socket", server.socket, "--", "touch", "made")
			assert.Equal(t, run.ExitRefused, got.state.ExitCode())
			assert.Empty(t, got.stdout)
			assert.Contains(t, got.stderr, c.message)
			assert.True(t, strings.HasPrefix(got.stderr, "policyd: error: "), got.stderr)
			assert.Contains(t, got.stderr, "\npolicyd: hint: ")
			assert.NoFileExists(t, filepath.Join(dir, "made"))
		})
	}
}

// TestWhatWasDecidedIsRun: with --as-decided the sidecar names the program, and without it no other
// one than the command line's is run.
func TestWhatWasDecidedIsRun(t *testing.T) {
	needReadOnly(t)
	whole := granted("01a2")
	whole.Argv = []string{"echo", "a  b", "'"}
	server := newSidecar(t, http.StatusOK, whole)
	got := start(t, t.TempDir(), "--socket", server.socket, "--decision", "01a2", "--as-decided")
	assert.Equal(t, []any{"a  b '\n", "", 0}, []any{got.stdout, got.stderr, got.state.ExitCode()})
	require.Len(t, server.claims, 1)
	assert.True(t, server.claims[0].AsDecided)
	assert.Empty(t, server.claims[0].Argv)
	for name, c := range map[string]struct {
		answer  v1.RunGranted
		args    []string
		message string
	}{
		"none is named":    {granted("01a2"), []string{"--as-decided"}, "it names no program"},
		"another is named": {whole, []string{"--", "touch", "made"}, "it names another program"},
		"both":             {whole, []string{"--as-decided", "--", "touch", "made"}, "flag provided but not defined"},
	} {
		server := newSidecar(t, http.StatusOK, c.answer)
		got := start(t, t.TempDir(), append([]string{"--socket", server.socket, "--decision", "01a2"}, c.args...)...)
		assert.Equal(t, run.ExitRefused, got.state.ExitCode(), name)
		assert.Contains(t, got.stderr, c.message, name)
	}
}

func TestACommandLineThatIsNotUnderstoodRunsNothing(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"--decision", "x"},
		{"--decision", "x", "--"},
		{"--", "touch", "made"},
		{"--decision", "x", "touch", "--", "made"},
		{"--decisions", "x", "--", "touch", "made"},
		{"--decision", "x", "--socket", "/nowhere", "--", "touch", "made"},
		{"--decision", "x", "--socket", "/s", "--addr", "localhost:1", "--", "touch", "made"},
	} {
		dir := t.TempDir()
		got := start(t, dir, args...)
		assert.Equal(t, run.ExitRefused, got.state.ExitCode(), args)
		assert.Contains(t, got.stderr, "policyd: error: ", args)
		assert.NoFileExists(t, filepath.Join(dir, "made"))
	}
}

// TestAGrantedRunIsTheProgram: status, streams and signals are its own.
func TestAGrantedRunIsTheProgram(t *testing.T) {
	needReadOnly(t)
	server := newSidecar(t, http.StatusOK, granted("01a2"))
	call := func(argv ...string) outcome {
		return start(t, "/", append([]string{"--decision", "01a2", "--socket", server.socket, "--"}, argv...)...)
	}
	got := call("bash", "-c", `cat; echo "$KEPT$A_TOKEN$POLICYD_TOKEN"; echo err >&2; exit 7`)
	assert.Equal(t, "input\nkept\n", got.stdout)
	assert.Equal(t, "err\n", got.stderr)
	assert.Equal(t, 7, got.state.ExitCode())
	assert.Equal(t, v1.RunClaim{Argv: []string{"bash", "-c", `cat; echo "$KEPT$A_TOKEN$POLICYD_TOKEN"; echo err >&2; exit 7`}, Cwd: "/"}, server.claims[0])

	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSEGV, syscall.SIGQUIT, syscall.SIGABRT} {
		got = call("bash", "-c", "kill -"+map[bool]string{true: "KILL", false: ""}[signal == syscall.SIGKILL]+
			map[syscall.Signal]string{syscall.SIGTERM: "TERM", syscall.SIGSEGV: "SEGV", syscall.SIGQUIT: "QUIT", syscall.SIGABRT: "ABRT"}[signal]+" $$")
		if runtime.GOOS == "linux" && signal != syscall.SIGQUIT { // bash ignores it
			status, ok := got.state.Sys().(syscall.WaitStatus)
			require.True(t, ok)
			assert.True(t, status.Signaled(), "%s: %v", signal, got)
			assert.Equal(t, signal, status.Signal())
			assert.Empty(t, got.stderr)
		}
	}
	assert.Equal(t, run.ExitNotFound, call("no-such-program").state.ExitCode())
	assert.Equal(t, run.ExitRefused, call("/etc/passwd").state.ExitCode())
	assert.Empty(t, server.reports)
}

// TestTheClaimNamesTheRealDirectory.
func TestTheClaimNamesTheRealDirectory(t *testing.T) {
	server := newSidecar(t, http.StatusConflict, "{}")
	real, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(real, link))
	start(t, link, "--decision", "x", "--socket", server.socket, "--", "true")
	require.Len(t, server.claims, 1)
	assert.Equal(t, real, server.claims[0].Cwd)
}

// TestRefusalsAreShownAndReported: the agent and the sidecar get them once.
func TestRefusalsAreShownAndReported(t *testing.T) {
	needReadOnly(t)
	server := newSidecar(t, http.StatusOK, granted("01a2"))
	dir := t.TempDir()
	got := start(t, dir, "--decision", "01a2", "--socket", server.socket, "--", "bash", "-c", "echo > a; echo > a; echo > $'b\\n'; rm -f /nowhere/x; false")
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(got.stderr, "\n"), "\n")
	assert.Equal(t, "policyd: contained: write to "+real+"/a refused (and 1 more); run the same command again to ask a person for it", lines[len(lines)-1])
	require.Len(t, server.reports, 1)
	assert.Equal(t, []v1.Refusal{{Operation: "write", Target: real + "/a"}, {Operation: "write", Target: real + "/b\n"}}, server.reports[0].Refused)
	assert.Equal(t, []string{"POST /v1/runs/01a2/claim", "POST /v1/runs/01a2/report"}, server.requests)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// TestASuccessfulRunGetsNoRefusal: it did without, as compilers do without telemetry.
func TestASuccessfulRunGetsNoRefusal(t *testing.T) {
	needReadOnly(t)
	server := newSidecar(t, http.StatusOK, granted("01a2"))
	got := start(t, t.TempDir(), "--decision", "01a2", "--socket", server.socket, "--", "bash", "-c", "echo > a; true")
	assert.NotContains(t, got.stderr, "policyd:")
	assert.Empty(t, server.reports)
}

// TestAProgramThatOnlyReadsSeesNoRefusal: nothing is added to the output of what is let.
func TestAProgramThatOnlyReadsSeesNoRefusal(t *testing.T) {
	needReadOnly(t)
	server := newSidecar(t, http.StatusOK, granted("01a2"))
	for _, line := range []string{
		"ls -la / >/dev/null", "cat /etc/passwd | sort | head -1", "id", "true > /dev/null 2>&1", "cat <<< hello", "diff <(echo a) <(echo a)", "mktemp",
		"rm -f /nowhere/at/all; mkdir -p /usr; [ -w /etc ]", "echo x | tee /dev/null", "echo > $TMPDIR/x; cat $TMPDIR/x",
	} {
		got := start(t, "/", "--decision", "01a2", "--socket", server.socket, "--", "bash", "-c", line)
		assert.Empty(t, got.stderr, line)
		assert.Equal(t, 0, got.state.ExitCode(), line)
	}
}
