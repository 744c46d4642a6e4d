package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// host is a multiplexer that asks a server about the methods of one session.
type host struct {
	*server
	tree    project.Tree
	session v1.Session
}

// withModes starts a server with these namespaces and registers a session.
func withModes(t *testing.T, namespaces string, change ...func(*v1.Session)) *host {
	t.Helper()
	return withFlags(t, namespaces, nil, change...)
}

func withFlags(t *testing.T, namespaces string, flags []string, change ...func(*v1.Session)) *host {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("namespaces: {"+namespaces+"}\n"), 0o600))
	h := &host{tree: newTree(t)}
	h.server = startServer(t, append([]string{"--config", settings}, flags...)...)
	h.session = h.register(t, h.tree, "acp", change...)
	return h
}

func peers(list ...v1.Peer) func(*v1.Session) {
	return func(session *v1.Session) { session.Peers = list }
}

// method asks about a method, and checks that decision, route, error and record agree.
func (h *host) method(t *testing.T, name string, params any) v1.Decision {
	t.Helper()
	return h.methodIn(t, h.session.ID, name, params)
}

func (h *host) methodIn(t *testing.T, id, name string, params any) v1.Decision {
	t.Helper()
	args, err := json.Marshal(params)
	require.NoError(t, err)
	decision := h.decide(t, v1.Call{Tool: name, Protocol: "acp", Args: args, Session: v1.Session{ID: id}})
	record := h.lastRecord(t)
	assert.Equal(t, decision.ID, record.DecisionID)
	assert.Equal(t, decision.Effect, record.Result.Decision)
	assert.Equal(t, decision.Reasons, record.Result.Reasons)
	if decision.Effect == v1.EffectDeny {
		assert.Equal(t, "block", decision.Route.Mode, "what is denied goes to nobody")
		assert.Empty(t, decision.Route.Peer)
		if assert.NotNil(t, decision.JSONRPCError) {
			assert.Equal(t, name, decision.JSONRPCError.Data.Method)
			assert.NotEmpty(t, decision.JSONRPCError.Data.Reason)
			assert.Less(t, decision.JSONRPCError.Code, -31999)
		}
	} else {
		assert.Nil(t, decision.JSONRPCError)
	}
	return decision
}

// again registers the session with what has changed.
func (h *host) again(t *testing.T, change func(*v1.Session)) {
	t.Helper()
	change(&h.session)
	must[v1.SessionInfo](t, http.StatusOK, h.as(t, "agent", http.MethodPut, sessionPath(h.session.ID), h.session))
}

func (h *host) path(name string) string { return filepath.Join(h.tree.Project, name) }

func (h *host) capabilities(t *testing.T, id string) v1.Capabilities {
	t.Helper()
	return must[v1.Capabilities](t, http.StatusOK, h.as(t, "agent", http.MethodGet, "/v1/capabilities?session="+id, nil))
}

func advertised(read, write, terminal bool) v1.Capabilities {
	return v1.Capabilities{FS: v1.FSCapabilities{ReadTextFile: read, WriteTextFile: write}, Terminal: terminal}
}

type object = map[string]any

// TestN1MethodsBelongToNamespaces checks N1: one table, with and without the protocol, and a method's own
// setting before that of its namespace.
func TestN1MethodsBelongToNamespaces(t *testing.T) {
	h := withModes(t, "fs: block, fs/read_text_file: collaborative")
	read := object{"path": h.path("README.md")}
	assert.Equal(t, "collaborative", h.method(t, "fs/read_text_file", read).Route.Mode)
	assert.Equal(t, []string{"namespace_blocked"}, codes(h.method(t, "fs/write_text_file", read)))
	assert.Equal(t, []string{"namespace_blocked"}, codes(h.method(t, "terminal/anything", object{"terminalId": "t"})))
	args, err := json.Marshal(read)
	require.NoError(t, err)
	bare := h.decide(t, v1.Call{Tool: "fs/write_text_file", Args: args, Session: v1.Session{ID: h.session.ID}})
	assert.Equal(t, []string{"namespace_blocked"}, codes(bare), "without the protocol, too")
	assert.Equal(t, "fs", bare.JSONRPCError.Data.Namespace)
}

