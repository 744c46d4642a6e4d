package gates_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gates"
)

// acpRig is a gate between a test's client and a test's agent. The program behind
// the gate only carries lines from and to the agent.
type acpRig struct {
	client, agent *end
	notes         *notes
	ended         chan ending
}

// end is one side of the gate, as a test writes and reads it.
type end struct {
	t   *testing.T
	out io.WriteCloser
	in  *bufio.Reader
}

func (e *end) send(lines ...string) {
	e.t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(e.out, line+"\n")
		require.NoError(e.t, err)
	}
}

func (e *end) next() string {
	e.t.Helper()
	got := make(chan string, 1)
	go func() {
		line, _ := e.in.ReadString('\n')
		got <- line
	}()
	select {
	case line := <-got:
		return strings.TrimSuffix(line, "\n")
	case <-time.After(patience):
		require.FailNow(e.t, "nothing comes")
		return ""
	}
}

func startACP(t *testing.T, sidecar *scripted, launcher ...string) *acpRig {
	t.Helper()
	r := &acpRig{notes: &notes{}, ended: make(chan ending, 1)}
	options := gates.ACPOptions{
		Client: sidecar, Session: v1.Session{ID: "a:run", Agent: "a"}, Hold: time.Minute, Note: r.notes.add,
		Launcher: launcher,
	}
	gate, err := gates.NewACP(options)
	require.NoError(t, err)
	dir := t.TempDir()
	fromAgent, toAgent := filepath.Join(dir, "out"), filepath.Join(dir, "in")
	for _, pipe := range []string{fromAgent, toAgent} {
		require.NoError(t, mkfifo(pipe))
	}
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	argv := []string{"sh", "-c", `cat <"$1" & cat >"$2"; wait; exit 7`, "sh", fromAgent, toAgent}
	go func() {
		code, err := gate.Run(t.Context(), argv, gates.Streams{Stdin: stdin, Stdout: stdout, Stderr: io.Discard})
		r.ended <- ending{code, err}
		_ = stdout.Close()
	}()
	says, err := os.OpenFile(fromAgent, os.O_WRONLY, 0)
	require.NoError(t, err)
	hears, err := os.Open(toAgent)
	require.NoError(t, err)
	r.client = &end{t, in, bufio.NewReader(out)}
	r.agent = &end{t, says, bufio.NewReader(hears)}
	t.Cleanup(func() { _ = in.Close(); _ = says.Close(); _ = out.Close(); _ = hears.Close() })
	return r
}

// open begins a session as a client does.
func (r *acpRig) open(id, cwd string) {
	r.client.send(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"` + cwd + `","mcpServers":[]}}`)
	r.agent.next()
	r.agent.send(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"` + id + `"}}`)
	r.client.next()
}

// end closes both sides.
func (r *acpRig) end(t *testing.T) {
	t.Helper()
	require.NoError(t, r.agent.out.Close())
	require.NoError(t, r.client.out.Close())
	go func() { _, _ = io.Copy(io.Discard, r.client.in) }()
	select {
	case e := <-r.ended:
		require.NoError(t, e.err)
		assert.Equal(t, 7, e.code)
	case <-time.After(patience):
		require.FailNow(t, "the gate does not end")
	}
}

// routed is a decision about a method.
func routed(effect v1.Effect, mode, peer, choose string) v1.Decision {
	decision := decided(effect, "because")
	decision.Route = v1.Route{Mode: mode, Peer: peer, Select: choose}
	if effect == v1.EffectDeny {
		decision.JSONRPCError = &v1.JSONRPCError{Code: -32001, Message: "no", Data: v1.JSONRPCErrorData{Namespace: "fs", Mode: mode, Reason: "r"}}
	}
	if effect == v1.EffectPrompt && mode != "" {
		decision.Prompt.State = v1.PromptDelegated
	}
	return decision
}

func routing(decision v1.Decision) func(*v1.Call) (v1.Decision, error) {
	return func(*v1.Call) (v1.Decision, error) { return decision, nil }
}

const read = `{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s1","path":"/p/a"}}`

const askPermission = `{"jsonrpc":"2.0","id":4,"method":"session/request_permission","params":{"sessionId":"s1",` +
	`"toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls"}},"options":[` +
	`{"optionId":"aa","kind":"allow_always","name":"Always"},{"optionId":"a1","kind":"allow_once","name":"Once"},` +
	`{"optionId":"ra","kind":"reject_always","name":"Never"},{"optionId":"r1","kind":"reject_once","name":"No"}]}}`

