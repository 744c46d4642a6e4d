package e2e

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/authority"
	"policyd/test/otlp"
)

var anyAddress = regexp.MustCompile(`https?://[0-9.]+:[0-9]+`)

// startSet starts a server with a settings file, and more in its environment.
func startSet(t *testing.T, settings string, more ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{stateDir: filepath.Join(dir, "state"), runDir: shortDir(t), home: filepath.Join(dir, "owner")}
	require.NoError(t, os.Mkdir(s.home, 0o700))
	put(t, dir, "policyd.yaml", settings)
	command := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--state-dir", s.stateDir, "--run-dir", s.runDir,
		"--config", filepath.Join(dir, "policyd.yaml"))
	command.Env = append(environment(s.home), more...)
	s.process = launch(t, command)
	s.url = anyAddress.FindString(s.line)
	require.NotEmptyf(t, s.url, "policyd said %q", s.line)
	return s
}

// ask sends a request and returns status and body.
func ask(t *testing.T, client *http.Client, method, url, token, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	status, _, answer := do(t, client, request)
	return status, string(answer)
}

// verbose is what /readyz?verbose says of a part.
func (s *server) verbose(t *testing.T, name string) (ok bool, detail string) {
	t.Helper()
	_, body := ask(t, s.socketClient(), http.MethodGet, "http://localhost/readyz?verbose", "", "")
	var answer struct {
		Checks []struct {
			Name, Detail string
			OK           bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	for _, check := range answer.Checks {
		if check.Name == name {
			return check.OK, check.Detail
		}
	}
	require.Failf(t, "no such check", "%s in %s", name, body)
	return false, ""
}

// trusting is a client that trusts one authority and opens a connection for each
// request, so that each shakes hands anew.
func trusting(pool *x509.CertPool, certificates ...tls.Certificate) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certificates},
	}}
}

// volume is a directory whose files are swapped at once, as Kubernetes does with
// those of a secret: links to ..data, which is a link to the files.
type volume struct {
	dir  string
	next int
}

func newVolume(t *testing.T, files map[string][]byte) *volume {
	t.Helper()
	v := &volume{dir: t.TempDir()}
	v.swap(t, files)
	for name := range files {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(v.dir, name)))
	}
	return v
}

func (v *volume) swap(t *testing.T, files map[string][]byte) {
	t.Helper()
	v.next++
	version := fmt.Sprintf("..version%d", v.next)
	require.NoError(t, os.Mkdir(filepath.Join(v.dir, version), 0o755))
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(v.dir, version, name), content, 0o600))
	}
	require.NoError(t, os.Symlink(version, filepath.Join(v.dir, "..new")))
	require.NoError(t, os.Rename(filepath.Join(v.dir, "..new"), filepath.Join(v.dir, "..data")))
}