// TestN1TheProtocolFieldChangesNothing checks N1 for every method of fs and terminal, those of the table and
// those of later versions of the protocol, in every mode.
func TestN1TheProtocolFieldChangesNothing(t *testing.T) {
	methods := []string{
		"fs/read_text_file", "fs/write_text_file", "fs/anything_new", "terminal/create", "terminal/output", "terminal/kill",
		"terminal/release", "terminal/anything_new",
	}
	for _, mode := range []string{"block", "collaborative", "self_handle", "single_pass_through"} {
		t.Run(mode, func(t *testing.T) {
			h := withModes(t, "fs: "+mode+", terminal: "+mode)
			for _, name := range methods {
				args, err := json.Marshal(object{"path": h.path("README.md"), "command": "ls", "terminalId": "t"})
				require.NoError(t, err)
				answers := []v1.Decision{}
				for _, protocol := range []string{"acp", ""} {
					decision := h.decide(t, v1.Call{Tool: name, Protocol: protocol, Args: args, Session: v1.Session{ID: h.session.ID}})
					decision.ID, decision.Prompt = "", nil
					answers = append(answers, decision)
				}
				assert.Equal(t, answers[0], answers[1], name)
			}
		})
	}
}

// TestN2Defaults checks N2.
func TestN2Defaults(t *testing.T) {
	h := withModes(t, "")
	for _, name := range []string{"fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"} {
		decision := h.method(t, name, object{"path": h.path("a.txt"), "command": "ls"})
		assert.Equal(t, []string{"namespace_blocked"}, codes(decision), name)
	}
	asked := h.method(t, "session/request_permission", object{"toolCall": object{"toolCallId": "1", "title": "x"}, "options": []any{}})
	assert.Equal(t, v1.EffectAllow, asked.Effect)
	assert.Equal(t, v1.Route{Mode: "collaborative"}, asked.Route)
	for _, name := range []string{"_foo/bar", "initialize", "authenticate", "$/cancel_request", "mcp/message"} {
		decision := h.method(t, name, object{"_meta": object{"x": 1}, "path": h.path("a.txt")})
		assert.Equal(t, v1.EffectAllow, decision.Effect, name)
		assert.Equal(t, "pass", decision.Route.Mode, name)
	}
	for _, name := range []string{"session/update", "session/cancel", "session/prompt", "session/new"} {
		assert.Equal(t, "collaborative", h.method(t, name, object{"sessionId": "x"}).Route.Mode, name)
	}
	report := h.method(t, "session/update", object{"update": object{"locations": []any{object{"path": h.path(".env")}}}})
	assert.Equal(t, v1.EffectAllow, report.Effect, "it tells what happens, and touches nothing")
	for _, name := range []string{"Bash", "run_shell_command", "mcp__a__b", "FS/read_text_file"} {
		args, err := json.Marshal(object{"command": "rm -rf /"})
		require.NoError(t, err)
		decision := h.decide(t, v1.Call{Tool: name, Protocol: "acp", Args: args, Session: v1.Session{ID: h.session.ID}})
		assert.NotEqual(t, v1.EffectAllow, decision.Effect, "%s is no unknown method", name)
		assert.NotEqual(t, "pass", decision.Route.Mode, name)
	}
	assert.Equal(t, v1.EffectDeny, h.method(t, "_foo/read", object{"path": h.path(".env")}).Effect, "S2: a secret is one everywhere")
}

