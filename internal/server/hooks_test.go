package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/clients"
	clientreply "policyd/internal/clients/reply"
	"policyd/internal/server"
)

// keptSessions keeps what is registered, or fails.
type keptSessions struct {
	server.Sessions
	mu   sync.Mutex
	kept map[string]v1.Session
	err  error
}

func (k *keptSessions) Session(_ context.Context, id string, _ v1.Caller) (v1.SessionInfo, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	session, known := k.kept[id]
	switch {
	case k.err != nil:
		return v1.SessionInfo{}, k.err
	case !known:
		return v1.SessionInfo{}, &v1.CodedError{Code: "not_found", Err: errors.New("no such session")}
	}
	return v1.SessionInfo{Session: session, State: v1.SessionActive}, nil
}

func (k *keptSessions) Register(_ context.Context, session *v1.Session, _ v1.Caller) (v1.SessionInfo, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return v1.SessionInfo{}, false, k.err
	}
	k.kept[session.ID] = *session
	return v1.SessionInfo{Session: *session, State: v1.SessionActive}, true, nil
}

func (k *keptSessions) Archive(context.Context, string, v1.Caller) error { return k.err }

func hooked(sessions *keptSessions) func(*server.Options) {
	return func(o *server.Options) { o.Sessions = sessions }
}

const claudeCall = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"}}`

// TestInnerFaultsOfHooksAreTheClientsDeny checks that an internal error gets the client's form, with 200, and
// without details that belong in the log.
func TestInnerFaultsOfHooksAreTheClientsDeny(t *testing.T) {
	r := start(t, hooked(&keptSessions{kept: map[string]v1.Session{}}))
	r.gate.before = func(context.Context, *v1.Call) { panic("boom") }
	got := do(t, r.client, r.request(t, http.MethodPost, "/v1/hooks/claude", claudeCall))
	assert.Equal(t, http.StatusOK, got.StatusCode)
	assert.Equal(t, "deny", got.Header.Get("Policyd-Decision"))
	assert.Equal(t, "0", got.Header.Get("Policyd-Exit"))
	assert.JSONEq(t, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",
		"permissionDecisionReason":"policyd refuses this call (internal_error): policyd failed; see its log"}}`, string(got.body))
}

// A payload that never ends is refused in the shape of the event that it named.
func TestSlowPayloadsAreTheClientsDeny(t *testing.T) {
	r := start(t, hooked(&keptSessions{kept: map[string]v1.Session{}}), func(o *server.Options) { o.Limits.Read = 50 * time.Millisecond })
	reader, writer := io.Pipe()
	defer writer.Close()
	request := r.request(t, http.MethodPost, "/v1/hooks/claude", "")
	request.Body, request.ContentLength = reader, -1
	go func() { _, _ = writer.Write([]byte(`{"hook_event_name":"PermissionRequest","x":`)) }()
	got := do(t, r.client, request)
	assert.Equal(t, http.StatusOK, got.StatusCode)
	assert.Equal(t, "deny", got.Header.Get("Policyd-Decision"))
	assert.Contains(t, string(got.body), `"hookEventName":"PermissionRequest"`)
	assert.Contains(t, string(got.body), "request_timeout")
}

// A session that can't be kept is left to the gate, which records what it decides;
// the directories that could not be checked go.
func TestSessionsThatCannotBeKeptHaveNoDirectories(t *testing.T) {
	sessions := &keptSessions{kept: map[string]v1.Session{}, err: &v1.CodedError{Code: "store_unavailable", Err: errors.New("away")}}
	r := start(t, hooked(sessions))
	var asked v1.Session
	r.gate.before = func(_ context.Context, call *v1.Call) { asked = call.Session }
	got := do(t, r.client, r.request(t, http.MethodPost, "/v1/hooks/claude?project=/p", claudeCall))
	assert.Equal(t, "allow", got.Header.Get("Policyd-Decision"))
	assert.Equal(t, "claude-code:s", asked.ID)
	assert.Empty(t, asked.ProjectDir)
	for _, event := range []string{"SessionStart", "SessionEnd"} {
		got = do(t, r.client, r.request(t, http.MethodPost, "/v1/hooks/claude", `{"hook_event_name":"`+event+`","session_id":"s","cwd":"/p","source":"startup"}`))
		assert.Equal(t, "deny", got.Header.Get("Policyd-Decision"), event)
		assert.JSONEq(t, `{}`, string(got.body), event)
	}
}

// TestStrangersHooksReachNoGate checks that nothing is decided for who may not ask.
func TestStrangersHooksReachNoGate(t *testing.T) {
	r := start(t, hooked(&keptSessions{kept: map[string]v1.Session{}}))
	request := r.request(t, http.MethodPost, "/v1/hooks/claude", claudeCall)
	request.Header.Del("Authorization")
	got := do(t, r.client, request)
	assert.Equal(t, "deny", got.Header.Get("Policyd-Decision"))
	assert.Contains(t, string(got.body), "agent.token")
	assert.Zero(t, r.gate.calls.Load())
}

// FuzzHook checks any client and payload: the answer is 200 and one JSON object, and says allow, or nothing,
// only where a call was decided or the event waits for no decision.
func FuzzHook(f *testing.F) {
	for _, client := range clientreply.Clients() {
		for _, body := range []string{
			claudeCall, strings.Replace(claudeCall, "PreToolUse", "PermissionRequest", 1), strings.Replace(claudeCall, "PreToolUse", "BeforeTool", 1),
			`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"ls"}}`,
			`{"hook_event_name":"tool.execute.before","input":{"tool":"bash","sessionID":"s","callID":"c"},"output":{"args":{}},"directory":"/p"}`,
			`{"hook_event_name":"beforeReadFile","conversation_id":"s","workspace_roots":["/p"],"file_path":"/p/a"}`,
			`{"hook_event_name":"SessionStart","session_id":"s","source":"startup","cwd":"/p"}`, `{}`, ``, `[`,
		} {
			f.Add(client, "", []byte(body))
			f.Add(client, "auto_approve=true&project=/p&hold=1s", []byte(body))
		}
	}
	gate := &decider{}
	server, err := server.New(server.Options{
		Gate: gate, Sessions: &keptSessions{kept: map[string]v1.Session{}}, Prompts: noPrompts{}, Approvals: noApprovals{}, Tokens: tokens(),
	})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, name, query string, body []byte) {
		request := httptest.NewRequest(http.MethodPost, "http://localhost/v1/hooks/x", bytes.NewReader(body))
		request.URL.Path, request.URL.RawQuery = "/v1/hooks/"+name, query
		request.Header.Set("Authorization", "Bearer "+tokens().Agent)
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		before := gate.calls.Load()
		server.ServeHTTP(answer, request)
		decided := gate.calls.Load() > before
		require.Equal(t, http.StatusOK, answer.Code)
		var object map[string]any
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &object))
		switch answer.Header().Get("Policyd-Decision") {
		case "deny":
			assert.NotContains(t, answer.Body.String(), `"allow"`)
		case "allow":
			assert.True(t, decided)
		case "none":
			client, known := clients.ByName(name)
			require.True(t, known)
			event, err := client.Decode(bytes.TrimPrefix(body, []byte("\ufeff")))
			require.NoError(t, err)
			assert.NotEqual(t, clients.ToolCall, event.Kind)
			assert.NotContains(t, answer.Body.String(), `"allow"`)
		default:
			assert.Fail(t, "a decision that no hook program knows")
		}
	})
}
