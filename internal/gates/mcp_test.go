package gates_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gates"
	"policyd/internal/jsonrpc"
)

// call is a line that calls a tool.
func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, name, arguments)
}

// V12: a call is decided as the tool of its server, with the arguments as they
// were sent, and everything passes as it is.
func TestMCPAllowedMessagesPassAsTheyAre(t *testing.T) {
	sidecar := &scripted{decide: always(v1.EffectAllow, "")}
	r := startMCP(t, sidecar)
	lines := []string{
		`{"jsonrpc":"2.0",  "id":0,"method":"initialize","params":{"x":"<é>"}}` + "\r\n",
		`{"method":"notifications/initialized"}` + "\n",
		`{"id":1,"method":"tools\/call","params":{"arguments":{"path":"/x","n":1.50},"name":"r\u0065ad"}}` + "\n",
		"\n", " \t\r\n",
		`{"id":"srv-1","result":{"roots":[]}}` + "\n",
		`[{"id":5,"method":"tools/list"},` + strings.TrimSuffix(call("6", "read", `{}`), "\n") + "]\n",
		call(`null`, "read", `{"a":{"b":[true,null]}}`),
	}
	for _, line := range lines {
		r.send(t, line)
		assert.Equal(t, line, r.next(t))
	}
	r.send(t, `{"id":9,"method":"ping"}`) // half a line
	assert.Equal(t, strings.Join(lines, "")+`{"id":9,"method":"ping"}`, r.end(t))
	require.Len(t, sidecar.calls, 3)
	first := sidecar.calls[0]
	assert.Equal(t, "mcp__srv__read", first.Tool)
	assert.Equal(t, "mcp", first.Protocol)
	assert.JSONEq(t, `{"path":"/x","n":1.50}`, string(first.Args))
	assert.Equal(t, "/p", first.Cwd)
	assert.Equal(t, "g-1", first.Session.ID)
	assert.Equal(t, "/p", sidecar.sessions["g-1"].ProjectDir)
	assert.Equal(t, []string{"g-1"}, sidecar.ended, "the session ends with its gate")
	assert.Empty(t, r.notes.String())
}