// TestCertificatesAreSwappedWhileServing checks real handshakes before and after a swap and SIGHUP. A broken
// pair leaves the old one active and is reported.
func TestCertificatesAreSwappedWhileServing(t *testing.T) {
	ca := authority.New(t, "authority")
	first, second := ca.Issue(t, "first"), ca.Issue(t, "second")
	files := newVolume(t, map[string][]byte{"tls.crt": first.Cert, "tls.key": first.Key})
	s := startSet(t, "tls: {cert: "+files.dir+"/tls.crt, key: "+files.dir+"/tls.key}\n")
	require.Contains(t, s.line, "https://127.0.0.1:")
	served := func() string {
		connection, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{RootCAs: ca.Pool(), ServerName: "localhost"})
		require.NoError(t, err)
		defer connection.Close()
		return connection.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	require.Equal(t, "first", served())
	status, _ := ask(t, trusting(ca.Pool()), http.MethodGet, s.url+"/livez", "", "")
	require.Equal(t, http.StatusOK, status)
	_, err := trusting(authority.New(t, "other").Pool()).Get(s.url + "/livez") //nolint:bodyclose // there is none
	require.Error(t, err, "it is TLS indeed")
	status, plain := ask(t, http.DefaultClient, http.MethodGet, strings.Replace(s.url, "https", "http", 1)+"/livez", "", "")
	assert.Equal(t, http.StatusBadRequest, status, plain)

	files.swap(t, map[string][]byte{"tls.crt": second.Cert, "tls.key": second.Key})
	eventually(t, "the second certificate is served", func() bool { return served() == "second" })

	files.swap(t, map[string][]byte{"tls.crt": first.Cert, "tls.key": second.Key})
	eventually(t, "the broken pair is told", func() bool { ok, _ := s.verbose(t, "tls"); return !ok })
	_, detail := s.verbose(t, "tls")
	assert.Contains(t, detail, "stays in force")
	assert.Equal(t, "second", served())
	eventually(t, "the log says so, too", func() bool { return strings.Contains(s.stderr.String(), "files can't be used") })
	status, _ = ask(t, trusting(ca.Pool()), http.MethodGet, s.url+"/readyz", "", "")
	assert.Equal(t, http.StatusOK, status, "calls are decided all the same")
	assert.NotContains(t, s.stderr.String(), "PRIVATE KEY")

	require.NoError(t, s.command.Process.Signal(syscall.SIGHUP))
	eventually(t, "SIGHUP is heard", func() bool { return strings.Contains(s.stderr.String(), "SIGHUP") })
	files.swap(t, map[string][]byte{"tls.crt": first.Cert, "tls.key": first.Key})
	eventually(t, "the mended pair is served", func() bool { return served() == "first" })
	ok, _ := s.verbose(t, "tls")
	assert.True(t, ok)
	assert.Equal(t, 1, strings.Count(s.stderr.String(), "files can't be used"), "a fault is told once")
}

