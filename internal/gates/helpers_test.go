package gates_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gates"
	"policyd/internal/pdp"
)

// patience bounds waits that succeed at once unless something is broken.
const patience = 20 * time.Second

// scripted is a sidecar whose decisions a test writes.
type scripted struct {
	// decide answers a call.
	decide func(call *v1.Call) (v1.Decision, error)
	// answers are what a prompt has become, for each that waits for one.
	answers chan v1.Prompt
	// capabilities is what may be advertised; empty for an error.
	capabilities string

	mu       sync.Mutex
	calls    []v1.Call
	sessions map[string]v1.Session
	ended    []string
	taken    []string
	reports  []string
	refuse   map[string]string // project → code
}

func (s *scripted) Do(ctx context.Context, method, path string, query url.Values, body []byte) (*pdp.Answer, error) {
	switch {
	case path == "/v1/decide":
		return s.answerCall(body)
	case strings.HasPrefix(path, "/v1/prompts/") && method == http.MethodGet && query.Get("wait") != "":
		select {
		case prompt := <-s.answers:
			text, err := json.Marshal(prompt)
			return &pdp.Answer{Status: http.StatusOK, Body: text}, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case path == "/v1/capabilities" && s.capabilities != "":
		return &pdp.Answer{Status: http.StatusOK, Body: []byte(s.capabilities)}, nil
	case strings.HasSuffix(path, "/terminals") && method == http.MethodPost:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reports = append(s.reports, string(body))
		return &pdp.Answer{Status: http.StatusCreated, Body: []byte(`{}`)}, nil
	case strings.HasPrefix(path, "/v1/sessions/") && method == http.MethodPut:
		return s.register(body)
	case method == http.MethodDelete:
		s.mu.Lock()
		defer s.mu.Unlock()
		if id, ok := strings.CutPrefix(path, "/v1/sessions/"); ok {
			s.ended = append(s.ended, id)
		} else {
			s.taken = append(s.taken, strings.TrimPrefix(path, "/v1/prompts/"))
		}
		return &pdp.Answer{Status: http.StatusNoContent}, nil
	}
	return nil, errors.New("no such path: " + path)
}

func (s *scripted) answerCall(body []byte) (*pdp.Answer, error) {
	var call v1.Call
	if err := json.Unmarshal(body, &call); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	decision, err := s.decide(&call)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(decision)
	return &pdp.Answer{Status: http.StatusOK, Body: text}, err
}

func (s *scripted) register(body []byte) (*pdp.Answer, error) {
	var session v1.Session
	if err := json.Unmarshal(body, &session); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if code := s.refuse[session.ProjectDir]; code != "" {
		return &pdp.Answer{Status: http.StatusForbidden, Body: []byte(`{"detail":"refused","code":"` + code + `"}`)}, nil
	}
	if s.sessions == nil {
		s.sessions = map[string]v1.Session{}
	}
	s.sessions[session.ID] = session
	return &pdp.Answer{Status: http.StatusCreated, Body: []byte(`{}`)}, nil
}

// decided is a decision as a sidecar sends it.
func decided(effect v1.Effect, message string) v1.Decision {
	decision := v1.Decision{
		ID: "d-1", Effect: effect, Policy: v1.PolicyInfo{Revision: "r"},
		Reasons: []v1.Reason{{Rule: "test/rule", Code: "test", Effect: effect, Message: message, Item: -1}},
	}
	if effect == v1.EffectPrompt {
		decision.Prompt = &v1.Prompt{ID: "p-1", State: v1.PromptPending}
	}
	return decision
}

// always decides every call in one way.
func always(effect v1.Effect, message string) func(*v1.Call) (v1.Decision, error) {
	return func(*v1.Call) (v1.Decision, error) { return decided(effect, message), nil }
}

// rig is a gate before a program that writes what it gets to a file and sends it
// back.
type rig struct {
	in    *io.PipeWriter
	lines *bufio.Reader
	log   string
	notes *notes
	ended chan ending
	// rest is what the host got after it closed its side.
	rest string
}

type ending struct {
	code int
	err  error
}

// notes are a gate's messages to its person.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, text)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.all, "\n")
}

// startMCP starts a gate before a server that answers each line with itself.
func startMCP(t *testing.T, sidecar *scripted, change ...func(*gates.MCPOptions)) *rig {
	t.Helper()
	r := &rig{log: filepath.Join(t.TempDir(), "log"), notes: &notes{}, ended: make(chan ending, 1)}
	options := gates.MCPOptions{
		Client: sidecar, Server: "srv", Session: v1.Session{ID: "g-1", Agent: "a", ProjectDir: "/p"}, Cwd: "/p", Hold: time.Minute,
		Note: r.notes.add,
	}
	for _, apply := range change {
		apply(&options)
	}
	gate, err := gates.NewMCP(options)
	require.NoError(t, err)
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	r.in, r.lines = in, bufio.NewReader(out)
	argv := []string{"sh", "-c", `tee "$1"; exit 7`, "sh", r.log}
	go func() {
		code, err := gate.Run(t.Context(), argv, gates.Streams{Stdin: stdin, Stdout: stdout, Stderr: io.Discard})
		r.ended <- ending{code, err}
		_ = stdout.Close()
	}()
	t.Cleanup(func() { _ = in.Close(); _ = out.Close() })
	return r
}

func (r *rig) send(t *testing.T, text string) {
	t.Helper()
	_, err := io.WriteString(r.in, text)
	require.NoError(t, err)
}

// next is the next line that the host gets.
func (r *rig) next(t *testing.T) string {
	t.Helper()
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := r.lines.ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case line := <-got:
		require.NoError(t, line.err)
		return line.line
	case <-time.After(patience):
		require.FailNow(t, "nothing comes", r.notes.String())
		return ""
	}
}

// end closes the host's side, and returns what the program got.
func (r *rig) end(t *testing.T) (got string) {
	t.Helper()
	require.NoError(t, r.in.Close())
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(r.lines)
		rest <- string(text)
	}()
	select {
	case e := <-r.ended:
		require.NoError(t, e.err)
		require.Equal(t, 7, e.code, "the program's status")
		r.rest = <-rest
	case <-time.After(patience):
		require.FailNow(t, "the gate does not end")
	}
	text, err := os.ReadFile(r.log)
	require.NoError(t, err)
	return string(text)
}

// identical checks that two texts are the same byte for byte, and not only as JSON.
func identical(t *testing.T, want, got string) {
	t.Helper()
	require.Equal(t, want, got)
}
