package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/quota"
	"policyd/internal/server"
)

// callOf is a call of an agent.
func callOf(agent string) string {
	return strings.Replace(good, `{"id":"s"}`, `{"id":"s-`+agent+`","agent":"`+agent+`"}`, 1)
}

// TestOneGreedyAgentStarvesNobody checks that an agent that has taken all it may is refused, with a deny that
// a careless client reads, while another is served.
func TestOneGreedyAgentStarvesNobody(t *testing.T) {
	for _, path := range []string{"/v1/decide", "/v1/decide?wait=1m"} {
		t.Run(path, func(t *testing.T) {
			r := start(t, func(o *server.Options) { o.Quota = quota.New(quota.Limits{Concurrent: 3, Held: 3}, nil) })
			entered, release := make(chan struct{}, 8), make(chan struct{})
			r.gate.before = func(_ context.Context, call *v1.Call) {
				if call.Session.Agent == "greedy" {
					entered <- struct{}{}
					<-release
				}
			}
			var all sync.WaitGroup
			for range 3 {
				request := r.request(t, "POST", path, callOf("greedy"))
				all.Go(func() {
					response, err := r.client.Do(request)
					if assert.NoError(t, err) {
						assert.NoError(t, response.Body.Close())
						assert.Equal(t, 200, response.StatusCode)
					}
				})
				<-entered
			}
			refused := do(t, r.client, r.request(t, "POST", path, callOf("greedy")))
			assertProblem(t, refused, 429, map[bool]string{false: "too_many_requests", true: "too_many_held"}[strings.Contains(path, "wait")])
			assert.Equal(t, "1", refused.Header.Get("Retry-After"))
			assert.Equal(t, 200, do(t, r.client, r.request(t, "POST", path, callOf("modest"))).StatusCode)
			close(release)
			all.Wait()
			assert.Equal(t, 200, do(t, r.client, r.request(t, "POST", path, callOf("greedy"))).StatusCode)
		})
	}
}

// TestSessionsThatNameNoAgentAreApart checks that agents which leave out what is known of them don't pay for
// one another.
func TestSessionsThatNameNoAgentAreApart(t *testing.T) {
	now := time.Now()
	r := start(t, func(o *server.Options) {
		o.Quota = quota.New(quota.Limits{PerSecond: 10}, func() time.Time { return now })
	})
	statusOf := func(session string) int {
		return do(t, r.client, r.request(t, "POST", "/v1/decide", strings.Replace(good, `"id":"s"`, `"id":"`+session+`"`, 1))).StatusCode
	}
	for range 100 {
		require.Equal(t, 200, statusOf("greedy"))
	}
	assert.Equal(t, 429, statusOf("greedy"))
	assert.Equal(t, 200, statusOf("modest"))
}

func TestABatchCountsItsCalls(t *testing.T) {
	now := time.Now()
	r := start(t, func(o *server.Options) {
		o.Quota = quota.New(quota.Limits{PerSecond: 10}, func() time.Time { return now })
	})
	batch := func(agents ...string) string {
		calls := make([]string, len(agents))
		for i, agent := range agents {
			calls[i] = callOf(agent)
		}
		return `{"calls":[` + strings.Join(calls, ",") + `]}`
	}
	sixty := make([]string, 60)
	for i := range sixty {
		sixty[i] = "greedy"
	}
	assert.Equal(t, 200, do(t, r.client, r.request(t, "POST", "/v1/decide/batch", batch(sixty...))).StatusCode)
	refused := do(t, r.client, r.request(t, "POST", "/v1/decide/batch", batch(sixty...)))
	assertProblem(t, refused, 429, "rate_limited")
	assert.Equal(t, int64(60), r.gate.calls.Load(), "a batch is decided whole or not at all")
	assert.Equal(t, 200, do(t, r.client, r.request(t, "POST", "/v1/decide", callOf("greedy"))).StatusCode, "what is left is left")
	sixty[0] = "modest"
	assert.Equal(t, 200, do(t, r.client, r.request(t, "POST", "/v1/decide/batch", batch(sixty...))).StatusCode, "a host that asks for several")
	assert.Equal(t, 429, do(t, r.client, r.request(t, "POST", "/v1/decide/batch", batch(sixty...))).StatusCode)
}

// TestAnOperatorIsNotKeptWaitingByAgents checks that who asks and who answers are counted apart, though
// neither has a name.
func TestAnOperatorIsNotKeptWaitingByAgents(t *testing.T) {
	now := time.Now()
	book := answering{by: make(chan string, 200)}
	r := start(t, func(o *server.Options) {
		o.Quota, o.Prompts = quota.New(quota.Limits{PerSecond: 10}, func() time.Time { return now }), book
	})
	for range 100 {
		require.Equal(t, 403, r.as(t, tokens().Agent, "GET", "/v1/approvals", ""))
	}
	assert.Equal(t, 429, r.as(t, tokens().Agent, "GET", "/v1/approvals", ""))
	assert.Equal(t, 200, r.as(t, tokens().Operator, "POST", "/v1/prompts/p/answer", `{"choice":"once"}`))
}