// TestACertificateIsAName checks mTLS: who shows none is no client, who is named has the role, whose answer
// bears the name, and who isn't named needs a token.
func TestACertificateIsAName(t *testing.T) {
	ca, dir, tree := authority.New(t, "authority"), t.TempDir(), newTree(t)
	ca.Issue(t, "policyd").Write(t, dir)
	authority.Put(t, filepath.Join(dir, "ca.crt"), ca.PEM)
	s := startSet(t, fmt.Sprintf(`
tls:
  cert: %[1]s/tls.crt
  key: %[1]s/tls.key
  client_ca: %[1]s/ca.crt
  clients:
    - {name: alice, role: operator}
    - {name: "spiffe://example.org/bot", role: agent}
`, dir))
	_, err := trusting(ca.Pool()).Get(s.url + "/livez") //nolint:bodyclose // there is none
	require.Error(t, err, "no certificate, no connection")
	alice := trusting(ca.Pool(), ca.Issue(t, "alice").TLS(t))
	bot := trusting(ca.Pool(), ca.Issue(t, "x", authority.URI(t, "spiffe://example.org/bot")).TLS(t))
	stranger := trusting(ca.Pool(), ca.Issue(t, "stranger").TLS(t))
	both := trusting(ca.Pool(), ca.Issue(t, "alice", authority.URI(t, "spiffe://example.org/bot")).TLS(t))
	_, err = trusting(ca.Pool(), authority.New(t, "authority").Issue(t, "alice").TLS(t)).Get(s.url + "/livez") //nolint:bodyclose // there is none
	require.Error(t, err, "alice by another authority")

	call, err := json.Marshal(v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"git push"}`), Cwd: tree.Project, Session: session(tree, "claude-code")})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		client *http.Client
		token  string
		status int
	}{
		"alice": {alice, "", 200}, "bot": {bot, "", 200}, "stranger": {stranger, "", 401}, "both": {both, "", 401},
		"stranger with a token": {stranger, s.token(t, "operator"), 200}, "alice with a wrong token": {alice, "wrong", 401},
		"bot as operator": {bot, "", 200},
	} {
		status, body := ask(t, test.client, http.MethodPost, s.url+"/v1/decide", test.token, string(call))
		assert.Equal(t, test.status, status, "%s: %s", name, body)
	}
	status, _ := ask(t, bot, http.MethodGet, s.url+"/v1/approvals", "", "")
	assert.Equal(t, http.StatusForbidden, status)
	_, body := ask(t, bot, http.MethodPost, s.url+"/v1/decide", "", strings.Replace(string(call), `"id":"`, `"id":"bot-`, 1))
	decision := wellFormed(t, []byte(body))
	require.Equal(t, v1.EffectPrompt, decision.Effect)
	status, body = ask(t, alice, http.MethodPost, s.url+"/v1/prompts/"+decision.Prompt.ID+"/answer", "", `{"choice":"always_here","by":"mallory"}`)
	require.Equal(t, http.StatusOK, status, body)
	_, body = ask(t, alice, http.MethodGet, s.url+"/v1/prompts/"+decision.Prompt.ID, "", "")
	assert.Contains(t, body, `"by":"alice"`)
	_, body = ask(t, alice, http.MethodGet, s.url+"/v1/approvals", "", "")
	assert.Contains(t, body, `"by":"alice"`)
	assert.NotContains(t, body, "mallory")

	// The authority changes: those of the one before are nobody, on connections
	// that stay open as well.
	staying := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: ca.Pool(), Certificates: []tls.Certificate{ca.Issue(t, "alice").TLS(t)},
	}}}
	status, _ = ask(t, staying, http.MethodGet, s.url+"/v1/approvals", "", "")
	require.Equal(t, http.StatusOK, status)
	authority.Put(t, filepath.Join(dir, "ca.crt"), authority.New(t, "next").PEM)
	eventually(t, "the old authority's clients are refused", func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/approvals", nil)
		require.NoError(t, err)
		response, err := staying.Do(request)
		if err != nil {
			return true
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusUnauthorized
	})
}

func newToken(letter string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

// TestTokensRotateAndHaveNames checks rotation of a token of the state directory and of a named one, by the
// files alone, and that an answer bears the name.
func TestTokensRotateAndHaveNames(t *testing.T) {
	tree, dir := newTree(t), t.TempDir()
	authority.Put(t, filepath.Join(dir, "alice.token"), []byte(newToken("a")))
	s := startSet(t, "tokens: [{name: alice, role: operator, file: "+dir+"/alice.token}]\n")
	decision := s.decide(t, v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"git push"}`), Cwd: tree.Project, Session: session(tree, "claude-code")})
	status, body := ask(t, http.DefaultClient, http.MethodPost, s.url+"/v1/prompts/"+decision.Prompt.ID+"/answer", newToken("a"), `{"choice":"always_here"}`)
	require.Equal(t, http.StatusOK, status, body)
	_, body = ask(t, http.DefaultClient, http.MethodGet, s.url+"/v1/approvals", newToken("a"), "")
	assert.Contains(t, body, `"by":"alice"`)

	list := func(token string) int {
		status, _ := ask(t, http.DefaultClient, http.MethodGet, s.url+"/v1/approvals", token, "")
		return status
	}
	before := s.token(t, "operator")
	require.Equal(t, http.StatusOK, list(before))
	authority.Put(t, filepath.Join(s.stateDir, "operator.token"), []byte(newToken("o")))
	eventually(t, "the new token counts", func() bool { return list(newToken("o")) == http.StatusOK })
	assert.Equal(t, http.StatusUnauthorized, list(before), "on the connection that it was used on")
	authority.Put(t, filepath.Join(dir, "alice.token"), []byte(newToken("b")))
	eventually(t, "alice's new token counts", func() bool { return list(newToken("b")) == http.StatusOK })
	assert.Equal(t, http.StatusUnauthorized, list(newToken("a")))

	require.NoError(t, os.Chmod(filepath.Join(dir, "alice.token"), 0o644))
	eventually(t, "a token that others may know counts no more", func() bool { return list(newToken("b")) == http.StatusUnauthorized })
	ok, detail := s.verbose(t, "tokens")
	assert.False(t, ok)
	assert.Contains(t, detail, "mode 0644")
	assert.Equal(t, http.StatusOK, list(newToken("o")))

	out := s.run(t, "approvals", "list")
	assert.Contains(t, out, "git push", "commands read the token that is in force")
}

