package server_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/secretfile"
	"policyd/internal/server"
)

// made is a token that differs by its letter.
func made(letter string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

// tokenFiles are the two of a state directory and alice's.
func tokenFiles(t *testing.T) (files *server.TokenFiles, state, alice string) {
	t.Helper()
	dir := t.TempDir()
	state, alice = filepath.Join(dir, "state"), filepath.Join(dir, "alice.token")
	require.NoError(t, os.WriteFile(alice, []byte(made("a")+"\n"), 0o600))
	files, err := server.OpenTokenFiles(state, []server.TokenFile{{Principal: server.Principal{Name: "alice", Role: server.RoleOperator}, File: alice}})
	require.NoError(t, err)
	return files, state, alice
}

// answering is a book of prompts that states who answered.
type answering struct {
	server.Prompts
	by chan string
}

func (a answering) Answer(_ context.Context, _ string, request v1.AnswerRequest) (v1.AnswerResponse, error) {
	a.by <- request.By
	return v1.AnswerResponse{}, nil
}

// as sends a request with a token and returns the status.
func (r *running) as(t *testing.T, token, method, path, body string) int {
	t.Helper()
	request := r.request(t, method, path, body)
	request.Header.Set("Authorization", "Bearer "+token)
	return do(t, r.client, request).StatusCode
}

// TestTokensRotateWhileServing checks that a new token counts and the old one doesn't, on a connection that
// stays open, and that nothing else is needed.
func TestTokensRotateWhileServing(t *testing.T) {
	files, state, alice := tokenFiles(t)
	r := start(t, func(o *server.Options) { o.Tokens, o.Keys = server.Tokens{}, files.Keys() })
	before := token(t, filepath.Join(state, "agent.token"))
	require.Equal(t, 200, r.as(t, before, "POST", "/v1/decide", good))
	require.Equal(t, 200, r.as(t, made("a"), "POST", "/v1/decide", good))

	require.NoError(t, os.WriteFile(filepath.Join(state, "agent.token"), []byte(made("n")), 0o600))
	require.NoError(t, files.Reload())
	assert.Equal(t, 401, r.as(t, before, "POST", "/v1/decide", good))
	assert.Equal(t, 200, r.as(t, made("n"), "POST", "/v1/decide", good))
	assert.Equal(t, 200, r.as(t, made("a"), "POST", "/v1/decide", good), "alice's is as it was")

	require.NoError(t, os.Remove(alice))
	require.ErrorContains(t, files.Reload(), "token of alice")
	assert.Equal(t, 401, r.as(t, made("a"), "POST", "/v1/decide", good), "a token whose file is gone is nobody's")
	assert.Equal(t, 200, r.as(t, made("n"), "POST", "/v1/decide", good))
}

func token(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// TestATokenThatCannotBeTrustedIsNobodys checks each way in which a file can be spoiled, at the start and
// while serving.
func TestATokenThatCannotBeTrustedIsNobodys(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(t *testing.T, state, alice string)
		says  string
	}{
		"open": {func(t *testing.T, _, alice string) { require.NoError(t, os.Chmod(alice, 0o644)) }, "mode 0644"},
		"short": {func(t *testing.T, _, alice string) {
			require.NoError(t, os.WriteFile(alice, []byte("abc"), 0o600))
		}, "32 bytes"},
		"empty": {func(t *testing.T, _, alice string) { require.NoError(t, os.WriteFile(alice, nil, 0o600)) }, "32 bytes"},
		"another's": {func(t *testing.T, state, alice string) {
			require.NoError(t, os.WriteFile(alice, []byte(token(t, filepath.Join(state, "agent.token"))), 0o600))
		}, "is another's, too"},
	} {
		t.Run(name, func(t *testing.T) {
			files, state, alice := tokenFiles(t)
			r := start(t, func(o *server.Options) { o.Tokens, o.Keys = server.Tokens{}, files.Keys() })
			agent := token(t, filepath.Join(state, "agent.token"))
			test.spoil(t, state, alice)
			require.ErrorContains(t, files.Reload(), test.says)
			require.ErrorContains(t, files.Fault(), test.says)
			assert.Equal(t, 401, r.as(t, made("a"), "POST", "/v1/decide", good))
			if name == "another's" {
				assert.Equal(t, 401, r.as(t, agent, "POST", "/v1/decide", good), "nobody can tell whose it is")
			}
			_, err := server.OpenTokenFiles(state, []server.TokenFile{{Principal: server.Principal{Name: "alice", Role: server.RoleOperator}, File: alice}})
			require.ErrorContains(t, err, test.says, "nobody starts with it")

			require.NoError(t, os.WriteFile(alice, []byte(made("b")), 0o600))
			require.NoError(t, os.Chmod(alice, 0o600))
			require.NoError(t, files.Reload())
			assert.Equal(t, 200, r.as(t, made("b"), "POST", "/v1/decide", good))
			assert.Equal(t, 200, r.as(t, agent, "POST", "/v1/decide", good))
		})
	}
	files, _, alice := tokenFiles(t)
	require.NoError(t, os.Chmod(alice, 0o640))
	var open *secretfile.ModeError
	require.ErrorAs(t, files.Reload(), &open)
}

// TestWhatIsHeldEndsWithItsToken checks that a stream that began with a token ends when the token doesn't
// count any more, and others go on.
func TestWhatIsHeldEndsWithItsToken(t *testing.T) {
	ring, err := server.NewKeyring([]server.Key{
		{Principal: server.Principal{Name: "alice", Role: server.RoleOperator}, Token: made("a")},
		{Principal: server.Principal{Name: "bob", Role: server.RoleOperator}, Token: made("b")},
	})
	require.NoError(t, err)
	r := start(t, func(o *server.Options) { o.Keys = ring })
	open := func(token string) chan struct{} {
		request := r.request(t, "GET", "/v1/events", "")
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := r.client.Do(request) //nolint:bodyclose // it is closed when the stream ends
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer response.Body.Close()
			_, _ = io.Copy(io.Discard, response.Body) // however it ends
		}()
		return ended
	}
	alice, bob := open(made("a")), open(made("b"))
	require.NoError(t, ring.Replace([]server.Key{{Principal: server.Principal{Name: "bob", Role: server.RoleOperator}, Token: made("b")}}))
	select {
	case <-alice:
	case <-time.After(10 * time.Second):
		t.Fatal("alice's stream goes on")
	}
	select {
	case <-bob:
		t.Fatal("bob's stream ended")
	default:
	}
	r.stop()
	<-bob
}

