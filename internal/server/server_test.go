package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/api"
	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/server"
)

// decider answers allow, so that every deny in these tests is the server's.
type decider struct {
	before func(ctx context.Context, call *v1.Call)
	calls  atomic.Int64
}

func (d *decider) Decide(ctx context.Context, call *v1.Call, options gate.DecideOptions) v1.Decision {
	d.calls.Add(1)
	if d.before != nil {
		d.before(ctx, call)
	}
	decision := v1.Decision{ID: call.Tool, Effect: v1.EffectAllow, Reasons: []v1.Reason{}, Items: []v1.DecisionItem{}}
	if options.IncludeFacts {
		decision.Facts = &v1.Facts{Cwd: "/facts"}
	}
	return decision
}

// tokens are made up for these tests.
func tokens() server.Tokens {
	return server.Tokens{Agent: strings.Repeat("a", 43), Operator: strings.Repeat("o", 43)}
}

// Services that no test here asks anything.
type (
	noSessions  struct{ server.Sessions }
	noPrompts   struct{ server.Prompts }
	noApprovals struct{ server.Approvals }
)

// running is a server on a loopback port and a socket.
type running struct {
	base    string
	socket  string
	gate    *decider
	client  *http.Client
	onUnix  *http.Client
	stop    context.CancelFunc
	stopped chan error
}

func start(t *testing.T, change ...func(*server.Options)) *running {
	t.Helper()
	return startOn(t, func(inner net.Listener) net.Listener { return inner }, change...)
}

// startOn is start with something around the TCP listener.
func startOn(t *testing.T, around func(net.Listener) net.Listener, change ...func(*server.Options)) *running {
	t.Helper()
	r := &running{gate: &decider{}, stopped: make(chan error, 1)}
	options := server.Options{
		Gate: r.gate, Sessions: noSessions{}, Prompts: noPrompts{}, Approvals: noApprovals{}, Tokens: tokens(), Version: "1.2.3", AllowedHosts: []string{"sidecar.test"},
		Logger: slog.New(slog.DiscardHandler),
	}
	for _, apply := range change {
		apply(&options)
	}
	made, err := server.New(options)
	require.NoError(t, err)
	var config net.ListenConfig
	tcp, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	runDir := filepath.Join(t.TempDir(), "run")
	unix, err := server.ListenUnix(runDir, server.SocketAccess{})
	require.NoError(t, err)
	r.base, r.socket = "http://"+tcp.Addr().String(), filepath.Join(runDir, server.SocketName)
	if options.Connections != nil {
		tcp, unix = options.Connections.Listener(tcp), options.Connections.Listener(unix)
	}
	tcp = around(tcp)
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	go func() { r.stopped <- made.Serve(ctx, tcp, unix) }()
	r.client = &http.Client{Transport: &http.Transport{}}
	r.onUnix = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", r.socket)
		},
	}}
	t.Cleanup(func() {
		r.client.CloseIdleConnections()
		r.onUnix.CloseIdleConnections()
		cancel()
	})
	return r
}

const good = `{"tool":"Bash","args":{"command":"ls"},"session":{"id":"s"}}`

// request is a request that would be allowed unless a test spoils it.
func (r *running) request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.base+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+tokens().Agent)
	request.Header.Set("Content-Type", "application/json")
	return request
}

type reply struct {
	*http.Response
	body []byte
}

func do(t *testing.T, client *http.Client, request *http.Request) reply {
	t.Helper()
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return reply{response, body}
}

// assertProblem holds what every error answer owes a careless client.
func assertProblem(t *testing.T, got reply, status int, code string) {
	t.Helper()
	require.Equal(t, status, got.StatusCode, string(got.body))
	assert.Equal(t, "application/problem+json", got.Header.Get("Content-Type"))
	var careless struct {
		Decision string `json:"decision"`
	}
	require.NoError(t, json.Unmarshal(got.body, &careless))
	assert.Equal(t, "deny", careless.Decision)
	var problem v1.Problem
	require.NoError(t, json.Unmarshal(got.body, &problem))
	assert.Equal(t, status, problem.Status)
	assert.Equal(t, code, problem.Code)
	assert.Equal(t, http.StatusText(status), problem.Title)
	assert.NotEmpty(t, problem.Detail)
}