// run runs a command on the server's state.
func (s *server) run(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, append(arguments, "--state-dir", s.stateDir, "--run-dir", s.runDir)...)
	command.Env = environment(s.home)
	out, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return string(out)
}

// TestAgentsReachNoTokenOrKey checks that what lets its reader in can't be read or changed by an agent, also
// after a swap gave it another real name (P6).
func TestAgentsReachNoTokenOrKey(t *testing.T) {
	tree, ca := newTree(t), authority.New(t, "authority")
	pair := ca.Issue(t, "policyd")
	files := newVolume(t, map[string][]byte{"tls.crt": pair.Cert, "tls.key": pair.Key, "alice.token": []byte(newToken("a"))})
	single := t.TempDir()
	authority.Put(t, filepath.Join(single, "bot.token"), []byte(newToken("b")))
	authority.Put(t, filepath.Join(single, "ca.crt"), ca.PEM)
	s := startSet(t, fmt.Sprintf(`
tls: {cert: %[1]s/tls.crt, key: %[1]s/tls.key, client_ca: %[2]s/ca.crt, client_auth: optional}
tokens:
  - {name: alice, role: operator, file: %[1]s/alice.token}
  - {name: bot, role: agent, file: %[2]s/bot.token}
scope: {read_also: [/]}
`, files.dir, single))
	decide := func(tool, args string) v1.Decision {
		body, err := json.Marshal(v1.Call{Tool: tool, Args: json.RawMessage(args), Cwd: tree.Project, Session: session(tree, "claude-code")})
		require.NoError(t, err)
		_, answer := ask(t, trusting(ca.Pool()), http.MethodPost, s.url+"/v1/decide", s.token(t, "agent"), string(body))
		return wellFormed(t, []byte(answer))
	}
	check := func() {
		for _, file := range []string{files.dir + "/tls.key", files.dir + "/alice.token", files.dir + "/..data/alice.token", single + "/bot.token"} {
			assert.Equal(t, v1.EffectDeny, decide("Read", `{"file_path":"`+file+`"}`).Effect, file)
			assert.Equal(t, v1.EffectDeny, decide("Bash", `{"command":"cat `+file+`"}`).Effect, file)
			assert.Equal(t, v1.EffectDeny, decide("Write", `{"file_path":"`+file+`","content":"x"}`).Effect, file)
		}
	}
	check()
	trusted := decide("Write", `{"file_path":"`+single+`/ca.crt","content":"x"}`)
	assert.NotEqual(t, v1.EffectAllow, trusted.Effect)
	assert.Contains(t, reasonRules(&trusted), "protected/always", "who is trusted is the operator's to say")
	files.swap(t, map[string][]byte{"tls.crt": pair.Cert, "tls.key": pair.Key, "alice.token": []byte(newToken("c"))})
	check()
	_, err := os.Stat(files.dir + "/..version2/alice.token")
	require.NoError(t, err)
	assert.Equal(t, v1.EffectDeny, decide("Read", `{"file_path":"`+files.dir+`/..version2/alice.token"}`).Effect)
}

func reasonRules(decision *v1.Decision) []string {
	var rules []string
	for _, reason := range decision.Reasons {
		rules = append(rules, reason.Rule)
	}
	return rules
}

