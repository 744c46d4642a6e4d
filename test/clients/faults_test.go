package clients_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// calls are a harmless tool call of each client, with its event: what is allowed
// of it, so that a fault alone can refuse it.
var calls = []struct{ client, event, payload, id string }{
	{"claude", "PreToolUse", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_input":{}}`, `"session_id":"s"`},
	{"claude", "PermissionRequest", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PermissionRequest","tool_name":"TodoWrite","tool_input":{}}`, `"session_id":"s"`},
	{"codex", "PreToolUse", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"update_plan","tool_input":{"plan":[]}}`, `"session_id":"s"`},
	{"codex", "PermissionRequest", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PermissionRequest","tool_name":"update_plan","tool_input":{}}`, `"session_id":"s"`},
	{"gemini", "BeforeTool", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"BeforeTool","tool_name":"write_todos","tool_input":{"todos":[]}}`, `"session_id":"s"`},
	{"copilot", "preToolUse", `{"sessionId":"s","timestamp":1,"cwd":"/home/dev/proj","toolName":"report_intent","toolArgs":{"intent":"x"}}`, `"sessionId":"s"`},
	{"copilot", "PreToolUse", `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/home/dev/proj","tool_name":"report_intent","tool_input":{"intent":"x"}}`, `"session_id":"s"`},
	{"copilot", "permissionRequest", `{"hookName":"permissionRequest","sessionId":"s","timestamp":1,"cwd":"/home/dev/proj","toolName":"bash","toolInput":{"command":"git status"}}`, `"sessionId":"s"`},
	{"opencode", "tool.execute.before", `{"hook_event_name":"tool.execute.before","input":{"tool":"todowrite","sessionID":"s","callID":"c"},"output":{"args":{"todos":[]}},"directory":"/home/dev/proj"}`, `"sessionID":"s"`},
	{"cursor", "preToolUse", `{"hook_event_name":"preToolUse","conversation_id":"s","workspace_roots":["/home/dev/proj"],"tool_name":"TodoWrite","tool_input":{}}`, `"conversation_id":"s"`},
	{"cursor", "beforeShellExecution", `{"hook_event_name":"beforeShellExecution","conversation_id":"s","workspace_roots":["/home/dev/proj"],"command":"git status","cwd":"/home/dev/proj"}`, `"conversation_id":"s"`},
}

// refused checks that a client blocks the tool on a reply, and gets the reason.
func refused(t *testing.T, client, event string, got answer, why ...string) {
	t.Helper()
	if client == "copilot" && event == "PreToolUse" {
		// This one takes two shapes; it has to block by either.
		assert.Equal(t, "deny", got.object(t)["permissionDecision"])
	} else {
		assert.Equalf(t, blocks, outcome(client, event, got), "exit %s: %s", got.exit, got.body)
	}
	assert.Equal(t, "deny", got.decision)
	for _, text := range why {
		assert.Containsf(t, string(got.body), text, "%s %s", client, event)
	}
}

// TestBadPayloadsAreRefused checks D4 for hooks: every invalid payload gets a deny in the client's form.
func TestBadPayloadsAreRefused(t *testing.T) {
	s := startServer(t, "")
	for _, call := range calls {
		name, value, _ := strings.Cut(call.id, ":")
		bodies := []struct{ name, body, why string }{
			{"cut", call.payload[:len(call.payload)-2], "can't be read"},
			{"array", "[" + call.payload + "]", "an array where an object belongs"},
			{"text", `"x"`, "a string where an object belongs"},
			{"null", "null", "no event"},
			{"empty", "", "the body is empty"},
			{"only a mark", "\ufeff", "the body is empty"},
			{"not JSON", "hook_event_name=PreToolUse", "not JSON"},
			{"noise", call.payload + " x", "text follows the request"},
			{"second object", call.payload + call.payload, "text follows the request"},
			{"a key twice", strings.Replace(call.payload, call.id, call.id+","+call.id, 1), "is repeated"},
			{"another key twice", `{"x":1,"x":2,` + call.payload[1:], "is repeated"},
			{"not Unicode", `{"x":"` + "\xff" + `",` + call.payload[1:], "not valid Unicode"},
			{"too deep", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "," + call.payload[1:], "nested deeper"},
			{"too large", strings.TrimSuffix(call.payload, "}") + `,"x":"` + strings.Repeat("x", 2<<20) + `"}`, "larger than"},
			{"session of another type", strings.Replace(call.payload, call.id, name+`:{"id":`+value+`}`, 1), "an object where a string belongs"},
			{"no session", strings.Replace(call.payload, call.id, `"x":1`, 1), "names no session"},
			{"long session", strings.Replace(call.payload, call.id, name+`:"`+strings.Repeat("s", 200)+`"`, 1), "longer than 128 bytes"},
			{"a NUL in the directory", strings.Replace(call.payload, "/home/dev/proj", `/home/dev/proj\u0000`, 1), "NUL"},
		}
		for _, bad := range bodies {
			t.Run(call.client+"/"+call.event+"/"+bad.name, func(t *testing.T) {
				event := call.event
				if !strings.Contains(bad.body, `"`+call.event+`"`) || strings.HasPrefix(bad.body, "[") {
					event = map[string]string{"claude": "PreToolUse", "codex": "PreToolUse", "copilot": "preToolUse"}[call.client]
				}
				if bad.name == "a NUL in the directory" && call.client == "cursor" && call.event == "preToolUse" {
					return // it has no directory but the workspace, and that one gives nothing
				}
				got := s.hook(t, call.client, "", bad.body)
				refused(t, call.client, event, got, "policyd", bad.why)
			})
		}
		t.Run(call.client+"/"+call.event+"/as it is", func(t *testing.T) {
			for _, body := range []string{call.payload, "\ufeff" + call.payload, strings.Replace(call.payload, "{", `{"new_key":{"x":[null]},`, 1)} {
				got := s.hook(t, call.client, "", body)
				assert.NotEqualf(t, "deny", got.decision, "%s", got.body)
			}
		})
	}
}

// TestToolsThatAreNotNamedAreRefused checks that a client whose payload lacks a required field gets that
// reason.
func TestToolsThatAreNotNamedAreRefused(t *testing.T) {
	s := startServer(t, "")
	for _, test := range []struct{ client, event, payload, why string }{
		{"claude", "PreToolUse", `{"session_id":"s","hook_event_name":"PreToolUse","tool_input":{}}`, "names no tool"},
		{"claude", "PreToolUse", `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash"}`, "no arguments"},
		{"claude", "PreToolUse", `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}`, "no object"},
		{"claude", "PreToolUse", `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`, "names no event"},
		{"claude", "PreToolUse", `{"session_id":"s","hook_event_name":"preToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, "doesn't know the event"},
		{"codex", "PreToolUse", `{"session_id":"s","hook_event_name":"BeforeTool","tool_name":"Bash","tool_input":{"command":"ls"}}`, "doesn't know the event"},
		{"gemini", "BeforeTool", `{"session_id":"s","hook_event_name":"BeforeTool","tool_name":5,"tool_input":{}}`, "a number where a string belongs"},
		{"gemini", "BeforeTool", `{"session_id":"s","hook_event_name":"BeforeModel","tool_name":"x"}`, "doesn't know the event"},
		{"opencode", "tool.execute.before", `{"hook_event_name":"tool.execute.before","input":{"sessionID":"s"},"output":{"args":{}}}`, "names no tool"},
		{"opencode", "tool.execute.before", `{"hook_event_name":"tool.execute.before","input":{"tool":"bash","sessionID":"s"}}`, "no arguments"},
		{"copilot", "preToolUse", `{"sessionId":"s","toolName":"bash","toolArgs":"git status"}`, "holds no object"},
		{"copilot", "preToolUse", `{"sessionId":"s","toolName":"bash","toolArgs":"{\"command\":\"ls\",\"command\":\"rm\"}"}`, "holds no object"},
		{"copilot", "preToolUse", `{"sessionId":"s","session_id":"t","toolName":"bash","toolArgs":{"command":"ls"}}`, "two spellings"},
		{"copilot", "preToolUse", `{"sessionId":"s","toolName":"bash","toolArgs":{"command":"ls"},"tool_input":{"command":"rm"}}`, "two spellings"},
		{"copilot", "preToolUse", `{"sessionId":"s","cwd":"/"}`, "names no event"},
		{"cursor", "beforeShellExecution", `{"hook_event_name":"beforeShellExecution","conversation_id":"s"}`, "names no command"},
		{"cursor", "beforeReadFile", `{"hook_event_name":"beforeReadFile","conversation_id":"s"}`, "names no file_path"},
		{"cursor", "beforeMCPExecution", `{"hook_event_name":"beforeMCPExecution","conversation_id":"s","tool_name":"t","tool_input":"[]"}`, "holds no object"},
		{"cursor", "preToolUse", `{"hook_event_name":"preToolUse","conversation_id":"s","workspace_roots":"/x","tool_name":"Shell","tool_input":{}}`, "where an array belongs"},
		{"cursor", "preToolUse", `{"hook_event_name":"PreToolUse","conversation_id":"s","tool_name":"Shell","tool_input":{"command":"ls"}}`, "doesn't know the event"},
	} {
		t.Run(test.client+"/"+test.why, func(t *testing.T) {
			refused(t, test.client, test.event, s.hook(t, test.client, "", test.payload), test.why)
		})
	}
}

// TestEveryFaultOfARequestIsTheClientsDeny checks that a hook is answered with 200 and a deny also by what
// precedes it: credentials, origin, method, query.
func TestEveryFaultOfARequestIsTheClientsDeny(t *testing.T) {
	s := startServer(t, "")
	for _, fault := range []struct {
		name, why string
		change    func(request *http.Request)
	}{
		{"no token", "agent.token", func(r *http.Request) { r.Header.Del("Authorization") }},
		{"wrong token", "agent.token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer nonsense") }},
		{"foreign host", "allowed_hosts", func(r *http.Request) { r.Host = "evil.example" }},
		{"foreign origin", "web pages", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		{"content type", "application/json", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
		{"compressed", "as it is", func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }},
		{"method", "PUT", func(r *http.Request) { r.Method = http.MethodPut }},
		{"preflight", "OPTIONS", func(r *http.Request) { r.Method = http.MethodOptions }},
		{"deeper path", "nothing at", func(r *http.Request) { r.URL.Path += "/x" }},
		{"unknown parameter", "not known", func(r *http.Request) { r.URL.RawQuery = "wait=1s" }},
		{"parameter twice", "hold", func(r *http.Request) { r.URL.RawQuery = "hold=1s&hold=2s" }},
		{"long hold", "10m", func(r *http.Request) { r.URL.RawQuery = "hold=11m" }},
		{"relative project", "absolute path", func(r *http.Request) { r.URL.RawQuery = "project=proj" }},
		{"relative home", "absolute path", func(r *http.Request) { r.URL.RawQuery = "home=dev" }},
		{"NUL in the project", "NUL", func(r *http.Request) { r.URL.RawQuery = "home=/x%00" }},
		{"audience", "personal, team, public", func(r *http.Request) { r.URL.RawQuery = "audience=everyone" }},
		{"platform", "linux, darwin, windows", func(r *http.Request) { r.URL.RawQuery = "platform=plan9" }},
		{"shell", "name of a program", func(r *http.Request) { r.URL.RawQuery = "shell=/bin/bash" }},
		{"tools", "set_working_directory", func(r *http.Request) { r.URL.RawQuery = "tools=Bash" }},
		{"interactive", "true, false", func(r *http.Request) { r.URL.RawQuery = "interactive=yes" }},
		{"approval", "true, false", func(r *http.Request) { r.URL.RawQuery = "auto_approve=1" }},
		{"broken query", "query", func(r *http.Request) { r.URL.RawQuery = "project=%zz" }},
	} {
		for _, call := range calls {
			t.Run(fault.name+"/"+call.client+"/"+call.event, func(t *testing.T) {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/hooks/"+call.client, strings.NewReader(call.payload))
				require.NoError(t, err)
				request.Header.Set("Authorization", "Bearer "+s.token(t, "agent"))
				request.Header.Set("Content-Type", "application/json")
				fault.change(request)
				if fault.name == "deeper path" {
					assert.Equal(t, "deny", s.send(t, http.DefaultClient, request).decision)
					return // it names no client
				}
				refused(t, call.client, call.event, s.send(t, http.DefaultClient, request), fault.why)
			})
		}
	}
}

// TestUnknownClientsAreRefused checks that a client that policyd doesn't know gets every known deny and the
// exit code.
func TestUnknownClientsAreRefused(t *testing.T) {
	s := startServer(t, "")
	for _, client := range []string{"windsurf", "Claude", "claude%2F..", "..%2Fclaude", "claude%00", "%20"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/hooks/"+client, strings.NewReader(calls[0].payload))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+s.token(t, "agent"))
		request.Header.Set("Content-Type", "application/json")
		got := s.send(t, http.DefaultClient, request)
		assert.Equal(t, "deny", got.decision, client)
		assert.Equal(t, "2", got.exit, client)
		object := got.object(t)
		for _, key := range []string{"decision", "permission", "permissionDecision"} {
			assert.Equal(t, "deny", object[key], client)
		}
	}
}