func TestDecide(t *testing.T) {
	r := start(t)
	got := do(t, r.client, r.request(t, "POST", "/v1/decide", good))
	require.Equal(t, 200, got.StatusCode, string(got.body))
	assert.Equal(t, "application/json", got.Header.Get("Content-Type"))
	assert.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	var decision v1.Decision
	require.NoError(t, json.Unmarshal(got.body, &decision))
	assert.Equal(t, v1.EffectAllow, decision.Effect)
	assert.Nil(t, decision.Facts)

	got = do(t, r.client, r.request(t, "POST", "/v1/decide?include=facts", good))
	require.NoError(t, json.Unmarshal(got.body, &decision))
	require.NotNil(t, decision.Facts)

	operator := r.request(t, "POST", "/v1/decide", good)
	operator.Header.Set("Authorization", "bearer "+tokens().Operator)
	operator.Header.Set("Content-Type", `application/json; charset="UTF-8"`)
	operator.Header.Set("Origin", "http://localhost:1234")
	operator.Host = "Sidecar.test:80"
	assert.Equal(t, 200, do(t, r.client, operator).StatusCode)
}

func TestDecideBatchAnswersInOrder(t *testing.T) {
	r := start(t)
	other := strings.Replace(good, "Bash", "Read", 1)
	got := do(t, r.client, r.request(t, "POST", "/v1/decide/batch?include=facts", `{"calls":[`+good+`,`+other+`]}`))
	require.Equal(t, 200, got.StatusCode, string(got.body))
	var batch v1.BatchResponse
	require.NoError(t, json.Unmarshal(got.body, &batch))
	require.Len(t, batch.Decisions, 2)
	assert.Equal(t, "Bash", batch.Decisions[0].ID)
	assert.Equal(t, "Read", batch.Decisions[1].ID)
	assert.NotNil(t, batch.Decisions[1].Facts)
}

// header, host and without spoil a request.
func header(name, value string) func(*http.Request) {
	return func(request *http.Request) { request.Header.Set(name, value) }
}

func host(name string) func(*http.Request) {
	return func(request *http.Request) { request.Host = name }
}

func without(name string) func(*http.Request) {
	return func(request *http.Request) { request.Header.Del(name) }
}

// long is more than the limit in TestRefusals.
var long = strings.Replace(good, "ls", strings.Repeat("a", 2000), 1)