// TestLimitsAreOfAnAgent checks 429 with a deny and Retry-After for one agent over its limit, and that
// another is served meanwhile.
func TestLimitsAreOfAnAgent(t *testing.T) {
	tree := newTree(t)
	s := startSet(t, "limits: {requests_per_second: 1, held: 1, body_bytes: 4096}\n")
	call := func(agent, command string) string {
		args, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		body, err := json.Marshal(v1.Call{Tool: "Bash", Args: args, Cwd: tree.Project, Session: session(tree, agent)})
		require.NoError(t, err)
		return string(body)
	}
	refused := false
	for range 110 { // a burst is one batch, 100 calls
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/decide", strings.NewReader(call("greedy", "git status")))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+s.token(t, "agent"))
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		if response.StatusCode == http.StatusTooManyRequests {
			refused = true
			assert.Contains(t, string(body), `"decision":"deny"`)
			assert.Contains(t, string(body), `"rate_limited"`)
			wait, err := strconv.Atoi(response.Header.Get("Retry-After"))
			assert.NoError(t, err)
			assert.Positive(t, wait)
			break
		}
	}
	require.True(t, refused)
	status, _, _ := s.post(t, "/v1/decide", call("modest", "git status"))
	assert.Equal(t, http.StatusOK, status)
	status, _, body := s.post(t, "/v1/decide", call("modest", "echo "+strings.Repeat("a", 5000)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, status, string(body))

	// One is held; a second of the same agent is not, another's is.
	held := make(chan int, 2)
	for _, agent := range []string{"waits", "also"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/decide?wait=5m", strings.NewReader(call(agent, "git push")))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+s.token(t, "agent"))
		request.Header.Set("Content-Type", "application/json")
		go func() {
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				held <- 0
				return
			}
			_ = response.Body.Close()
			held <- response.StatusCode
		}()
	}
	eventually(t, "both are asked about", func() bool {
		_, body := ask(t, http.DefaultClient, http.MethodGet, s.url+"/v1/prompts?state=pending", s.token(t, "operator"), "")
		return strings.Count(body, `"state":"pending"`) == 2
	})
	status, _, body = s.post(t, "/v1/decide?wait=1m", call("waits", "git push --tags"))
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Contains(t, string(body), "too_many_held")
	status, _, _ = s.post(t, "/v1/decide", call("waits", "git status"))
	assert.Equal(t, http.StatusOK, status, "what isn't held is served")
	s.stop(t)
	assert.Equal(t, http.StatusOK, <-held, "what is held is answered at the end")
	assert.Equal(t, http.StatusOK, <-held)
}

// series are the values that /metrics serves, by name and labels.
func (s *server) series(t *testing.T, token string) map[string]float64 {
	t.Helper()
	status, body := ask(t, http.DefaultClient, http.MethodGet, s.url+"/metrics", token, "")
	require.Equal(t, http.StatusOK, status, body)
	found := map[string]float64{}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		end := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || end < 0 {
			continue
		}
		value, err := strconv.ParseFloat(line[end+1:], 64)
		require.NoError(t, err)
		found[line[:end]] = value
	}
	return found
}