// TestTheTokenIdentifiesWhoAnswers checks that a body can't name another person.
func TestTheTokenIdentifiesWhoAnswers(t *testing.T) {
	ring, err := server.NewKeyring([]server.Key{
		{Principal: server.Principal{Name: "alice", Role: server.RoleOperator}, Token: made("a")},
		{Principal: server.Principal{Role: server.RoleOperator}, Token: made("o")},
	})
	require.NoError(t, err)
	book := answering{by: make(chan string, 1)}
	r := start(t, func(o *server.Options) { o.Keys, o.Prompts = ring, book })
	for _, test := range []struct{ token, body, by string }{
		{made("a"), `{"choice":"once"}`, "alice"},
		{made("a"), `{"choice":"once","by":"mallory"}`, "alice"},
		{made("o"), `{"choice":"once","by":"carol"}`, "carol"},
		{made("o"), `{"choice":"once"}`, ""},
	} {
		require.Equal(t, 200, r.as(t, test.token, "POST", "/v1/prompts/p/answer", test.body))
		assert.Equal(t, test.by, <-book.by, test.body)
	}
}

func TestRolesEndWhereTheyEnd(t *testing.T) {
	ring, err := server.NewKeyring([]server.Key{
		{Principal: server.Principal{Name: "bot", Role: server.RoleAgent}, Token: made("a")},
		{Principal: server.Principal{Name: "prometheus", Role: server.RoleMetrics}, Token: made("m")},
		{Principal: server.Principal{Name: "alice", Role: server.RoleOperator}, Token: made("o")},
	})
	require.NoError(t, err)
	served := http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) { _, _ = writer.Write([]byte("policyd_up 1\n")) })
	r := start(t, func(o *server.Options) { o.Keys, o.Metrics, o.MetricsToken = ring, served, true })
	for path, want := range map[string][4]int{ // of nobody, an agent, the metrics' and an operator
		"/metrics": {401, 403, 200, 200},
		"/livez":   {200, 200, 200, 200},
	} {
		request := r.request(t, "GET", path, "")
		request.Header.Del("Authorization")
		got := [4]int{do(t, r.client, request).StatusCode}
		for i, letter := range []string{"a", "m", "o"} {
			got[i+1] = r.as(t, made(letter), "GET", path, "")
		}
		assert.Equal(t, want, got, path)
	}
	assert.Equal(t, 403, r.as(t, made("m"), "POST", "/v1/decide", good), "what reads metrics asks nothing")
	assert.Equal(t, 403, r.as(t, made("m"), "GET", "/v1/prompts", ""))
	open := start(t, func(o *server.Options) { o.Metrics = served })
	request := open.request(t, "GET", "/metrics", "")
	request.Header.Del("Authorization")
	assert.Equal(t, 200, do(t, open.client, request).StatusCode)
	off := start(t)
	assertProblem(t, do(t, off.client, off.request(t, "GET", "/metrics", "")), 404, "not_found")
}

// TestACertificateThatEndedIsRefused checks that a connection proves no more than its certificate does now,
// whatever token comes over it.
func TestACertificateThatEndedIsRefused(t *testing.T) {
	gate := &decider{}
	var refusal error
	named := true
	server, err := server.New(server.Options{
		Gate: gate, Sessions: noSessions{}, Prompts: noPrompts{}, Approvals: noApprovals{}, Tokens: tokens(),
		Certificate: func(*tls.ConnectionState) (server.Principal, bool, error) {
			return server.Principal{Name: "bot", Role: server.RoleAgent}, named, refusal
		},
	})
	require.NoError(t, err)
	for _, test := range []struct {
		token   string
		named   bool
		refusal error
		status  int
	}{
		{"", true, nil, 200},
		{"", false, nil, 401},
		{tokens().Agent, false, nil, 200},
		{"wrong", true, nil, 401},
		{tokens().Agent, false, errors.New("it ended"), 401},
	} {
		named, refusal = test.named, test.refusal
		request, err := http.NewRequestWithContext(t.Context(), "POST", "https://localhost/v1/decide", strings.NewReader(good))
		require.NoError(t, err)
		request.TLS = &tls.ConnectionState{}
		request.Header.Set("Content-Type", "application/json")
		if test.token != "" {
			request.Header.Set("Authorization", "Bearer "+test.token)
		}
		answer := &recorder{header: http.Header{}}
		server.ServeHTTP(answer, request)
		assert.Equal(t, test.status, answer.status, "%+v", test)
	}
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(text []byte) (int, error) {
	if r.status == 0 {
		r.status = 200
	}
	return len(text), nil
}