var refusals = []struct {
	name, method, path, body string
	change                   func(*http.Request)
	status                   int
	code                     string
}{
	{"empty body", "POST", "/v1/decide", "", nil, 400, "malformed_json"},
	{"duplicate key", "POST", "/v1/decide", strings.Replace(good, `"tool"`, `"tool":"x","t\u006fol"`, 1), nil, 400, "duplicate_key"},
	{"unknown key", "POST", "/v1/decide", strings.Replace(good, `"tool"`, `"x":1,"tool"`, 1), nil, 400, "unknown_key"},
	{"trailing text", "POST", "/v1/decide", good + "x", nil, 400, "trailing_text"},
	{"wrong type", "POST", "/v1/decide", strings.Replace(good, `"Bash"`, `7`, 1), nil, 400, "wrong_type"},
	{"empty batch", "POST", "/v1/decide/batch", `{"calls":[]}`, nil, 400, "missing_key"},
	{"call as a batch", "POST", "/v1/decide/batch", good, nil, 400, "unknown_key"},
	{"unknown include", "POST", "/v1/decide?include=all", good, nil, 400, "invalid_parameter"},
	{"include twice", "POST", "/v1/decide?include=facts&include=all", good, nil, 400, "invalid_parameter"},
	{"unknown parameter", "POST", "/v1/decide/batch?facts=1", good, nil, 400, "unknown_parameter"},
	{"broken query", "POST", "/v1/decide?a=%zz", good, nil, 400, "malformed_query"},
	{"no token", "POST", "/v1/decide", good, without("Authorization"), 401, "unauthenticated"},
	{"empty token", "POST", "/v1/decide", good, header("Authorization", "Bearer "), 401, "unauthenticated"},
	{"wrong token", "POST", "/v1/decide", good, header("Authorization", "Bearer "+strings.Repeat("b", 43)), 401, "unauthenticated"},
	{"longer token", "POST", "/v1/decide", good, header("Authorization", "Bearer "+tokens().Agent+"a"), 401, "unauthenticated"},
	{"wrong scheme", "POST", "/v1/decide", good, header("Authorization", "Basic "+tokens().Agent), 401, "unauthenticated"},
	{"two tokens", "POST", "/v1/decide", good, func(r *http.Request) { r.Header.Add("Authorization", "Bearer x") }, 401, "unauthenticated"},
	{"batch without token", "POST", "/v1/decide/batch", good, without("Authorization"), 401, "unauthenticated"},
	{"foreign host", "POST", "/v1/decide", good, host("evil.test"), 403, "foreign_host"},
	{"host with a familiar start", "POST", "/v1/decide", good, host("localhost.evil.test"), 403, "foreign_host"},
	{"foreign host on a probe", "GET", "/healthz", "", host("evil.test:80"), 403, "foreign_host"},
	{"foreign origin", "POST", "/v1/decide", good, header("Origin", "https://evil.test"), 403, "foreign_origin"},
	{"null origin", "POST", "/v1/decide", good, header("Origin", "null"), 403, "foreign_origin"},
	{"extension origin", "POST", "/v1/decide", good, header("Origin", "chrome-extension://localhost"), 403, "foreign_origin"},
	{"nothing there", "GET", "/v1/decided/../secret", "", nil, 404, "not_found"},
	{"trailing slash", "POST", "/v1/decide/", good, nil, 404, "not_found"},
	{"wrong method", "GET", "/v1/decide", "", nil, 405, "method_not_allowed"},
	{"wrong method on a probe", "POST", "/healthz", "", nil, 405, "method_not_allowed"},
	{"preflight", "OPTIONS", "/v1/decide", "", nil, 405, "method_not_allowed"},
	{"large body", "POST", "/v1/decide", long, nil, 413, "body_too_large"},
	{"large body of unknown length", "POST", "/v1/decide", long, func(r *http.Request) { r.ContentLength = -1 }, 413, "body_too_large"},
	{"no type", "POST", "/v1/decide", good, without("Content-Type"), 415, "unsupported_media_type"},
	{"form", "POST", "/v1/decide", good, header("Content-Type", "text/plain"), 415, "unsupported_media_type"},
	{"other charset", "POST", "/v1/decide", good, header("Content-Type", "application/json; charset=latin1"), 415, "unsupported_media_type"},
	{"compressed", "POST", "/v1/decide", good, header("Content-Encoding", "gzip"), 415, "unsupported_encoding"},
}

func TestRefusals(t *testing.T) {
	require.NotEmpty(t, refusals)
	r := start(t, func(o *server.Options) { o.Limits.BodyBytes = 2000 })
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			request := r.request(t, test.method, test.path, test.body)
			if test.change != nil {
				test.change(request)
			}
			got := do(t, r.client, request)
			assertProblem(t, got, test.status, test.code)
			if test.status == 401 {
				assert.Equal(t, `Bearer realm="policyd"`, got.Header.Get("WWW-Authenticate"))
			}
			if test.status == 405 {
				assert.NotEmpty(t, got.Header.Get("Allow"))
			}
		})
	}
	assert.Zero(t, r.gate.calls.Load(), "nothing reached the gate")
}