func TestMCPDeniedCallsNeverReachTheServer(t *testing.T) {
	sidecar := &scripted{decide: always(v1.EffectDeny, "x is a secret file")}
	r := startMCP(t, sidecar)
	for _, id := range []string{"1", `"a"`, "-2.5e3", "null"} {
		r.send(t, call(id, "read", `{"path":"x"}`))
		var answer struct {
			ID     json.RawMessage `json:"id"`
			Result struct {
				IsError bool `json:"isError"`
				Content []struct{ Type, Text string }
			} `json:"result"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.next(t)), &answer))
		assert.Equal(t, id, string(answer.ID))
		assert.True(t, answer.Result.IsError)
		require.Len(t, answer.Result.Content, 1)
		assert.Equal(t, "text", answer.Result.Content[0].Type)
		assert.Contains(t, answer.Result.Content[0].Text, "x is a secret file")
	}
	assert.Empty(t, r.end(t))
}

// Whatever keeps a decision from being made denies the call.
func TestMCPWhatCantBeDecidedIsDenied(t *testing.T) {
	for name, decide := range map[string]func(*v1.Call) (v1.Decision, error){
		"no sidecar": func(*v1.Call) (v1.Decision, error) { return v1.Decision{}, errors.New("refused") },
		"a stranger's answer": func(*v1.Call) (v1.Decision, error) {
			return v1.Decision{Effect: v1.EffectAllow}, nil
		},
		"no reasons": func(*v1.Call) (v1.Decision, error) {
			return v1.Decision{ID: "1", Effect: v1.EffectAllow, Policy: v1.PolicyInfo{Revision: "r"}}, nil
		},
		"allowed and asked": func(*v1.Call) (v1.Decision, error) {
			decision := decided(v1.EffectAllow, "")
			decision.Prompt = &v1.Prompt{ID: "p"}
			return decision, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := startMCP(t, &scripted{decide: decide})
			r.send(t, call("1", "read", `{}`))
			answer := r.next(t)
			assert.Contains(t, answer, `"isError":true`)
			assert.Contains(t, answer, "can't be decided")
			r.send(t, `{"id":2,"method":"ping"}`+"\n")
			assert.Contains(t, r.next(t), "ping", "other messages pass")
			assert.NotContains(t, r.end(t), "tools/call")
		})
	}
}

// What is nearly a call is refused, and so is a call that isn't read in one way.
func TestMCPRefusesWhatIsNotExactlyACall(t *testing.T) {
	params := func(text string) string { return `{"id":1,"method":"tools/call","params":` + text + `}` }
	lines := map[string]string{
		"case":               `{"id":1,"method":"Tools/Call","params":{"name":"a"}}`,
		"white space":        `{"id":1,"method":" tools/call","params":{"name":"a"}}`,
		"slash":              `{"id":1,"method":"/tools/call","params":{"name":"a"}}`,
		"two methods":        `{"id":1,"method":"ping","method":"tools/call","params":{"name":"a"}}`,
		"two methods, upper": `{"id":1,"method":"ping","METHOD":"tools/call","params":{"name":"a"}}`,
		"two names":          params(`{"name":"a","n\u0061me":"b"}`),
		"two names, upper":   params(`{"name":"a","Name":"b"}`),
		"two arguments":      params(`{"name":"a","arguments":{},"arguments":{}}`),
		"unknown member":     params(`{"name":"a","args":{"path":"/etc/passwd"}}`),
		"twice, deep":        params(`{"name":"a","arguments":{"path":"a","path":"/etc/passwd"}}`),
		"no name":            params(`{"arguments":{}}`),
		"name is no text":    params(`{"name":["a"]}`),
		"list of arguments":  params(`{"name":"a","arguments":["/etc/passwd"]}`),
		"null arguments":     params(`{"name":"a","arguments":null}`),
		"params are a list":  params(`["a",{}]`),
		"params are null":    params(`null`),
		"no params":          `{"id":1,"method":"tools/call"}`,
		"not UTF-8":          "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\xff\"}}",
	}
	sidecar := &scripted{decide: always(v1.EffectAllow, "")}
	r := startMCP(t, sidecar)
	for name, line := range lines {
		r.send(t, line+"\n")
		var answer struct {
			Error struct{ Code int } `json:"error"`
		}
		text := r.next(t)
		require.NoErrorf(t, json.Unmarshal([]byte(text), &answer), "%s: %s", name, text)
		assert.NotZerof(t, answer.Error.Code, "%s: %s", name, text)
	}
	// A message without an id gets no answer.
	r.send(t, `{"method":"tools/call","params":{"name":"a"}}`+"\n"+`{"method":"TOOLS/CALL"}`+"\n")
	r.send(t, `{"id":2,"method":"ping"}`+"\n")
	assert.Contains(t, r.next(t), "ping")
	assert.Contains(t, r.notes.String(), "no id")
	identical(t, `{"id":2,"method":"ping"}`+"\n", r.end(t))
	assert.Empty(t, sidecar.calls)
}

func TestMCPRefusesLongMessages(t *testing.T) {
	sidecar := &scripted{decide: always(v1.EffectAllow, "")}
	r := startMCP(t, sidecar, func(o *gates.MCPOptions) { o.Limit = 100 })
	r.send(t, `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"`+strings.Repeat("y", 100_000)+`"}}`+"\n")
	answer := r.next(t)
	assert.Contains(t, answer, `"id":3`)
	assert.Contains(t, answer, "longer than 100 bytes")
	r.send(t, `{"id":2,"method":"ping"}`+"\n")
	assert.Contains(t, r.next(t), "ping")
	identical(t, `{"id":2,"method":"ping"}`+"\n", r.end(t))
}

// A batch passes as a whole or not at all, and each of its requests is answered.
func TestMCPBatchesPassWholeOrNotAtAll(t *testing.T) {
	sidecar := &scripted{decide: func(call *v1.Call) (v1.Decision, error) {
		switch call.Tool {
		case "mcp__srv__good":
			return decided(v1.EffectAllow, ""), nil
		case "mcp__srv__asked":
			return decided(v1.EffectPrompt, "asks"), nil
		}
		return decided(v1.EffectDeny, "it is bad"), nil
	}}
	line := func(id, name string) string { return strings.TrimSuffix(call(id, name, `{}`), "\n") }
	r := startMCP(t, sidecar)
	for _, other := range []string{line("2", "bad"), line("2", "asked"), `{"id":2,"method":"tools/CALL"}`} {
		r.send(t, "["+line("1", "good")+","+other+`,{"method":"notifications/x"},{"id":3,"method":"ping"}]`+"\n")
		var answers []struct {
			ID     int                     `json:"id"`
			Result *struct{ IsError bool } `json:"result"`
			Error  *jsonrpc.ErrorObject    `json:"error"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.next(t)), &answers))
		require.Len(t, answers, 3)
		assert.Equal(t, []int{1, 2, 3}, []int{answers[0].ID, answers[1].ID, answers[2].ID})
		assert.NotNil(t, answers[0].Error)
		assert.NotNil(t, answers[2].Error)
	}
	assert.Empty(t, r.end(t))
}