// TestN3WhatIsBlockedIsNotAdvertised checks N3.
func TestN3WhatIsBlockedIsNotAdvertised(t *testing.T) {
	both := v1.Peer{ID: "p1", Capabilities: []string{"fs", "terminal"}}
	for _, c := range []struct {
		modes string
		peers []v1.Peer
		want  v1.Capabilities
	}{
		{"", []v1.Peer{both}, advertised(false, false, false)},
		{"fs: collaborative", nil, advertised(true, true, false)},
		{"fs: self_handle, terminal: self_handle", nil, advertised(true, true, true)},
		{"fs: self_handle, fs/write_text_file: block", nil, advertised(true, false, false)},
		{"fs: single_pass_through, terminal: single_pass_through", nil, advertised(false, false, false)},
		{"fs: single_pass_through, terminal: single_pass_through", []v1.Peer{both}, advertised(true, true, true)},
		{"fs: single_pass_through, terminal: single_pass_through", []v1.Peer{{ID: "p", Capabilities: []string{"fs/read_text_file"}}}, advertised(true, false, false)},
	} {
		h := withModes(t, c.modes, peers(c.peers...))
		assert.Equal(t, c.want, h.capabilities(t, h.session.ID), "%s %v", c.modes, c.peers)
		h.stop(t)
	}
	h := withModes(t, "fs: self_handle, terminal: collaborative")
	assert.Equal(t, advertised(false, false, true), must[v1.Capabilities](t, http.StatusOK,
		h.as(t, "agent", http.MethodGet, "/v1/capabilities?session="+h.session.ID+"&without=self_handle", nil)), "N7")
	refuses(t, h.as(t, "agent", http.MethodGet, "/v1/capabilities?session="+h.session.ID+"&without=open", nil),
		http.StatusBadRequest, "invalid_parameter")
	refuses(t, h.as(t, "agent", http.MethodGet, "/v1/capabilities?session=nobody", nil), http.StatusNotFound, "not_found")
	refuses(t, h.as(t, "agent", http.MethodGet, "/v1/capabilities", nil), http.StatusBadRequest, "invalid_request")
	must[struct{}](t, http.StatusNoContent, h.as(t, "agent", http.MethodDelete, sessionPath(h.session.ID), nil))
	refuses(t, h.as(t, "agent", http.MethodGet, "/v1/capabilities?session="+h.session.ID, nil), http.StatusGone, "session_archived")
}

// TestN3ErrorsNameNamespaceAndMode checks N3: the sender of a blocked request learns why.
func TestN3ErrorsNameNamespaceAndMode(t *testing.T) {
	h := withModes(t, "")
	decision := h.method(t, "fs/read_text_file", object{"path": h.path("README.md")})
	assert.Equal(t, v1.JSONRPCErrorData{Namespace: "fs", Mode: "block", Method: "fs/read_text_file", Reason: "namespace_blocked"}, decision.JSONRPCError.Data)
	assert.Contains(t, decision.JSONRPCError.Message, "namespace fs, mode block")
}

// TestN4BroadcastNeedsAFlagAndIsSeen checks N4.
func TestN4BroadcastNeedsAFlagAndIsSeen(t *testing.T) {
	h := withFlags(t, "fs: unsafe_debug", []string{"--unsafe-debug-broadcast"})
	assert.Equal(t, advertised(true, true, false), h.capabilities(t, h.session.ID))
	decision := h.method(t, "fs/read_text_file", object{"path": h.path("README.md")})
	assert.Equal(t, v1.EffectAllow, decision.Effect)
	assert.Equal(t, v1.Route{Mode: "unsafe_debug"}, decision.Route)
	assert.True(t, decision.Policy.UnsafeDebug)
	said := []string{}
	for _, reason := range decision.Reasons {
		said = append(said, reason.Rule)
	}
	assert.Contains(t, said, "namespaces/unsafe_debug")
	assert.Equal(t, "true", h.lastRecord(t).Labels["unsafe_debug_broadcast"])
	assert.True(t, h.shell(t, h.session.ID, "ls").Policy.UnsafeDebug, "every decision says so")
	status, _, body := h.probe(t, "/readyz")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, string(body), "unsafe_debug")
	h.stop(t)
	assert.Contains(t, h.stderr.String(), "--unsafe-debug-broadcast is given")
	assert.Contains(t, h.stderr.String(), "a method goes to every subscriber")

	quiet := withModes(t, "")
	assert.False(t, quiet.shell(t, quiet.session.ID, "ls").Policy.UnsafeDebug)
	_, _, body = quiet.probe(t, "/readyz?verbose")
	assert.NotContains(t, string(body), "unsafe_debug")
}