func TestRefusalNamesKeyAndByte(t *testing.T) {
	r := start(t)
	got := do(t, r.client, r.request(t, "POST", "/v1/decide", `{"tool":"t","args":{"a":1,"a":2},"session":{"id":"s"}}`))
	assert.Contains(t, string(got.body), "key /args/a (byte 26)")
}

func TestSlowBodyTimesOut(t *testing.T) {
	r := start(t, func(o *server.Options) { o.Limits.Read = 50 * time.Millisecond })
	reader, writer := io.Pipe()
	defer writer.Close()
	request := r.request(t, "POST", "/v1/decide", "")
	request.Body, request.ContentLength = reader, -1
	go func() { _, _ = writer.Write([]byte(`{"tool":`)) }()
	assertProblem(t, do(t, r.client, request), 408, "request_timeout")
}

func TestPanicIsADeny(t *testing.T) {
	r := start(t)
	r.gate.before = func(context.Context, *v1.Call) { panic("boom") }
	got := do(t, r.client, r.request(t, "POST", "/v1/decide", good))
	assertProblem(t, got, 500, "internal_error")
	assert.NotContains(t, string(got.body), "boom")
}

func TestSocketNeedsNoToken(t *testing.T) {
	r := start(t)
	request := r.request(t, "POST", "/v1/decide", good)
	request.Header.Del("Authorization")
	request.Host = "any.name"
	assert.Equal(t, 200, do(t, r.onUnix, request).StatusCode)

	request = r.request(t, "POST", "/v1/decide", good)
	request.Header.Set("Authorization", "Bearer wrong")
	assertProblem(t, do(t, r.onUnix, request), 401, "unauthenticated")

	request = r.request(t, "POST", "/v1/decide", good)
	request.Header.Set("Origin", "https://evil.test")
	assertProblem(t, do(t, r.onUnix, request), 403, "foreign_origin")
}

func TestProbes(t *testing.T) {
	var readiness atomic.Pointer[server.Readiness]
	readiness.Store(&server.Readiness{Ready: true, Checks: []server.Check{{Name: "policy", OK: true, Detail: "r1"}}})
	r := start(t, func(o *server.Options) { o.Ready = func() server.Readiness { return *readiness.Load() } })
	for _, path := range []string{"/livez", "/healthz", "/readyz", "/readyz?verbose"} {
		request := r.request(t, "GET", path, "")
		request.Header.Del("Authorization")
		got := do(t, r.client, request)
		assert.Equal(t, 200, got.StatusCode, path)
		assert.Contains(t, string(got.body), `"version":"1.2.3"`)
		assert.Equal(t, strings.Contains(path, "verbose"), bytes.Contains(got.body, []byte("r1")), path)
		assert.Equal(t, 200, do(t, r.client, r.request(t, "HEAD", path, "")).StatusCode)
	}
	readiness.Store(&server.Readiness{Ready: true, Checks: []server.Check{
		{Name: "policy", Detail: "r2 was refused"}, {Name: "record", OK: true, Detail: "fine"},
	}})
	warned := do(t, r.client, r.request(t, "GET", "/readyz", ""))
	assert.Equal(t, 200, warned.StatusCode)
	assert.Contains(t, string(warned.body), "r2 was refused", "a warning is said without being asked for")
	assert.NotContains(t, string(warned.body), "fine")
	readiness.Store(&server.Readiness{Checks: []server.Check{{Name: "policy", Detail: "did not compile"}, {Name: "store", OK: true, Detail: "fine"}}})
	got := do(t, r.client, r.request(t, "GET", "/readyz", ""))
	assertProblem(t, got, 503, "not_ready")
	assert.Contains(t, string(got.body), "policy (did not compile)")
	assert.NotContains(t, string(got.body), "fine")
	got = do(t, r.client, r.request(t, "GET", "/readyz?verbose", ""))
	assertProblem(t, got, 503, "not_ready")
	assert.Contains(t, string(got.body), "fine")
	assert.Equal(t, 503, do(t, r.client, r.request(t, "HEAD", "/readyz", "")).StatusCode)
	assert.Equal(t, 200, do(t, r.client, r.request(t, "GET", "/livez", "")).StatusCode)
}