// A9: a call that prompts waits, and later ones do not.
func TestMCPHeldCallsWaitAlone(t *testing.T) {
	asked := map[string]bool{}
	sidecar := &scripted{answers: make(chan v1.Prompt)}
	sidecar.decide = func(call *v1.Call) (v1.Decision, error) {
		if asked[call.Tool] {
			return decided(v1.EffectAllow, ""), nil // a person approved it
		}
		asked[call.Tool] = true
		return decided(v1.EffectPrompt, "asks"), nil
	}
	answer := func(effect v1.Effect) v1.Prompt {
		return v1.Prompt{ID: "p-1", State: v1.PromptAnswered, Answer: &v1.PromptAnswer{Decision: effect, By: "ada"}}
	}
	r := startMCP(t, sidecar)
	first := call("1", "first", `{"path":"one"}`)
	r.send(t, first)
	r.send(t, `{"id":2,"method":"ping"}`+"\n")
	assert.Contains(t, r.next(t), "ping")
	sidecar.answers <- answer(v1.EffectAllow)
	assert.Equal(t, first, r.next(t))
	assert.JSONEq(t, `{"path":"one"}`, string(sidecar.calls[1].Args), "decided anew as it was sent")

	for text, prompt := range map[string]v1.Prompt{
		"ada said no":            answer(v1.EffectDeny),
		"nobody answered":        {ID: "p-1", State: v1.PromptPending},
		"the question is expire": {ID: "p-1", State: v1.PromptExpired},
		"the question is withdr": {ID: "p-1", State: v1.PromptWithdrawn},
		"the question is ":       {ID: "p-1", State: "unheard of"},
		"said no to":             {ID: "p-1", State: v1.PromptWithdrawn, Answer: &v1.PromptAnswer{Decision: v1.EffectAllow}},
	} {
		r.send(t, call("3", "second "+text, `{}`))
		sidecar.answers <- prompt
		assert.Contains(t, r.next(t), text)
	}
	r.send(t, call("5", "fourth", `{}`))
	r.send(t, `{"method":"notifications/cancelled","params":{"requestId":5}}`+"\n")
	assert.Contains(t, r.next(t), "cancelled")
	r.send(t, call("6", "fifth", `{}`))
	got := r.end(t)
	assert.Contains(t, got, "first")
	for _, name := range []string{"second", "fourth", "fifth"} {
		assert.NotContains(t, got, name)
	}
	assert.Equal(t, []string{"p-1", "p-1"}, sidecar.taken, "what was given up is withdrawn")
	assert.Empty(t, r.rest, "and answered to nobody")
}

func TestMCPWithoutHoldNobodyWaits(t *testing.T) {
	sidecar := &scripted{decide: always(v1.EffectPrompt, "a person has to be asked")}
	r := startMCP(t, sidecar, func(o *gates.MCPOptions) { o.Hold = 0 })
	r.send(t, call("1", "read", `{}`))
	assert.Contains(t, r.next(t), "a person has to be asked")
	assert.Empty(t, r.end(t))
	assert.Len(t, sidecar.calls, 1)
}

// P14: a launch from a sensitive directory leaves the session without a project.
func TestMCPSensitiveLaunchHasNoProject(t *testing.T) {
	sidecar := &scripted{decide: always(v1.EffectAllow, ""), refuse: map[string]string{"/p": "sensitive_root"}}
	r := startMCP(t, sidecar)
	r.send(t, call("1", "read", `{}`))
	assert.Contains(t, r.next(t), "read")
	assert.Contains(t, sidecar.sessions, "g-1")
	assert.Empty(t, sidecar.calls[0].Session.ProjectDir)
	assert.Contains(t, r.notes.String(), "/p is no project")
	r.end(t)

	other := &scripted{decide: always(v1.EffectAllow, ""), refuse: map[string]string{"/p": "session_conflict"}}
	r = startMCP(t, other)
	r.send(t, call("1", "read", `{}`))
	assert.Contains(t, r.next(t), "isError")
	assert.Empty(t, r.end(t))
	assert.Empty(t, other.calls, "a session that can't be registered has no calls")
	assert.Empty(t, other.ended)
}

func TestMCPJoinedSessionsAreLeftAlone(t *testing.T) {
	sidecar := &scripted{decide: always(v1.EffectAllow, "")}
	r := startMCP(t, sidecar, func(o *gates.MCPOptions) { o.Joined = true })
	r.send(t, call("1", "read", `{}`))
	r.next(t)
	r.end(t)
	assert.Empty(t, sidecar.sessions)
	assert.Empty(t, sidecar.ended)
}

func TestServerNames(t *testing.T) {
	for _, good := range []string{"fs", "a_b", "my-server.2", "é"} {
		assert.NoError(t, gates.CheckServerName(good), good)
	}
	for _, bad := range []string{"", "a__b", "_a", "a_", "a/b", "a b", "a\u200bb"} {
		assert.Error(t, gates.CheckServerName(bad), bad)
	}
}

func TestMCPEndsWithItsServer(t *testing.T) {
	sidecar := &scripted{decide: always(v1.EffectAllow, "")}
	gate, err := gates.NewMCP(gates.MCPOptions{Client: sidecar, Server: "s", Note: func(string) {}})
	require.NoError(t, err)
	done := make(chan ending, 1)
	go func() {
		code, err := gate.Run(t.Context(), []string{"sh", "-c", "exit 3"}, gates.Streams{Stdin: forever{}, Stdout: &strings.Builder{}, Stderr: &strings.Builder{}})
		done <- ending{code, err}
	}()
	select {
	case e := <-done:
		assert.NoError(t, e.err)
		assert.Equal(t, 3, e.code)
	case <-time.After(patience):
		assert.Fail(t, "the gate waits for a client that has nothing to say")
	}
}

// forever is a host that says nothing.
type forever struct{}

func (forever) Read([]byte) (int, error) { select {} }