// P14, N2: what nobody decides passes as it is, both ways; sessions are those of
// the client, with its directories.
func TestACPPassesAsItIs(t *testing.T) {
	sidecar := &scripted{decide: routing(routed(v1.EffectAllow, "collaborative", "", ""))}
	r := startACP(t, sidecar)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc" : "2.0","method":"session/cancel","params":{"sessionId":"é"}}`, `{"id":9,"error":{"code":1,"message":"<x>"}}`, "",
	} {
		r.client.send(line)
		assert.Equal(t, line, r.agent.next())
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"x":["é"]}}}`,
		`{"id":1,"method":"_vendor/thing","params":[1,2.0]}`, `{"id":2,"method":"elicitation/create"}`, `{"id":0,"result":{"agentCapabilities":{}}}`,
	} {
		r.agent.send(line)
		assert.Equal(t, line, r.client.next())
	}
	assert.Empty(t, sidecar.calls)
	r.open("s1", "/p")
	assert.Equal(t, "/p", sidecar.sessions["a:run:s1"].ProjectDir)
	r.agent.send(read)
	identical(t, read, r.client.next())
	require.Len(t, sidecar.calls, 1)
	call := sidecar.calls[0]
	assert.Equal(t, "fs/read_text_file", call.Tool)
	assert.Equal(t, "acp", call.Protocol)
	assert.JSONEq(t, `{"sessionId":"s1","path":"/p/a"}`, string(call.Args))
	assert.Equal(t, "a:run:s1", call.Session.ID)
	r.end(t)
	assert.Equal(t, []string{"a:run:s1"}, sidecar.ended)
}

// N3: a blocked request is answered with the structured error and goes to nobody.
func TestACPBlockedRequestsAreAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		decide func(*v1.Call) (v1.Decision, error)
		want   string
	}{
		"blocked":          {routing(routed(v1.EffectDeny, "block", "", "")), `"code":-32001,"message":"no","data":{"namespace":"fs","mode":"block"`},
		"away":             {func(*v1.Call) (v1.Decision, error) { return v1.Decision{}, errors.New("refused") }, `"reason":"undecided"`},
		"to somebody else": {routing(routed(v1.EffectAllow, "single_pass_through", "other", "")), `"reason":"mode_not_served"`},
		"to nobody":        {routing(routed(v1.EffectAllow, "single_pass_through", "", "")), `"reason":"mode_not_served"`},
		"to the host":      {routing(routed(v1.EffectAllow, "self_handle", "", "")), `"mode":"self_handle","method":"fs/read_text_file","reason":"mode_not_served"`},
		"in no mode":       {routing(routed(v1.EffectAllow, "", "", "")), `"reason":"mode_not_served"`},
		"in a new mode":    {routing(routed(v1.EffectAllow, "later", "", "")), `"reason":"mode_not_served"`},
		"allowed, blocked": {routing(routed(v1.EffectAllow, "block", "", "")), `"reason":"mode_not_served"`},
		"not the client's": {routing(routed(v1.EffectPrompt, "collaborative", "", "")), `"reason":"approval_required"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := startACP(t, &scripted{decide: c.decide})
			r.open("s1", "/p")
			r.agent.send(read)
			answer := r.agent.next()
			assert.Contains(t, answer, `"id":0,"error":{`)
			assert.Contains(t, answer, c.want)
			r.agent.send(`{"method":"session/update"}`)
			assert.Contains(t, r.client.next(), "session/update", "nothing came before it")
			r.end(t)
		})
	}
}

// N1: what some client could take for a gated method is refused, and so is what
// names no session of the client.
func TestACPRefusesWhatIsNotExactlyARequest(t *testing.T) {
	sidecar := &scripted{decide: routing(routed(v1.EffectAllow, "collaborative", "", ""))}
	r := startACP(t, sidecar)
	r.open("s1", "/p")
	for _, line := range []string{
		`{"id":1,"method":"FS/read_text_file","params":{"sessionId":"s1"}}`, `{"id":1,"method":" fs/read_text_file","params":{"sessionId":"s1"}}`,
		`{"id":1,"method":"/fs/x","params":{"sessionId":"s1"}}`, `{"id":1,"method":"fs","params":{"sessionId":"s1"}}`,
		`{"id":1,"method":"Terminal/create","params":{"sessionId":"s1"}}`, `{"id":1,"method":"session/requestPermission","params":{"sessionId":"s1"}}`,
		`{"id":1,"method":"_x","Method":"fs/read_text_file"}`, `{"id":1,"method":"_x","method":"fs/read_text_file"}`,
		`[{"id":1,"method":"fs/read_text_file","params":{"sessionId":"s1"}}]`, `{"id":1,"method":"fs/read_text_file"`,
		`{"id":1,"method":"fs/read_text_file","params":{"sessionId":"other"}}`, `{"id":1,"method":"fs/read_text_file","params":{}}`,
		`{"id":1,"method":"fs/read_text_file","params":["s1"]}`, `{"id":1,"method":"fs/read_text_file"}`,
		`{"id":1,"method":"fs/read_text_file","params":{"sessionId":["s1"]}}`, `{"id":1,"method":"fs/read_text_file","params":{"SessionId":"s1"}}`,
	} {
		r.agent.send(line)
		assert.Contains(t, r.agent.next(), `"error":{`, line)
	}
	r.agent.send(`{"method":"fs/write_text_file","params":{"sessionId":"s1"}}`, `{"method":"session/update"}`)
	assert.Contains(t, r.client.next(), "session/update")
	assert.Empty(t, sidecar.calls)
	r.end(t)
}