// TestN5OnePeer checks N5: the one capable peer, or an error.
func TestN5OnePeer(t *testing.T) {
	read := func(h *host) v1.Decision {
		return h.method(t, "fs/read_text_file", object{"path": h.path("README.md")})
	}
	h := withModes(t, "fs: single_pass_through", peers(
		v1.Peer{ID: "p1", Capabilities: []string{"terminal"}}, v1.Peer{ID: "p2", Capabilities: []string{"fs"}}, v1.Peer{ID: "p3", Capabilities: []string{"fs"}},
	))
	decision := read(h)
	assert.Equal(t, v1.EffectAllow, decision.Effect)
	assert.Equal(t, v1.Route{Mode: "single_pass_through", Peer: "p2"}, decision.Route, "the first that can")
	h.again(t, peers(v1.Peer{ID: "p1", Capabilities: []string{"terminal"}}))
	decision = read(h)
	assert.Equal(t, []string{"no_capable_peer"}, codes(decision))
	assert.Equal(t, "single_pass_through", decision.JSONRPCError.Data.Mode)
}

// TestN5TerminalsBelongToTheirPeer checks N5: methods of a terminal go to the peer that made it, even if
// others could serve them now.
func TestN5TerminalsBelongToTheirPeer(t *testing.T) {
	one, two := v1.Peer{ID: "p1", Capabilities: []string{"terminal"}}, v1.Peer{ID: "p2", Capabilities: []string{"terminal"}}
	h := withModes(t, "terminal: single_pass_through", peers(one, two))
	use := func(name, id string) v1.Decision { return h.method(t, "terminal/"+name, object{"terminalId": id}) }
	assert.Equal(t, []string{"terminal_unknown"}, codes(use("output", "t1")), "nobody made one")
	create := func() v1.Decision {
		return h.method(t, "terminal/create", object{"command": "make", "args": []string{"all"}})
	}
	require.Equal(t, "p1", create().Route.Peer)
	require.Equal(t, "p1", use("output", "t1").Route.Peer, "the first name after a creation is its terminal's")
	assert.Equal(t, []string{"terminal_unknown"}, codes(use("kill", "t2")), "there was one creation")
	record := h.lastRecord(t)
	assert.Equal(t, v1.TerminalFacts{Step: "use", ID: "t2"}, record.Input.Method.Terminal, "the record can be judged again")

	h.again(t, peers(two, one))
	second := create()
	require.Equal(t, "p2", second.Route.Peer)
	terminals := sessionPath("acp", "/terminals")
	report := func(terminal, decision, peer string) answer {
		return h.as(t, "agent", http.MethodPost, terminals, v1.TerminalReport{TerminalID: terminal, DecisionID: decision, Peer: peer})
	}
	refuses(t, report("t1", second.ID, ""), http.StatusConflict, "terminal_conflict")
	refuses(t, report("t2", second.ID, "p1"), http.StatusConflict, "terminal_conflict")
	refuses(t, report("t2", "none", ""), http.StatusNotFound, "not_found")
	refuses(t, report("", second.ID, ""), http.StatusBadRequest, "invalid_value")
	made := must[v1.Terminal](t, http.StatusCreated, report("t2", second.ID, ""))
	assert.Equal(t, v1.Terminal{TerminalID: "t2", Peer: "p2"}, made)
	refuses(t, report("t3", second.ID, ""), http.StatusNotFound, "not_found")
	assert.Equal(t, "p2", use("wait_for_exit", "t2").Route.Peer)
	assert.Equal(t, "p1", use("kill", "t1").Route.Peer, "whoever is first now")
	create()
	assert.Equal(t, []string{"terminal_unknown"}, codes(use("output", "t4")), "a host that reports names every terminal itself")
	h.again(t, peers(two))
	assert.Equal(t, []string{"no_capable_peer"}, codes(use("kill", "t1")), "who made it is gone")
	assert.Equal(t, v1.EffectAllow, use("release", "t2").Effect)
	assert.Equal(t, []string{"terminal_unknown"}, codes(use("output", "t2")), "it is released")
	h.register(t, h.tree, "other", peers(one))
	foreign := h.methodIn(t, "other", "terminal/output", object{"terminalId": "t1"})
	assert.Equal(t, []string{"terminal_unknown"}, codes(foreign), "another session's")
}