func TestHeldRequestsDoNotCountAmongTheOthers(t *testing.T) {
	r := start(t, func(o *server.Options) { o.Quota = quota.New(quota.Limits{Concurrent: 1, Held: 2}, nil) })
	for range 2 {
		request := r.request(t, "GET", "/v1/events", "")
		request.Header.Set("Authorization", "Bearer "+tokens().Operator)
		response, err := r.client.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, 200, response.StatusCode)
	}
	request := r.request(t, "GET", "/v1/events", "")
	request.Header.Set("Authorization", "Bearer "+tokens().Operator)
	assertProblem(t, do(t, r.client, request), 429, "too_many_held")
	r.stop()
}

// seen keeps what an observer hears.
type seen struct {
	mu    sync.Mutex
	began int
	list  []server.Observation
}

func (s *seen) Began() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began++
}

func (s *seen) Ended(_ context.Context, observation server.Observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	observation.Duration = 0
	s.list = append(s.list, observation)
}

// last waits for the next observation: it comes behind the answer.
func (s *seen) last(t *testing.T, count int) server.Observation {
	t.Helper()
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.list) == count
	}, time.Minute, time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.Equal(t, count, s.began)
	return s.list[count-1]
}

// TestObservationsHoldNothingOfAClients checks the routes, methods and statuses that become labels.
func TestObservationsHoldNothingOfAClients(t *testing.T) {
	heard := &seen{}
	r := start(t, func(o *server.Options) { o.Observer = heard })
	r.gate.before = func(_ context.Context, call *v1.Call) {
		if call.Session.Agent == "panic" {
			panic("boom")
		}
	}
	for i, test := range []struct {
		method, path, body string
		want               server.Observation
	}{
		{"POST", "/v1/decide", good, server.Observation{Method: "POST", Route: "/v1/decide", Status: 200}},
		{"POST", "/v1/decide?wait=5s", good, server.Observation{Method: "POST", Route: "/v1/decide", Status: 200, Held: true}},
		{"POST", "/v1/decide", "{", server.Observation{Method: "POST", Route: "/v1/decide", Status: 400}},
		{"POST", "/v1/decide", callOf("panic"), server.Observation{Method: "POST", Route: "/v1/decide", Status: 500}},
		{"GET", "/planted/path", "", server.Observation{Method: "GET", Route: "other", Status: 404}},
		{"PLANT", "/v1/decide", "", server.Observation{Method: "other", Route: "/v1/decide", Status: 405}},
		{"GET", "/v1/sessions/planted", "", server.Observation{Method: "GET", Route: "/v1/sessions/:id", Status: 500}},
		{"GET", "/v1/sessions/planted/deeper/still", "", server.Observation{Method: "GET", Route: "other", Status: 404}},
		{"HEAD", "/livez", "", server.Observation{Method: "HEAD", Route: "/livez", Status: 200}},
	} {
		do(t, r.client, r.request(t, test.method, test.path, test.body))
		got := heard.last(t, i+1)
		if strings.HasSuffix(got.Route, "/*") { // what a group takes and knows nothing of
			got.Route = "other"
		}
		assert.Equal(t, test.want, got, "%s %s", test.method, test.path)
	}
}

// TestTheAccessLogNamesDecisionsAndNoContent checks what is in a line.
func TestTheAccessLogNamesDecisionsAndNoContent(t *testing.T) {
	var mu sync.Mutex
	var text bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(writerFunc(func(line []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return text.Write(line)
	}), &slog.HandlerOptions{Level: slog.LevelDebug}))
	r := start(t, func(o *server.Options) { o.Logger = logger })
	do(t, r.client, r.request(t, "POST", "/v1/decide?include=facts", strings.Replace(good, `"ls"`, `"planted command"`, 1)))
	r.stop()
	require.NoError(t, <-r.stopped)
	mu.Lock()
	defer mu.Unlock()
	assert.NotContains(t, text.String(), "planted")
	assert.NotContains(t, text.String(), tokens().Agent)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(text.String(), "\n", 2)[0]), &line))
	delete(line, "time")
	delete(line, "duration")
	assert.Equal(t, map[string]any{
		"level": "DEBUG", "msg": "request answered", "method": http.MethodPost, "route": "/v1/decide", "status": 200.0,
		"role": "agent", "name": "", "decision_id": []any{"Bash"},
	}, line)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(text []byte) (int, error) { return f(text) }

// TestAHookOverItsLimitIsTheClientsDeny checks that a client, which runs the tool on an error, gets its own
// deny with 200.
func TestAHookOverItsLimitIsTheClientsDeny(t *testing.T) {
	now := time.Now()
	r := start(t, hooked(&keptSessions{kept: map[string]v1.Session{}}), func(o *server.Options) {
		o.Quota = quota.New(quota.Limits{PerSecond: 10}, func() time.Time { return now })
	})
	ask := func(client string) reply {
		return do(t, r.client, r.request(t, "POST", "/v1/hooks/"+client, claudeCall))
	}
	for range 100 {
		require.Equal(t, "allow", ask("claude").Header.Get("Policyd-Decision"))
	}
	refused := ask("claude")
	assert.Equal(t, http.StatusOK, refused.StatusCode)
	assert.Equal(t, "deny", refused.Header.Get("Policyd-Decision"))
	assert.NotEmpty(t, refused.Header.Get("Retry-After"))
	assert.Contains(t, string(refused.body), `"permissionDecision":"deny"`)
	assert.Contains(t, string(refused.body), "rate_limited")
	assert.Equal(t, int64(100), r.gate.calls.Load())
	assert.Equal(t, http.StatusOK, do(t, r.client, r.request(t, "POST", "/v1/decide", callOf("codex"))).StatusCode)
}