// N8: the gate answers where policy is certain, never with an answer that lasts,
// and leaves the rest to the client's person.
func TestACPAnswersForThePerson(t *testing.T) {
	without := func(kind string) string {
		return strings.ReplaceAll(askPermission, `"kind":"`+kind+`"`, `"kind":"other"`)
	}
	for name, c := range map[string]struct {
		decide  func(*v1.Call) (v1.Decision, error)
		line    string
		outcome string // empty if the client is asked
	}{
		"certain":             {routing(routed(v1.EffectAllow, "collaborative", "", "allow_once")), askPermission, `{"outcome":"selected","optionId":"a1"}`},
		"certain, no option":  {routing(routed(v1.EffectAllow, "collaborative", "", "allow_once")), without("allow_once"), ""},
		"nothing is known":    {routing(routed(v1.EffectAllow, "collaborative", "", "")), askPermission, ""},
		"a lasting selection": {routing(routed(v1.EffectAllow, "collaborative", "", "allow_always")), askPermission, ""},
		"asks":                {routing(routed(v1.EffectPrompt, "collaborative", "", "")), askPermission, ""},
		"denied":              {routing(routed(v1.EffectDeny, "block", "", "reject_once")), askPermission, `{"outcome":"selected","optionId":"r1"}`},
		"denied, no option":   {routing(routed(v1.EffectDeny, "block", "", "reject_once")), without("reject_once"), `{"outcome":"cancelled"}`},
		"self_handle":         {routing(routed(v1.EffectAllow, "self_handle", "", "allow_once")), askPermission, `{"outcome":"selected","optionId":"r1"}`},
		"asks, blocked":       {routing(routed(v1.EffectPrompt, "block", "", "")), askPermission, `{"outcome":"selected","optionId":"r1"}`},
		"away":                {func(*v1.Call) (v1.Decision, error) { return v1.Decision{}, errors.New("refused") }, askPermission, `{"outcome":"selected","optionId":"r1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := startACP(t, &scripted{decide: c.decide})
			r.open("s1", "/p")
			r.agent.send(c.line)
			if c.outcome == "" {
				assert.Equal(t, c.line, r.client.next())
			} else {
				assert.JSONEq(t, `{"jsonrpc":"2.0","id":4,"result":{"outcome":`+c.outcome+`}}`, r.agent.next())
			}
			r.end(t)
		})
	}
}

// A9: a request that prompts waits, and later ones do not.
func TestACPHeldRequestsWaitAlone(t *testing.T) {
	sidecar := &scripted{answers: make(chan v1.Prompt)}
	pending := decided(v1.EffectPrompt, "asks")
	sidecar.decide = func(*v1.Call) (v1.Decision, error) {
		if len(sidecar.calls)%2 == 0 {
			return routed(v1.EffectAllow, "collaborative", "", ""), nil
		}
		return pending, nil
	}
	r := startACP(t, sidecar)
	r.open("s1", "/p")
	r.agent.send(read, `{"method":"session/update"}`)
	assert.Contains(t, r.client.next(), "session/update")
	sidecar.answers <- v1.Prompt{State: v1.PromptAnswered, Answer: &v1.PromptAnswer{Decision: v1.EffectAllow}}
	identical(t, read, r.client.next())
	r.agent.send(read)
	sidecar.answers <- v1.Prompt{State: v1.PromptAnswered, Answer: &v1.PromptAnswer{Decision: v1.EffectDeny, By: "ada"}}
	assert.Contains(t, r.agent.next(), "ada said no")
	r.agent.send(`{"method":"session/update"}`)
	assert.Contains(t, r.client.next(), "session/update")
	r.end(t)
}

// N3: the agent gets the client's capabilities that the policy serves, and none if the policy is unreachable.
// Capabilities that the policy doesn't know stay.
func TestACPAdvertisesWhatIsServed(t *testing.T) {
	hello := func(capabilities string) string {
		return `{"jsonrpc":"2.0", "id":0,"method":"initialize","params":{"protocolVersion":1, "clientCapabilities":` + capabilities + `,"_meta":{"x":"é"}}}`
	}
	all := `{"fs":{"readTextFile":true, "writeTextFile":true,"_meta":{}},"terminal":true,"auth":{"terminal":true}}`
	for name, c := range map[string]struct{ served, said, want string }{
		"all":           {`{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}`, all, all},
		"reading":       {`{"fs":{"readTextFile":true,"writeTextFile":false},"terminal":false}`, all, `{"fs":{"readTextFile":true, "writeTextFile":false,"_meta":{}},"terminal":false,"auth":{"terminal":true}}`},
		"none":          {`{"fs":{},"terminal":false}`, all, `{"fs":{"readTextFile":false, "writeTextFile":false,"_meta":{}},"terminal":false,"auth":{"terminal":true}}`},
		"away":          {"", all, `{"fs":{"readTextFile":false, "writeTextFile":false,"_meta":{}},"terminal":false,"auth":{"terminal":true}}`},
		"the client's":  {`{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}`, `{"fs":{"readTextFile":false}}`, `{"fs":{"readTextFile":false}}`},
		"in other case": {"", `{"FS":{"ReadTextFile":true}}`, `{"FS":{"ReadTextFile":false}}`},
		"no object":     {"", `{"fs":true}`, `{"fs":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			sidecar := &scripted{capabilities: c.served}
			r := startACP(t, sidecar)
			r.client.send(hello(c.said))
			assert.Equal(t, hello(c.want), r.agent.next())
			r.end(t)
		})
	}
	sidecar := &scripted{capabilities: `{"fs":{"readTextFile":true}}`}
	r := startACP(t, sidecar)
	r.client.send(hello(`{"fs":{"readTextFile":true},"terminal":true}`))
	r.agent.next()
	r.open("s1", "/p")
	assert.Equal(t, []v1.Peer{{ID: "client", Capabilities: []string{"fs/read_text_file", "terminal"}}}, sidecar.sessions["a:run:s1"].Peers)
	r.end(t)
}