// TestN6TheHostHandles checks N6: files and commands are decided as of any other call.
func TestN6TheHostHandles(t *testing.T) {
	h := withModes(t, "fs: self_handle, terminal: self_handle")
	outside := filepath.Join(h.tree.Other, "secret.txt")
	git := filepath.Join(h.tree.Project, ".git", "hooks", "pre-commit")
	for _, c := range []struct {
		method string
		params object
		want   v1.Effect
		code   string
	}{
		{"fs/read_text_file", object{"sessionId": "s", "path": h.path("README.md"), "line": nil, "limit": 3, "_meta": object{}}, v1.EffectAllow, "covered"},
		{"fs/read_text_file", object{"path": outside}, v1.EffectPrompt, "outside_scope"},
		{"fs/read_text_file", object{"path": h.path("src/../../other/secret.txt")}, v1.EffectPrompt, "outside_scope"},
		{"fs/read_text_file", object{"path": h.path(".env")}, v1.EffectDeny, "secret_file"},
		{"fs/read_text_file", object{"path": filepath.Join(h.stateDir, "operator.token")}, v1.EffectDeny, "own_state"},
		{"fs/read_text_file", object{}, v1.EffectPrompt, "facts_incomplete"},
		{"fs/read_text_file", object{"path": 7}, v1.EffectPrompt, "facts_incomplete"},
		{"fs/read_text_file", object{"path": h.path("README.md"), "also": h.path("a.txt")}, v1.EffectPrompt, "approval_required"},
		{"fs/write_text_file", object{"path": h.path("new.txt"), "content": "x"}, v1.EffectAllow, "covered"},
		{"fs/write_text_file", object{"path": outside, "content": "x"}, v1.EffectPrompt, "outside_scope"},
		{"fs/write_text_file", object{"path": git, "content": "x"}, v1.EffectPrompt, "protected_always"},
		{"fs/chmod", object{"path": h.path("README.md")}, v1.EffectDeny, "method_not_served"},
		{"terminal/create", object{"command": "ls", "args": []string{"-l"}, "cwd": h.tree.Project, "outputByteLimit": 10}, v1.EffectAllow, "covered"},
		{"terminal/create", object{"command": "git status"}, v1.EffectAllow, "covered"},
		{"terminal/create", object{"command": "cat .env"}, v1.EffectDeny, "secret_file"},
		{"terminal/create", object{"command": "cat", "args": []string{".env"}}, v1.EffectDeny, "secret_file"},
		{"terminal/create", object{"command": "ls\ncat .env"}, v1.EffectDeny, "secret_file"},
		{"terminal/create", object{"command": "ls; cat .env", "args": []string{"x"}}, v1.EffectDeny, "secret_file"},
		{"terminal/create", object{"command": "ls", "args": []string{"; cat .env"}}, v1.EffectAllow, "covered"},
		{"terminal/create", object{"command": "ls", "env": []any{object{"name": "LD_PRELOAD", "value": "./x.so"}}}, v1.EffectPrompt, "approval_required"},
		{"terminal/create", object{"command": "ls", "args": []string{"-l"}, "env": []any{object{"name": "PATH", "value": "."}}}, v1.EffectPrompt, "approval_required"},
		{"terminal/create", object{"command": "ls", "env": []any{object{"name": "NO_COLOR", "value": "1"}}}, v1.EffectAllow, "covered"},
		{"terminal/create", object{"command": "ls", "env": object{"A": "b"}}, v1.EffectPrompt, "facts_incomplete"},
		{"terminal/create", object{"command": "ls", "env": []any{object{"name": "A=b; x", "value": ""}}}, v1.EffectPrompt, "facts_incomplete"},
		{"terminal/create", object{"command": "ls", "cwd": h.tree.Other}, v1.EffectPrompt, "approval_required"},
		{"terminal/create", object{"command": []string{"ls"}}, v1.EffectPrompt, "facts_incomplete"},
		{"terminal/create", object{"command": "ls", "args": "-l"}, v1.EffectPrompt, "facts_incomplete"},
		{"terminal/create", object{"command": "make"}, v1.EffectPrompt, "approval_required"},
		{"terminal/create", object{"args": []string{"ls"}}, v1.EffectPrompt, "facts_incomplete"},
	} {
		decision := h.method(t, c.method, c.params)
		assert.Equal(t, c.want, decision.Effect, "%s %v\n%+v", c.method, c.params, decision.Reasons)
		assert.Contains(t, codes(decision), c.code, "%s %v", c.method, c.params)
		if c.want != v1.EffectDeny {
			assert.Equal(t, "self_handle", decision.Route.Mode)
		} else {
			assert.Equal(t, c.code, decision.JSONRPCError.Data.Reason)
			assert.Equal(t, "self_handle", decision.JSONRPCError.Data.Mode)
		}
	}
}

