package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// patience bounds every wait for the program, far above what is needed.
const patience = 30 * time.Second

var addressOf = regexp.MustCompile(`http://[0-9.]+:[0-9]+`)

// server is a running policyd beside an ordinary project.
type server struct {
	project.Tree
	url, stateDir, runDir string
	socket                *http.Client
}

// startServer starts `policyd serve` on a free port and ends it with the test.
func startServer(t *testing.T, settings string) *server {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	tree, err := project.New(t.Context(), t.TempDir())
	require.NoError(t, err)
	runDir, err := os.MkdirTemp("", "pd") //nolint:usetesting // t.TempDir is longer than a socket's name may be
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(runDir) })
	s := &server{Tree: tree, stateDir: filepath.Join(t.TempDir(), "state"), runDir: runDir}
	arguments := []string{"serve", "--addr", "127.0.0.1:0", "--state-dir", s.stateDir, "--run-dir", s.runDir}
	if settings != "" {
		file := filepath.Join(t.TempDir(), "policyd.yaml")
		require.NoError(t, os.WriteFile(file, []byte(settings), 0o600))
		arguments = append(arguments, "--config", file)
	}
	s.launch(t, exec.Command(program, arguments...))
	s.socket = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(s.runDir, "policyd.sock"))
		},
	}}
	return s
}

func (s *server) launch(t *testing.T, command *exec.Cmd) {
	t.Helper()
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home, "GIT_CONFIG_NOSYSTEM=1"}
	var problems bytes.Buffer
	command.Stderr = &problems
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = command.Wait()
		require.FailNowf(t, "policyd serve ended", "%s", &problems)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, stdout)
		assert.NoErrorf(t, command.Wait(), "%s", &problems)
	})
	s.url = addressOf.FindString(line)
	require.NotEmpty(t, s.url, line)
}

func (s *server) token(t *testing.T, role string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.stateDir, role+".token"))
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// answer is what a hook got.
type answer struct {
	status         int
	media          string
	decision, exit string
	id             string
	body           []byte
	err            error
}

// hook posts a payload over the socket, as the hook program does. The tree's home is in for /home/dev.
func (s *server) hook(t *testing.T, client, query, payload string) answer {
	t.Helper()
	return s.send(t, s.socket, s.request(t, client, query, payload))
}

func (s *server) request(t *testing.T, client, query, payload string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/hooks/"+client, strings.NewReader(s.here(payload)))
	require.NoError(t, err)
	request.URL.RawQuery = s.query(t, query)
	request.Header.Set("Content-Type", "application/json")
	return request
}

// here puts the tree in the place of where the payloads were captured.
func (s *server) here(text string) string { return strings.ReplaceAll(text, "/home/dev", s.Home) }

func (s *server) query(t *testing.T, text string) string {
	t.Helper()
	values, err := url.ParseQuery(s.here(text))
	require.NoError(t, err)
	return values.Encode()
}

// send sends a hook and checks its answer.
func (s *server) send(t *testing.T, client *http.Client, request *http.Request) answer {
	t.Helper()
	got := fetch(client, request)
	got.check(t)
	return got
}

// fetch sends a hook. What goes wrong is in the answer.
func fetch(client *http.Client, request *http.Request) answer {
	response, err := client.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{
		status: response.StatusCode, media: response.Header.Get("Content-Type"), decision: response.Header.Get("Policyd-Decision"),
		exit: response.Header.Get("Policyd-Exit"), id: response.Header.Get("Policyd-Decision-Id"), body: bytes.TrimSpace(body), err: err,
	}
}

// check holds what is true of every answer: 200, one JSON object, and the headers
// by which the hook program knows policyd.
func (a answer) check(t *testing.T) {
	t.Helper()
	require.NoError(t, a.err)
	require.Equalf(t, http.StatusOK, a.status, "%s", a.body)
	assert.Contains(t, a.media, "application/json")
	assert.Contains(t, []string{"allow", "prompt", "deny", "none"}, a.decision)
	assert.Contains(t, []string{"0", "2"}, a.exit)
	a.object(t)
}

func (a answer) object(t *testing.T) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	var object map[string]any
	require.NoErrorf(t, decoder.Decode(&object), "%s", a.body)
	require.NotNilf(t, object, "%s", a.body)
	_, err := decoder.Token()
	require.ErrorIsf(t, err, io.EOF, "noise behind the reply: %s", a.body)
	return object
}

// operate does what an operator may.
func (s *server) operate(t *testing.T, method, path, body string, into any) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.token(t, "operator"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if into != nil {
		require.NoErrorf(t, json.Unmarshal(text, into), "%s", text)
	}
	return response.StatusCode
}

func (s *server) prompts(t *testing.T, state string) []v1.Prompt {
	t.Helper()
	var list v1.PromptList
	require.Equal(t, http.StatusOK, s.operate(t, http.MethodGet, "/v1/prompts?state="+state, "", &list))
	return list.Prompts
}

func (s *server) session(t *testing.T, id string) v1.SessionInfo {
	t.Helper()
	var info v1.SessionInfo
	require.Equal(t, http.StatusOK, s.operate(t, http.MethodGet, "/v1/sessions/"+url.PathEscape(id), "", &info))
	return info
}

// records are the lines of the decision log.
func (s *server) records(t *testing.T) []v1.Record {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.stateDir, "decisions.jsonl"))
	require.NoError(t, err)
	var out []v1.Record
	for line := range strings.Lines(string(text)) {
		var record v1.Record
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		out = append(out, record)
	}
	require.NotEmpty(t, out)
	return out
}