func TestOpenAPIIsServed(t *testing.T) {
	r := start(t)
	got := do(t, r.client, r.request(t, "GET", "/openapi.json", ""))
	assert.Equal(t, 200, got.StatusCode)
	assert.Equal(t, api.OpenAPI(), got.body)
	assert.True(t, json.Valid(got.body))
}

// TestTheRootDescribesTheServer checks that a person who opens the address finds the way.
func TestTheRootDescribesTheServer(t *testing.T) {
	r := start(t)
	got := do(t, r.client, r.request(t, "GET", "/", ""))
	assert.Equal(t, 200, got.StatusCode)
	var said map[string]string
	require.NoError(t, json.Unmarshal(got.body, &said))
	assert.Equal(t, "policyd", said["name"])
	assert.Equal(t, 200, do(t, r.client, r.request(t, "GET", said["openapi"], "")).StatusCode)
	assert.Equal(t, 404, do(t, r.client, r.request(t, "GET", "/nowhere", "")).StatusCode)
}

func TestDrainFinishesWhatIsInFlight(t *testing.T) {
	r := start(t, func(o *server.Options) { o.Limits.DrainDelay = 300 * time.Millisecond })
	entered, release := make(chan struct{}), make(chan struct{})
	r.gate.before = func(context.Context, *v1.Call) {
		close(entered)
		<-release
	}
	answered := make(chan reply, 1)
	request := r.request(t, "POST", "/v1/decide", good)
	go func() {
		response, err := r.client.Do(request)
		if !assert.NoError(t, err) {
			close(answered)
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		assert.NoError(t, err)
		answered <- reply{response, body}
	}()
	<-entered
	r.stop()
	require.Eventually(t, func() bool {
		got := do(t, r.onUnix, r.request(t, "GET", "/readyz", ""))
		return got.StatusCode == 503 && bytes.Contains(got.body, []byte("draining"))
	}, time.Minute, time.Millisecond)
	select {
	case err := <-r.stopped:
		t.Fatalf("stopped with a request in flight: %v", err)
	default:
	}
	close(release)
	assert.Equal(t, 200, (<-answered).StatusCode)
	require.NoError(t, <-r.stopped)
	_, err := r.client.Do(r.request(t, "GET", "/livez", "")) //nolint:bodyclose // there is none
	require.Error(t, err, "nobody listens any more")
}

func TestDrainEndsAtItsDeadline(t *testing.T) {
	r := start(t, func(o *server.Options) { o.Limits.DrainTimeout = 20 * time.Millisecond })
	entered := make(chan struct{})
	r.gate.before = func(ctx context.Context, _ *v1.Call) {
		close(entered)
		<-ctx.Done()
	}
	request := r.request(t, "POST", "/v1/decide", good)
	go func() {
		if response, err := r.client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	<-entered
	r.stop()
	require.ErrorContains(t, <-r.stopped, "drain")
}

func TestNewRefusesWhatIsMissing(t *testing.T) {
	_, err := server.New(server.Options{Tokens: tokens()})
	require.ErrorContains(t, err, "no gate")
	_, err = server.New(server.Options{Gate: &decider{}, Tokens: tokens()})
	require.ErrorContains(t, err, "no sessions")
	whole := server.Options{Gate: &decider{}, Sessions: noSessions{}, Prompts: noPrompts{}, Approvals: noApprovals{}}
	_, err = server.New(whole)
	require.ErrorContains(t, err, "token")
	whole.Tokens = server.Tokens{Agent: tokens().Agent, Operator: tokens().Agent}
	_, err = server.New(whole)
	require.ErrorContains(t, err, "the same")
	whole.Tokens = tokens()
	server, err := server.New(whole)
	require.NoError(t, err)
	require.ErrorContains(t, server.Serve(t.Context(), nil, nil), "no listener")
}