// TestN6AnswersCountForTerminals checks N6: a person's answer about a command applies to a terminal, and the
// other way round.
func TestN6AnswersCountForTerminals(t *testing.T) {
	h := withModes(t, "terminal: self_handle")
	build := object{"command": "make", "args": []string{"build"}}
	asked := h.method(t, "terminal/create", build)
	require.Equal(t, v1.EffectPrompt, asked.Effect)
	assert.Equal(t, v1.PromptPending, asked.Prompt.State)
	h.reply(t, asked.Prompt, v1.ChoiceAlwaysHere)
	assert.Equal(t, v1.EffectAllow, h.method(t, "terminal/create", build).Effect)
	assert.Equal(t, v1.EffectAllow, h.shell(t, h.session.ID, "make build").Effect)
	refused := h.method(t, "terminal/create", object{"command": "npm", "args": []string{"test"}})
	h.reply(t, refused.Prompt, v1.ChoiceDeny)
}

// TestN6TerminalsEndWithTheirSession checks N6, and that a server that was started again knows none.
func TestN6TerminalsEndWithTheirSession(t *testing.T) {
	h := withModes(t, "terminal: self_handle")
	use := func() v1.Decision { return h.method(t, "terminal/output", object{"terminalId": "t1"}) }
	create := func() {
		require.Equal(t, v1.EffectAllow, h.method(t, "terminal/create", object{"command": "ls"}).Effect)
	}
	create()
	assert.Equal(t, v1.EffectAllow, use().Effect)
	must[struct{}](t, http.StatusNoContent, h.as(t, "agent", http.MethodDelete, sessionPath(h.session.ID), nil))
	h.again(t, func(*v1.Session) {})
	assert.Equal(t, []string{"terminal_unknown"}, codes(use()))
	create()
	assert.Equal(t, v1.EffectAllow, use().Effect)
	h.server = h.restart(t)
	assert.Equal(t, []string{"terminal_unknown"}, codes(use()), "its terminals ended with their host, as far as is known")
}

// TestN7ModesThatAreNotServed checks N7.
func TestN7ModesThatAreNotServed(t *testing.T) {
	h := withModes(t, "session: self_handle")
	decision := h.method(t, "session/request_permission", object{"toolCall": object{"title": "x"}, "options": []any{}})
	assert.Equal(t, []string{"mode_not_served"}, codes(decision))
	assert.Equal(t, "self_handle", decision.JSONRPCError.Data.Mode)
	assert.Contains(t, decision.JSONRPCError.Message, "does not serve mode self_handle")
	assert.Empty(t, decision.Route.Select, "what is blocked gets an error")
}

// permission is a request as OpenCode sends it.
func permission(kind, title string, input any) object {
	return object{
		"sessionId": "s", "options": []any{object{"optionId": "once", "kind": "allow_once", "name": "Allow once"}},
		"toolCall": object{"toolCallId": "1", "kind": kind, "title": title, "status": "pending", "rawInput": input, "locations": []any{}},
	}
}

