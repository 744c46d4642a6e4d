package clients_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/clients"
	"policyd/internal/clients/reply"
	"policyd/internal/strict"
)

func of(t *testing.T, name string) *clients.Client {
	t.Helper()
	client, known := clients.ByName(name)
	require.True(t, known)
	assert.Equal(t, name, client.Name)
	return client
}

// TestVerdicts checks the reply to each client (A9): for an allow, for a prompt that went to its own dialog,
// and for one that stays here.
func TestVerdicts(t *testing.T) {
	const deny, ask, allow, nothing = reply.Deny, reply.Ask, reply.Allow, reply.Nothing
	plain, wish := clients.Terms{Attended: true}, clients.Terms{Attended: true, AutoApprove: true}
	for _, test := range []struct {
		client                       string
		kind                         clients.Kind
		allow, allowOnWish, prompted reply.Verdict
		delegates                    bool
	}{
		{reply.Claude, clients.ToolCall, nothing, allow, ask, true},
		{reply.Claude, clients.Permission, nothing, allow, nothing, true},
		{reply.Codex, clients.ToolCall, nothing, nothing, deny, false},
		{reply.Codex, clients.Permission, nothing, allow, nothing, true},
		{reply.Gemini, clients.ToolCall, allow, allow, ask, true},
		{reply.Copilot, clients.ToolCall, nothing, allow, ask, true},
		{reply.Copilot, clients.Permission, nothing, allow, nothing, true},
		{reply.OpenCode, clients.ToolCall, allow, allow, ask, true},
		{reply.Cursor, clients.ToolCall, allow, allow, deny, false},
	} {
		client, event := of(t, test.client), &clients.Event{Kind: test.kind}
		verdict := func(effect v1.Effect, state string, terms clients.Terms) reply.Verdict {
			decision := &v1.Decision{Effect: effect}
			if state != "" {
				decision.Prompt = &v1.Prompt{ID: "p", State: state}
			}
			return client.Verdict(event, decision, terms)
		}
		assert.Equal(t, test.allow, verdict(v1.EffectAllow, "", plain), test)
		assert.Equal(t, test.allowOnWish, verdict(v1.EffectAllow, "", wish), test)
		assert.Equal(t, test.delegates, client.Delegates(event, plain), test)
		if test.delegates {
			assert.Equal(t, test.prompted, verdict(v1.EffectPrompt, v1.PromptDelegated, wish), test)
		}
		for _, state := range []string{"", v1.PromptPending, v1.PromptExpired} {
			assert.Equal(t, deny, verdict(v1.EffectPrompt, state, wish), "a prompt that is not the client's to ask: %v", test)
		}
		assert.Equal(t, deny, verdict(v1.EffectDeny, "", wish), test)
		assert.Equal(t, test.kind == clients.ToolCall, client.Holdable(event, plain), test)
		assert.True(t, client.Holdable(event, wish), test)
	}
	gemini := of(t, reply.Gemini)
	assert.False(t, gemini.Delegates(&clients.Event{Kind: clients.ToolCall}, clients.Terms{}), "it would hang")
	for _, kind := range []clients.Kind{clients.Unknown, clients.Start, clients.End, clients.Other} {
		assert.Equal(t, deny, gemini.Verdict(&clients.Event{Kind: kind}, &v1.Decision{Effect: v1.EffectAllow}, wish))
		assert.False(t, gemini.Holdable(&clients.Event{Kind: kind}, wish))
	}
}

// TestSessionNames checks that a client's sessions and sub-agents have names that can be in an address, and
// that no two share one (C5).
func TestSessionNames(t *testing.T) {
	claude := of(t, reply.Claude)
	seen := map[string]bool{}
	for _, event := range []clients.Event{
		{SessionID: "a"},
		{SessionID: "a", AgentID: "b"},
		{SessionID: "a:b"},
		{SessionID: "a", AgentID: "b:c"},
		{SessionID: "a:b", AgentID: "c"},
		{SessionID: "a/b"},
		{SessionID: "a%2Fb"},
		{SessionID: "a b"},
		{SessionID: "a+b"},
		{SessionID: ".."},
		{SessionID: "ä"},
		{SessionID: "\u202e"},
	} {
		id := claude.SessionID(&event)
		if event.AgentID != "" {
			id = claude.ChildID(&event)
		}
		assert.Empty(t, strict.SessionIDFault(id), id)
		assert.True(t, strings.HasPrefix(id, "claude-code:"), id)
		assert.False(t, seen[id], id)
		seen[id] = true
	}
	assert.Empty(t, claude.ChildID(&clients.Event{SessionID: "a"}))
	assert.Equal(t, "claude-code:aa7d120a-4080", claude.SessionID(&clients.Event{SessionID: "aa7d120a-4080"}))
}

