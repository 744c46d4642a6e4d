package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// consoleSettings serve the console from the start, on a free port.
func consoleSettings(t *testing.T, more string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(file, []byte("console: {addr: '127.0.0.1:0', serve: always}\n"+more), 0o600))
	return file
}

// link asks for a link as an operator.
func (s *server) link(t *testing.T) *url.URL {
	t.Helper()
	answer := must[v1.ConsoleLink](t, http.StatusOK, s.as(t, "operator", http.MethodPost, "/v1/console/link", v1.ConsoleLinkRequest{By: "alice"}))
	parsed, err := url.Parse(answer.URL)
	require.NoError(t, err)
	return parsed
}

// TestTheConsoleAnswersAHeldCall checks the way of an answer, from a link to the call that waits, over a
// restart, and what an agent is kept from.
func TestTheConsoleAnswersAHeldCall(t *testing.T) {
	tree := newTree(t)
	s := startServer(t, "--config", consoleSettings(t, ""))
	s.register(t, tree, "s1")
	assert.Equal(t, http.StatusForbidden, s.as(t, "agent", http.MethodPost, "/v1/console/link", v1.ConsoleLinkRequest{}).status)
	link := s.link(t)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	get := func(path string) (int, string) {
		response, err := browser.Get(link.Scheme + "://" + link.Host + path)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(text)
	}
	status, _ := get("/console/")
	assert.Equal(t, http.StatusUnauthorized, status)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	post := func(path string, value any) (int, []byte) {
		body, err := json.Marshal(value)
		require.NoError(t, err)
		stamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
		sum := sha256.Sum256([]byte(path + "\n" + stamp + "\n" + string(body)))
		first, second, err := ecdsa.Sign(rand.Reader, key, sum[:])
		require.NoError(t, err)
		signed := append(first.FillBytes(make([]byte, 32)), second.FillBytes(make([]byte, 32))...)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link.Scheme+"://"+link.Host+path, bytes.NewReader(body))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Origin": link.Scheme + "://" + link.Host, "Policyd-Proof": stamp + "." + base64.RawURLEncoding.EncodeToString(signed),
		} {
			request.Header.Set(name, value)
		}
		status, _, text := do(t, browser, request)
		return status, text
	}
	status, text := post("/console/login", map[string]string{"code": link.Query().Get("code"), "key": base64.RawURLEncoding.EncodeToString(point)})
	require.Equalf(t, http.StatusOK, status, "%s", text)
	_, page := get("/console/")
	assert.Contains(t, page, "No agent waits")

	held := s.hold(t, http.MethodPost, "/v1/decide?wait=5m", `{"tool":"Bash","args":{"command":"git push origin b1"},"session":{"id":"s1"}}`)
	open := s.pendingCount(t, 1)
	_, page = get("/console/prompts/" + open[0].ID)
	assert.Contains(t, page, "git push origin b1")
	status, text = post("/console/answer", map[string]any{"ids": []string{open[0].ID}, "choice": "once"})
	require.Equalf(t, http.StatusOK, status, "%s", text)
	answered := held()
	assert.Equal(t, http.StatusOK, answered.status)
	decision := wellFormed(t, answered.body)
	assert.Equal(t, v1.EffectAllow, decision.Effect)
	_, page = get("/console/decisions/" + decision.ID)
	for _, want := range []string{"git push origin b1", "Rules that fired"} {
		assert.Contains(t, page, want)
	}
	for _, path := range []string{"/console/decisions", "/console/remembered", "/console/sessions", "/console/policy", "/console/rates"} {
		status, _ := get(path)
		assert.Equal(t, http.StatusOK, status, path)
	}
	for _, command := range []string{"curl http://" + link.Host + "/console/", "policyd console"} {
		denied := s.decide(t, v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"` + command + `"}`), Session: v1.Session{ID: "s1"}})
		assert.Equal(t, v1.EffectDeny, denied.Effect, command)
	}
}

// TestTheConsoleIsOffUntilSomebodyOpensIt checks that nothing listens before, and that the command prints a
// link that works.
func TestTheConsoleIsOffUntilSomebodyOpensIt(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	file := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(file, []byte("console: {addr: '"+address+"'}\n"), 0o600))
	s := startServer(t, "--config", file)
	_, err = new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.Error(t, err)
	out := s.run(t, "console", "--no-browser", "--config", file)
	assert.Regexp(t, `^http://`+regexp.QuoteMeta(address)+`/console/login\?code=[-\w]{43}\n$`, out)
	response, err := http.Get(strings.TrimSpace(out))
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusOK, response.StatusCode)

	off := filepath.Join(t.TempDir(), "off.yaml")
	require.NoError(t, os.WriteFile(off, []byte("console: {serve: off}\n"), 0o600))
	none := startServer(t, "--config", off)
	refused := none.as(t, "operator", http.MethodPost, "/v1/console/link", v1.ConsoleLinkRequest{})
	assert.Equal(t, http.StatusNotFound, refused.status)
	assert.Contains(t, string(refused.body), "console_off")
}

// TestWebhooksGetPrompts checks that a prompt reaches a target of the settings, that a message links to
// the console, and that the command tests targets.
func TestWebhooksGetPrompts(t *testing.T) {
	bodies := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- r.Header.Get("Policyd-Signature") + string(body)
	}))
	t.Cleanup(receiver.Close)
	file := consoleSettings(t, "notify: [{name: hook, kind: webhook, url: '"+receiver.URL+"', secret: shared, ended: true}]\n")
	s := startServer(t, "--config", file)
	tree := newTree(t)
	s.register(t, tree, "s1")
	next := func() string {
		select {
		case body := <-bodies:
			return body
		case <-time.After(patience):
			require.FailNow(t, "the target hears nothing")
			return ""
		}
	}
	assert.Equal(t, "hook: sent\n", s.runWithoutRunDir(t, "notify", "test", "--config", file))
	assert.Contains(t, next(), "This is a test")
	asked := s.decide(t, v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"git push origin b1"}`), Session: v1.Session{ID: "s1"}})
	body := next()
	assert.Contains(t, body, `"event":"prompt.created"`)
	assert.Contains(t, body, "/console/prompts/"+asked.Prompt.ID)
	assert.True(t, strings.HasPrefix(body, "t="))
	s.reply(t, asked.Prompt, "deny")
	assert.Contains(t, next(), `"event":"prompt.answered"`)
}

// runWithoutRunDir runs a command that needs no server.
func (s *server) runWithoutRunDir(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, append(arguments, "--state-dir", s.stateDir)...)
	command.Env = environment(s.home)
	out, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return string(out)
}