// TestN8WhatToSelect checks N8: the decision is about forwarding, and only what was judged is selected.
func TestN8WhatToSelect(t *testing.T) {
	h := withModes(t, "", func(session *v1.Session) { session.Agent = "opencode" })
	command := func(line string) object { return object{"command": line} }
	outside := filepath.Join(h.tree.Other, "x.txt")
	for _, c := range []struct {
		name     string
		params   object
		want     v1.Effect
		selected string
	}{
		{"covered", permission("execute", "git status", command("git status")), v1.EffectAllow, "allow_once"},
		{"described", permission("execute", "Show what changed", command("git status")), v1.EffectAllow, "allow_once"},
		{"not covered", permission("execute", "make", command("make")), v1.EffectPrompt, ""},
		{"messy", permission("execute", "x", command("git status $(")), v1.EffectPrompt, ""},
		{"denied", permission("execute", "Show it", command("cat .env")), v1.EffectDeny, "reject_once"},
		{"title of another command", permission("execute", "rm -rf build", command("git status")), v1.EffectPrompt, ""},
		{"title of more", permission("execute", "git status && rm -rf build", command("git status")), v1.EffectPrompt, ""},
		{"title of a secret", permission("execute", "cat .env", command("git status")), v1.EffectDeny, "reject_once"},
		{"another kind", permission("read", "x", command("git status")), v1.EffectAllow, ""},
		{"kind of a file", permission("edit", "x", command("git status")), v1.EffectPrompt, ""},
		{"unknown argument", permission("execute", "x", object{"command": "git status", "then": "rm -rf build"}), v1.EffectPrompt, ""},
		{"text", permission("execute", "git status", "git status"), v1.EffectAllow, ""},
		{"list", permission("execute", "git status", []any{"git", "status"}), v1.EffectAllow, ""},
		{"empty", permission("execute", "git status", object{}), v1.EffectAllow, ""},
		{"none", permission("execute", "git status", nil), v1.EffectAllow, ""},
		{"secret title alone", permission("execute", "cat .env", nil), v1.EffectDeny, "reject_once"},
		{"edit", permission("edit", "x", object{"filepath": h.path("a.txt"), "diff": "--- " + h.path("a.txt") + "\n+++ " + h.path("a.txt") + "\n"}), v1.EffectAllow, "allow_once"},
		{"diff of another file", permission("edit", "x", object{"filepath": h.path("a.txt"), "diff": "+++ " + outside + "\n"}), v1.EffectPrompt, ""},
		{"edit of a secret", permission("edit", "x", object{"filepath": h.path(".env"), "diff": ""}), v1.EffectDeny, "reject_once"},
		{"edit outside", permission("edit", "x", object{"filepath": outside, "diff": ""}), v1.EffectPrompt, ""},
		{"no tool call", object{"options": []any{object{"kind": "allow_once"}, object{}, 7, nil}}, v1.EffectAllow, ""},
		{"tool call of a wrong type", object{"toolCall": "x", "options": "y"}, v1.EffectAllow, ""},
	} {
		decision := h.method(t, "session/request_permission", c.params)
		assert.Equal(t, c.want, decision.Effect, "%s: %+v", c.name, decision.Reasons)
		assert.Equal(t, c.selected, decision.Route.Select, c.name)
		if c.want == v1.EffectPrompt {
			assert.Equal(t, v1.PromptDelegated, decision.Prompt.State, "A9: the client asks, and no second prompt is left open")
			refuses(t, h.as(t, "operator", http.MethodPost, "/v1/prompts/"+decision.Prompt.ID+"/answer", v1.AnswerRequest{Choice: "once"}),
				http.StatusGone, "prompt_ended")
		}
	}
	pending := must[v1.PromptList](t, http.StatusOK, h.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending", nil))
	assert.Empty(t, pending.Prompts)
	also := permission("edit", "x", object{"filepath": h.path("a.txt"), "diff": ""})
	also["toolCall"].(object)["locations"] = []any{object{"path": outside}} //nolint:forcetypeassert // made above
	assert.Equal(t, v1.EffectPrompt, h.method(t, "session/request_permission", also).Effect, "a place that is named beside it counts")
}

// TestN8OneReading checks that what could be read in two ways is refused: a name that occurs twice, however
// it is written.
func TestN8OneReading(t *testing.T) {
	h := withModes(t, "")
	for _, second := range []string{"rawInput", `raw\u0049nput`} {
		body := `{"tool":"session/request_permission","protocol":"acp","session":{"id":"acp"},"args":{"toolCall":{` +
			`"kind":"execute","rawInput":{"command":"ls"},"` + second + `":{"command":"rm -rf /"}}}}`
		status, _, answer := h.post(t, "/v1/decide", body)
		assert.Equal(t, http.StatusBadRequest, status, "%s", answer)
	}
}

// TestN8NobodyIsThere checks N8 and A7: in an unattended session a prompt is rejected.
func TestN8NobodyIsThere(t *testing.T) {
	h := withModes(t, "", func(session *v1.Session) { session.Agent, session.Interactive = "opencode", new(false) })
	for title, want := range map[string]string{"git status": "allow_once", "make": "reject_once"} {
		decision := h.method(t, "session/request_permission", permission("execute", title, object{"command": title}))
		assert.Equal(t, want, decision.Route.Select, title)
	}
	unknown := h.method(t, "session/request_permission", permission("execute", "git status", nil))
	assert.Equal(t, "reject_once", unknown.Route.Select)
	assert.Contains(t, codes(unknown), "approval_required_unattended")
}

// TestN8CapturedRequests checks N8 for what real agents sent.
func TestN8CapturedRequests(t *testing.T) {
	tree, s := newTree(t), startServer(t)
	for file, want := range map[string]string{
		"copilot/acp-session_request_permission-execute":    "allow allow_once",
		"copilot/acp-session_request_permission-execute-2":  "prompt ",
		"copilot/acp-session_request_permission-edit":       "allow allow_once",
		"copilot/acp-session_request_permission-edit-2":     "allow allow_once",
		"copilot/acp-session_request_permission-read":       "prompt ",
		"copilot/acp-session_request_permission-other":      "allow ",
		"opencode/acp-session_request_permission-execute":   "allow allow_once",
		"opencode/acp-session_request_permission-execute-2": "prompt ",
		"opencode/acp-session_request_permission-edit":      "allow allow_once",
		"opencode/acp-session_request_permission-edit-2":    "allow allow_once",
		"opencode/acp-session_request_permission-fetch":     "prompt ",
		"opencode/acp-session_request_permission-read":      "allow ",
		"opencode/acp-session_request_permission-other":     "allow ",
		"gemini/acp-session_request_permission-execute":     "allow ",
		"gemini/acp-session_request_permission-edit":        "allow ",
		"gemini/acp-session_request_permission-edit-2":      "allow ",
		"gemini/acp-session_request_permission-fetch":       "allow ",
		"gemini/acp-session_request_permission-other":       "allow ",
	} {
		decision := s.decide(t, callOf(t, tree, file+".json"))
		assert.Equal(t, want, decision.Effect.String()+" "+decision.Route.Select, "%s\n%+v\n%+v", file, decision.Reasons, decision.Items)
	}
}

// TestNothingIsForwardedThatIsNotServed is a property: whatever is asked, only a mode
// that serves lets a method of fs or terminal through, and each decision has one way.
func TestNothingIsForwardedThatIsNotServed(t *testing.T) {
	for _, mode := range []string{"block", "self_handle", "single_pass_through", "collaborative"} {
		h := withModes(t, fmt.Sprintf("fs: %s, terminal: %s", mode, mode))
		random := rand.New(rand.NewPCG(1, uint64(len(mode))))
		for range 60 {
			name, params := randomMethod(random, h)
			decision := h.method(t, name, params)
			if mode == "block" || mode == "single_pass_through" { // nobody is there
				assert.Equal(t, v1.EffectDeny, decision.Effect, "%s %s %v", mode, name, params)
			}
			if decision.Effect != v1.EffectDeny {
				assert.Equal(t, mode, decision.Route.Mode)
			}
			if decision.Effect == v1.EffectAllow && strings.Contains(fmt.Sprint(params), ".env") {
				assert.NotContains(t, []string{"fs/read_text_file", "fs/write_text_file"}, name, "%v", params)
			}
		}
		h.stop(t)
	}
}

func randomMethod(random *rand.Rand, h *host) (string, object) {
	pick := func(values ...any) any { return values[random.IntN(len(values))] }
	methods := []any{
		"fs/read_text_file", "fs/write_text_file", "fs/", "fs/x/y", "terminal/create", "terminal/output", "terminal/kill",
		"terminal/release", "terminal/resize",
	}
	params := object{}
	for _, name := range []string{"path", "command", "args", "env", "cwd", "terminalId", "content", "_meta", "sessionId"} {
		if random.IntN(2) == 0 {
			params[name] = pick(h.path("a.txt"), h.path(".env"), "ls", "rm -rf /", "", nil, 7, []any{"x", nil}, object{"name": "A"}, []any{object{"name": "A", "value": "b"}})
		}
	}
	name, _ := pick(methods...).(string)
	return name, params
}