// N5: policyd gets a terminal's name before the agent does.
func TestACPReportsTerminals(t *testing.T) {
	sidecar := &scripted{decide: routing(routed(v1.EffectAllow, "collaborative", "", ""))}
	r := startACP(t, sidecar)
	r.open("s1", "/p")
	create := `{"id":7,"method":"terminal/create","params":{"sessionId":"s1","command":"ls"}}`
	r.agent.send(create)
	assert.Equal(t, create, r.client.next())
	r.agent.send(create)
	assert.Contains(t, r.agent.next(), "another request has the same id")
	r.client.send(`{"id":7,"result":{"terminalId":"t1"}}`)
	assert.Contains(t, r.agent.next(), "t1")
	require.Len(t, sidecar.reports, 1)
	assert.JSONEq(t, `{"terminal_id":"t1","decision_id":"d-1","peer":"client"}`, sidecar.reports[0])
	r.client.send(`{"id":7,"result":{"terminalId":"t2"}}`)
	assert.Contains(t, r.agent.next(), "t2")
	assert.Len(t, sidecar.reports, 1, "an answer counts once")
	r.end(t)
}

// P14: the client names the directory, and the agent the id. An id that comes
// again stays the session that it was.
func TestACPSessionsAreTheClients(t *testing.T) {
	sidecar := &scripted{decide: routing(routed(v1.EffectAllow, "collaborative", "", "")), refuse: map[string]string{"/etc": "sensitive_root"}}
	r := startACP(t, sidecar)
	r.open("s1", "/p")
	r.open("s1", "/q")
	assert.Equal(t, "/p", sidecar.sessions["a:run:s1"].ProjectDir)
	r.agent.send(`{"id":"zz","result":{"sessionId":"s9"}}`)
	r.client.next()
	assert.NotContains(t, sidecar.sessions, "a:run:s9", "nobody asked for it")
	r.open("s2", "/etc")
	assert.Empty(t, sidecar.sessions["a:run:s2"].ProjectDir, "a sensitive directory is no project")
	r.open("s3", "relative")
	assert.Empty(t, sidecar.sessions["a:run:s3"].ProjectDir)
	r.client.send(`{"id":5,"method":"session/load","params":{"sessionId":"s4","cwd":"/r","mcpServers":[]}}`)
	r.agent.next()
	assert.Equal(t, "/r", sidecar.sessions["a:run:s4"].ProjectDir, "before the agent answers")
	odd := strings.Repeat("x/ ", 100)
	r.open(odd, "/p")
	for id := range sidecar.sessions {
		assert.LessOrEqual(t, len(id), 128)
		assert.NotContains(t, id, "/")
	}
	assert.Len(t, sidecar.sessions, 5)
	r.client.send(`{"id":6,"method":"session/close","params":{"sessionId":"s4"}}`)
	r.agent.next()
	assert.Equal(t, []string{"a:run:s4"}, sidecar.ended)
	r.agent.send(strings.ReplaceAll(read, "s1", "s4"))
	assert.Contains(t, r.agent.next(), "session_unknown")
	r.end(t)
	assert.Len(t, sidecar.ended, 5)
}