// TestMetricsAgreeWithWhatWasSent compares each count with what was asked.
func TestMetricsAgreeWithWhatWasSent(t *testing.T) {
	tree, dir := newTree(t), t.TempDir()
	authority.Put(t, filepath.Join(dir, "prometheus.token"), []byte(newToken("p")))
	s := startSet(t, "metrics: {access: token}\ntokens: [{name: prometheus, role: metrics, file: "+dir+"/prometheus.token}]\n", "GOMEMLIMIT=512MiB")
	status, _ := ask(t, http.DefaultClient, http.MethodGet, s.url+"/metrics", "", "")
	require.Equal(t, http.StatusUnauthorized, status)
	call := func(tool, args string) v1.Decision {
		return s.decide(t, v1.Call{Tool: tool, Args: json.RawMessage(args), Cwd: tree.Project, Session: session(tree, "claude-code")})
	}
	const allowed, denied = 3, 2
	rules := map[string]float64{}
	count := func(decision v1.Decision) {
		seen := map[string]bool{}
		for _, reason := range decision.Reasons {
			if !seen[reason.Rule] {
				seen[reason.Rule] = true
				rules[`policyd_decision_reasons_total{decision="`+decision.Effect.String()+`",rule="`+reason.Rule+`"}`]++
			}
		}
	}
	for range allowed {
		count(call("Read", `{"file_path":"README.md"}`))
	}
	for range denied {
		count(call("Read", `{"file_path":".env"}`))
	}
	asked := call("Bash", `{"command":"git push planted-argument"}`)
	count(asked)
	_ = call("Bash", `{"command":"git push planted-argument"}`) // the same question is joined
	count(asked)
	before := s.series(t, newToken("p"))
	assert.InDelta(t, 1, before["policyd_prompts_open"], 0)
	status, _ = ask(t, http.DefaultClient, http.MethodPost, s.url+"/v1/prompts/"+asked.Prompt.ID+"/answer", s.token(t, "operator"), `{"choice":"deny"}`)
	require.Equal(t, http.StatusOK, status)
	got := s.series(t, newToken("p"))
	want := map[string]float64{
		`policyd_decisions_total{decision="allow"}`: allowed, `policyd_decisions_total{decision="deny"}`: denied,
		`policyd_decisions_total{decision="prompt"}`:                                                              2,
		`policyd_http_request_duration_seconds_count{held="false",method="POST",route="/v1/decide",status="200"}`: allowed + denied + 2,
		`policyd_http_request_duration_seconds_count{held="false",method="GET",route="/metrics",status="401"}`:    1,
		"policyd_prompts_opened_total": 1, "policyd_prompts_open": 0,
		`policyd_prompts_ended_total{choice="deny",state="answered"}`:   1,
		`policyd_decision_step_duration_seconds_count{step="record"}`:   allowed + denied + 2,
		`policyd_policy_info{revision="` + asked.Policy.Revision + `"}`: 1,
		"policyd_record_up": 1, "policyd_store_up": 1, "policyd_tokens_up": 1, "policyd_sessions": 1,
		// Each of the two prompts is judged again with what each of its three lasting choices would save, which
		// is the same for two of them.
		`policyd_decision_cache_total{result="hit"}`: allowed + denied + 2 - 3 + 4, `policyd_decision_cache_total{result="miss"}`: 3 + 2,
		"policyd_decision_cache_entries": 3 + 2, "policyd_policy_activation_failures_total": 0, "policyd_record_failures_total": 0,
		"go_gc_gomemlimit_bytes": 512 << 20,
	}
	for series, value := range rules {
		want[series] = value
	}
	for series, value := range want {
		measured, there := got[series]
		assert.True(t, there, series)
		assert.InDelta(t, value, measured, 0, series)
	}
	assert.Positive(t, got[`policyd_decision_step_duration_seconds_sum{step="extract"}`])
	assert.Positive(t, got["policyd_policy_age_seconds"])
	for series := range got {
		assert.NotContains(t, series, "planted")
		assert.NotContains(t, series, "claude-code")
	}
}