// TestToolsOfServersAreNotTheClientsOwn checks V12: a tool of an MCP server that is named like one of the
// client's is judged as the server's.
func TestToolsOfServersAreNotTheClientsOwn(t *testing.T) {
	for payload, want := range map[string]string{
		`claude {"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Read","tool_input":{},"mcp_server":{"name":"x"}}`:                  "Read mcp",
		`claude {"hook_event_name":"PreToolUse","session_id":"s","tool_name":"mcp__x__Read","tool_input":{},"mcp_server":{"name":"x"}}`:          "mcp__x__Read ",
		`claude {"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Read","tool_input":{},"mcp_server":null}`:                          "Read ",
		`gemini {"hook_event_name":"BeforeTool","session_id":"s","tool_name":"read_file","tool_input":{},"mcp_context":{"server_name":"x"}}`:     "read_file mcp",
		`gemini {"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp_x_read_file","tool_input":{},"mcp_context":{}}`:                "mcp_x_read_file ",
		`cursor {"hook_event_name":"preToolUse","conversation_id":"s","tool_name":"MCP:Read","tool_input":{}}`:                                   "Read mcp",
		`cursor {"hook_event_name":"beforeMCPExecution","conversation_id":"s","tool_name":"Read","tool_input":{},"url":"http://x/a__b_"}`:        "mcp__http://x/a_%5Fb%5F__Read mcp",
		`cursor {"hook_event_name":"beforeMCPExecution","conversation_id":"s","tool_name":"Read","tool_input":"{}"}`:                             "Read mcp",
		`copilot {"hookName":"permissionRequest","sessionId":"s","toolName":"my-server/tool","toolInput":{}}`:                                    "my-server-tool ",
		`copilot {"sessionId":"s","toolName":"fs/read_text_file","toolArgs":{}}`:                                                                 "fs-read_text_file ",
		`copilot {"sessionId":"s","toolName":"apply_patch","toolArgs":"*** Begin Patch\n*** End Patch"}`:                                         "apply_patch ",
		`opencode {"hook_event_name":"permission.asked","event":{"properties":{"sessionID":"s","permission":"read","patterns":["a.txt"]}}}`:      "read ",
		`opencode {"hook_event_name":"permission.asked","event":{"properties":{"sessionID":"s","permission":"doom_loop","patterns":["a.txt"]}}}`: " ",
	} {
		name, body, _ := strings.Cut(payload, " ")
		event, err := of(t, name).Decode([]byte(body))
		require.NoError(t, err, payload)
		assert.Equal(t, want, event.Call.Tool+" "+event.Call.Protocol, payload)
	}
}

// TestExplain checks that the model's text is short, on one line, visible, and ends with the remedy.
func TestExplain(t *testing.T) {
	reasons := func(effect v1.Effect, messages ...string) []v1.Reason {
		out := []v1.Reason{{Effect: v1.EffectAllow, Message: "not this one"}}
		for _, message := range messages {
			out = append(out, v1.Reason{Effect: effect, Message: message})
		}
		return out
	}
	pending := &v1.Prompt{ID: "p-1", State: v1.PromptPending, Choices: []v1.Choice{{Key: "once"}, {Key: "deny"}}}
	long := strings.Repeat("ä", 3000)
	for want, decision := range map[string]v1.Decision{
		"policyd denies this call: a; b.":                             {Reasons: reasons(v1.EffectDeny, "a", "b", "a")},
		"policyd denies this call: no reason was given.":              {},
		"policyd denies this call: a. Hint: set_working_directory /x": {Reasons: reasons(v1.EffectDeny, "a"), Hint: "set_working_directory /x"},
		`policyd denies this call: \x1b[2J\u202e\nb.`:                 {Reasons: reasons(v1.EffectDeny, "\x1b[2J\u202e\nb")},
		"policyd denies this call: 1; 2; 3; 4; 5; and 2 more.":        {Reasons: reasons(v1.EffectDeny, "1", "2", "3", "4", "5", "6", "7")},
		"policyd asks: a.":         {Effect: v1.EffectPrompt, Reasons: reasons(v1.EffectPrompt, "a"), Prompt: &v1.Prompt{ID: "p", State: v1.PromptDelegated}},
		"policyd allows this call": {Effect: v1.EffectAllow},
		"policyd: a person has to approve this call, and has not yet: a. A person answers with `policyd prompts answer p-1 CHOICE`, " +
			"the choice being one of once, deny; then make the same call again.": {Effect: v1.EffectPrompt, Reasons: reasons(v1.EffectPrompt, "a"), Prompt: pending},
	} {
		assert.Equal(t, want, clients.Explain(&decision))
	}
	text := clients.Explain(&v1.Decision{Effect: v1.EffectPrompt, Reasons: reasons(v1.EffectPrompt, long, long+"b"), Prompt: pending})
	assert.LessOrEqual(t, len(text), 2100)
	assert.True(t, utf8.ValidString(text))
	assert.Contains(t, text, "p-1", "what to do is never cut off")
}