// The messages that real agents sent are gated.
func TestACPRecordedMessagesAreGated(t *testing.T) {
	files, err := filepath.Glob("../../test/testdata/fixtures/*/acp-*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var message struct {
				Method string `json:"method"`
				Params struct {
					SessionID string `json:"sessionId"`
				} `json:"params"`
			}
			require.NoError(t, json.Unmarshal(text, &message))
			require.NotEmpty(t, message.Params.SessionID)
			line := strings.ReplaceAll(string(text), "\n", "")
			sidecar := &scripted{decide: routing(routed(v1.EffectDeny, "block", "", "reject_once"))}
			r := startACP(t, sidecar)
			r.open(message.Params.SessionID, "/home/dev/proj")
			r.agent.send(line)
			answer := r.agent.next()
			if message.Method == "session/request_permission" {
				assert.Contains(t, answer, `"outcome":"selected"`)
				assert.NotContains(t, answer, "always")
			} else {
				assert.Contains(t, answer, `"error":{"code":-32001`)
			}
			require.Len(t, sidecar.calls, 1)
			assert.Equal(t, message.Method, sidecar.calls[0].Tool)
			sidecar.decide = routing(routed(v1.EffectAllow, "collaborative", "", ""))
			r.agent.send(line)
			assert.Equal(t, line, r.client.next())
			r.end(t)
		})
	}
}

// TestACPObligationsHoldOrNothingPasses: what must run contained is started by the launcher, and no
// request passes whose obligation the gate can't have fulfilled.
func TestACPObligationsHoldOrNothingPasses(t *testing.T) {
	obliged := routed(v1.EffectAllow, "collaborative", "", "allow_once")
	obliged.Obligations = []v1.Obligation{{Kind: v1.ObligationContain, Profile: v1.ProfileReadOnly}}
	obliged.Run = []string{"policyd", "run", "--decision", "d-1", "--", "ls"}
	create := `{"jsonrpc":"2.0","params":{ "_meta":{"x":[1, 2]},"command":"ls","Command":"id","args":["<a>"],"env":[],"outputByteLimit":7, "sessionId":"s1","cwd":"/p","later":1} ,"method":"terminal/create", "id":7}`
	sidecar := &scripted{decide: routing(obliged)}
	r := startACP(t, sidecar, "/bin/policyd-hook", "run", "--socket", "/s")
	r.open("s1", "/p")
	r.agent.send(create)
	identical(t, `{"jsonrpc":"2.0","params":{"command":"/bin/policyd-hook","args":["run","--socket","/s","--decision","d-1","--as-decided"],"_meta":{"x":[1, 2]},`+
		`"outputByteLimit":7,"sessionId":"s1","cwd":"/p"} ,"method":"terminal/create", "id":7}`, r.client.next())
	assert.Equal(t, []string{v1.ObligationContain}, sidecar.calls[0].Session.Enforces)
	for _, line := range []string{read, askPermission} {
		r.agent.send(line)
		answer := r.agent.next()
		assert.Regexp(t, `"reason":"undecided"|"optionId":"r1"`, answer, line)
		assert.Empty(t, sidecar.calls[len(sidecar.calls)-1].Session.Enforces)
	}
	r.end(t)

	r = startACP(t, &scripted{decide: routing(obliged)})
	r.open("s1", "/p")
	r.agent.send(create)
	assert.Contains(t, r.agent.next(), "obliges to what this call's caller doesn't do")
	r.end(t)
}