// TestTracesHaveTheDecision sends the program's own traces and metrics to a
// receiver on the loopback address.
func TestTracesHaveTheDecision(t *testing.T) {
	tree, receiver := newTree(t), otlp.New(t)
	s := startSet(t, "", "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.URL, "OTEL_SERVICE_NAME=policyd-test")
	decision := s.decide(t, v1.Call{
		Tool: "Bash", Args: json.RawMessage(`{"command":"cat README.md planted-argument"}`), Cwd: tree.Project, Session: session(tree, "claude-code"),
	})
	client := s.socketClient()
	status, _ := ask(t, client, http.MethodGet, "http://localhost/v1/sessions/planted-session", "", "")
	require.Equal(t, http.StatusNotFound, status)
	// A held call still outlives the time that a request has to be sent.
	held := s.decide(t, v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"git push"}`), Cwd: tree.Project, Session: session(tree, "claude-code")})
	require.Equal(t, v1.EffectPrompt, held.Effect)
	s.stop(t)
	byName := map[string][]otlp.Span{}
	byID := map[string]otlp.Span{}
	for _, span := range receiver.Spans() {
		byName[span.Name] = append(byName[span.Name], span)
		byID[span.ID] = span
	}
	require.Len(t, byName["decide"], 2)
	for _, name := range []string{"extract", "judge", "record"} {
		require.Len(t, byName[name], 2, name)
		for _, span := range byName[name] {
			decide := byID[span.Parent]
			assert.Equal(t, "decide", decide.Name)
			assert.Equal(t, "POST /v1/decide", byID[decide.Parent].Name)
		}
	}
	var traced []string
	for _, span := range byName["decide"] {
		traced = append(traced, span.Attributes["policyd.decision_id"]+" "+span.Attributes["policyd.decision"])
	}
	assert.ElementsMatch(t, []string{decision.ID + " " + decision.Effect.String(), held.ID + " prompt"}, traced)
	assert.Len(t, byName["GET /v1/sessions/:id"], 1)
	assert.True(t, receiver.Metric("policyd_decisions_total") || receiver.Metric("policyd_decisions"), "metrics are sent as well")
	raw := string(receiver.Raw())
	assert.Contains(t, raw, "policyd-test")
	for _, secret := range []string{"planted", "README.md", tree.Project, "git push", "claude-code"} {
		assert.NotContains(t, raw, secret)
	}
}

// TestTheLogIsStructured checks level and format, and that a line about a request has the decision and no
// text of the call.
func TestTheLogIsStructured(t *testing.T) {
	tree := newTree(t)
	s := startSet(t, "log: {level: debug, format: json}\n")
	decision := s.decide(t, v1.Call{
		Tool: "Bash", Args: json.RawMessage(`{"command":"cat planted-file planted-argument"}`), Cwd: tree.Project, Session: session(tree, "claude-code"),
	})
	eventually(t, "the request is logged", func() bool { return strings.Contains(s.stderr.String(), decision.ID) })
	found := false
	for line := range strings.Lines(s.stderr.String()) {
		var entry map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &entry), line)
		if entry["msg"] == "request answered" && entry["route"] == "/v1/decide" {
			found = true
			assert.Equal(t, []any{decision.ID}, entry["decision_id"])
			assert.Equal(t, "DEBUG", entry["level"])
		}
	}
	assert.True(t, found)
	assert.NotContains(t, s.stderr.String(), "planted")
	assert.NotContains(t, s.stderr.String(), s.token(t, "agent"))
	quiet := startSet(t, "log: {level: warn}\n")
	quiet.decide(t, v1.Call{Tool: "Read", Args: json.RawMessage(`{"file_path":"README.md"}`), Cwd: tree.Project, Session: session(tree, "claude-code")})
	quiet.stop(t)
	assert.Empty(t, quiet.stderr.String())
}

// TestNoDecisionIsLostAtTheEnd ends a server under load: every decision that was
// recorded reached who asked, and so did those that were held.
func TestNoDecisionIsLostAtTheEnd(t *testing.T) {
	tree := newTree(t)
	s := startSet(t, "limits: {requests_per_second: 0, held: 0}\n")
	body := func(agent, command string) string {
		args, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		text, err := json.Marshal(v1.Call{Tool: "Bash", Args: args, Cwd: tree.Project, Session: session(tree, agent)})
		require.NoError(t, err)
		return string(text)
	}
	token := s.token(t, "agent")
	var mu sync.Mutex
	received := map[string]v1.Effect{}
	// send reports whether the server still answers.
	send := func(client *http.Client, path, body string) bool {
		request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, s.url+path, strings.NewReader(body))
		if !assert.NoError(t, err) {
			return false
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return false // it never began, or the record says otherwise
		}
		defer response.Body.Close()
		var decision v1.Decision
		if !assert.Equal(t, http.StatusOK, response.StatusCode) || !assert.NoError(t, json.NewDecoder(response.Body).Decode(&decision)) {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		received[decision.ID] = decision.Effect
		return true
	}
	var all sync.WaitGroup
	const waiting = 5
	for i := range waiting {
		all.Go(func() {
			assert.True(t, send(&http.Client{Transport: &http.Transport{}}, "/v1/decide?wait=5m", body("held", "git push origin b"+strconv.Itoa(i))), "a held call is answered")
		})
	}
	eventually(t, "all are held", func() bool {
		_, list := ask(t, http.DefaultClient, http.MethodGet, s.url+"/v1/prompts?state=pending", s.token(t, "operator"), "")
		return strings.Count(list, `"state":"pending"`) == waiting
	})
	for i := range 6 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: i%2 == 0}}
			for send(client, "/v1/decide", body("busy", "git status")) {
			}
		})
	}
	eventually(t, "there is load", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(received) > 200
	})
	s.stop(t)
	all.Wait()
	file, err := os.Open(filepath.Join(s.stateDir, "decisions.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	recorded := 0
	for lines.Scan() {
		var record v1.Record
		require.NoError(t, json.Unmarshal(lines.Bytes(), &record))
		recorded++
		effect, there := received[record.DecisionID]
		assert.True(t, there, "%s was decided and never answered", record.DecisionID)
		assert.Equal(t, record.Result.Decision, effect)
	}
	assert.Len(t, received, recorded)
}

// TestSettingsOfOperationsThatCannotBeKeptStopTheStart checks that each error states what to do, in the
// program's form.
func TestSettingsOfOperationsThatCannotBeKeptStopTheStart(t *testing.T) {
	dir := t.TempDir()
	ca := authority.New(t, "authority")
	ca.Issue(t, "x").Write(t, dir)
	authority.Put(t, filepath.Join(dir, "short.token"), []byte("abc"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "open.token"), []byte(newToken("a")), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "open.key"), ca.Issue(t, "x").Key, 0o644))
	for settings, want := range map[string][]string{
		"tls: {cert: " + dir + "/none.crt, key: " + dir + "/tls.key}":     {"policyd: error: read certificate", "none.crt", "policyd: hint: tls in the settings"},
		"tls: {cert: " + dir + "/tls.crt, key: " + dir + "/open.key}":     {"open.key has mode 0644", "make a new secret"},
		"tls: {cert: " + dir + "/tls.crt}":                                {"policyd.yaml:1: tls.cert: a certificate needs its key; set tls.key"},
		"tokens: [{name: a, role: agent, file: " + dir + "/none.token}]":  {"policyd: error: token of a:", "none.token", "policyd: hint: tokens in the settings"},
		"tokens: [{name: a, role: agent, file: " + dir + "/short.token}]": {"doesn't hold 32 bytes"},
		"tokens: [{name: a, role: agent, file: " + dir + "/open.token}]":  {"open.token has mode 0644"},
		"socket: {group: no-such-group}":                                  {`there is no group "no-such-group"`, "policyd: hint:"},
		"socket: {mode: \"0666\"}":                                        {"policyd.yaml:1: socket.mode", "may ask as an agent"},
		"log: {level: shout}":                                             {"log.level", "debug, info, warn, error"},
	} {
		put(t, dir, "policyd.yaml", settings+"\n")
		command := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0", "--config", "policyd.yaml",
			"--state-dir", filepath.Join(t.TempDir(), "state"), "--run-dir", shortDir(t))
		command.Dir, command.Env = dir, environment(t.TempDir())
		out, err := command.CombinedOutput()
		require.Error(t, err, settings)
		for _, text := range want {
			assert.Contains(t, string(out), text, settings)
		}
	}
}

// TestAnAddressForOthersIsWarnedOf checks the warning without TLS, and none with it.
func TestAnAddressForOthersIsWarnedOf(t *testing.T) {
	dir := t.TempDir()
	authority.New(t, "authority").Issue(t, "x").Write(t, dir)
	for settings, warned := range map[string]bool{
		"addr: 0.0.0.0:0\n": true, "addr: 0.0.0.0:0\ntls: {cert: " + dir + "/tls.crt, key: " + dir + "/tls.key}\n": false,
	} {
		put(t, dir, "policyd.yaml", settings)
		command := exec.CommandContext(t.Context(), program, "doctor", "--config", "policyd.yaml")
		command.Dir, command.Env = dir, environment(t.TempDir())
		out, err := command.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
		assert.Equal(t, warned, strings.Contains(string(out), "not a loopback address"), "%s%s", settings, out)
	}
}

// TestTheSocketIsForTheConfiguredUsers checks its mode over the real program.
func TestTheSocketIsForTheConfiguredUsers(t *testing.T) {
	s := startSet(t, "socket: {mode: \"0600\"}\n")
	info, err := os.Stat(filepath.Join(s.runDir, "policyd.sock"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = net.Dial("unix", filepath.Join(s.runDir, "policyd.sock"))
	require.NoError(t, err)
}
