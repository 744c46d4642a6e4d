package clients_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/clients"
	"policyd/internal/clients/reply"
	"policyd/internal/strict"
)

func FuzzClaude(f *testing.F)   { fuzz(f, reply.Claude) }
func FuzzCodex(f *testing.F)    { fuzz(f, reply.Codex) }
func FuzzGemini(f *testing.F)   { fuzz(f, reply.Gemini) }
func FuzzOpenCode(f *testing.F) { fuzz(f, reply.OpenCode) }
func FuzzCopilot(f *testing.F)  { fuzz(f, reply.Copilot) }
func FuzzCursor(f *testing.F)   { fuzz(f, reply.Cursor) }

// fuzz holds of any bytes: a payload that is refused has a deny in the client's
// shape, and one that is taken makes a call that every other reader takes for the
// same, with a session of its own.
func fuzz(f *testing.F, name string) {
	f.Helper()
	client, known := clients.ByName(name)
	require.True(f, known)
	seeds, err := filepath.Glob("../../test/testdata/fixtures/" + name + "/*.json")
	require.NoError(f, err)
	own, err := filepath.Glob("../../test/clients/testdata/payloads/" + name + "/*.json")
	require.NoError(f, err)
	require.NotEmpty(f, append(seeds, own...))
	for _, seed := range append(seeds, own...) {
		text, err := os.ReadFile(seed)
		require.NoError(f, err)
		f.Add(text)
	}
	for _, seed := range []string{"", "{}", "[]", "null", `{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":{"a":1,"a":2}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		event, err := client.Decode(data)
		refusal := reply.Refuse(name, data, "why")
		assertReply(t, refusal.Body)
		if err != nil {
			assert.Equal(t, clients.Unknown, event.Kind)
			assert.True(t, utf8.ValidString(clients.Refusal("malformed_payload", err.Error())))
			assert.Equal(t, reply.Deny, client.Verdict(&event, &v1.Decision{Effect: v1.EffectAllow}, clients.Terms{AutoApprove: true}))
			return
		}
		assert.NotEqual(t, clients.Unknown, event.Kind)
		if event.Kind == clients.Other {
			return
		}
		assert.NotEmpty(t, event.SessionID)
		if event.Kind != clients.ToolCall && event.Kind != clients.Permission {
			return
		}
		if !event.Partial {
			assertCall(t, client, &event)
		}
		assert.Equal(t, reply.Deny, client.Verdict(&event, &v1.Decision{}, clients.Terms{AutoApprove: true, Attended: true}))
	})
}

func assertReply(t *testing.T, body []byte) {
	t.Helper()
	var object map[string]any
	require.NoErrorf(t, json.Unmarshal(body, &object), "%s", body)
	assert.NotContains(t, string(body), `"allow"`)
}

// assertCall checks that the strict reader takes the call as it was made.
func assertCall(t *testing.T, client *clients.Client, event *clients.Event) {
	t.Helper()
	call := event.Call
	call.Session = v1.Session{ID: client.SessionID(event), Agent: client.Agent}
	if strict.CheckCall(&call) != nil {
		return // refused further on
	}
	body, err := json.Marshal(call)
	require.NoError(t, err)
	again, err := strict.DecodeCall(body)
	require.NoErrorf(t, err, "%s", body)
	assert.Equal(t, call.Tool, again.Tool)
	var made, read bytes.Buffer
	require.NoError(t, json.Compact(&made, call.Args))
	require.NoError(t, json.Compact(&read, again.Args))
	assert.JSONEq(t, made.String(), read.String())
}
