package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// dialogue is an ACP gate between a test's client and a test's agent.
type dialogue struct {
	gate *stand
	*server
	tree  project.Tree
	says  io.WriteCloser
	hears *bufio.Reader
}

// dialogueWith starts a server with these namespaces and a gate before an agent
// whose lines come from the test.
func dialogueWith(t *testing.T, namespaces string, flags ...string) *dialogue {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("namespaces: {"+namespaces+"}\n"), 0o600))
	d := &dialogue{tree: newTree(t), server: startServer(t, "--config", settings)}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	require.NoError(t, syscall.Mkfifo(from, 0o600))
	require.NoError(t, syscall.Mkfifo(to, 0o600))
	arguments := slices.Concat([]string{"acp", "--agent", "opencode"}, flags, []string{
		"--", "sh", "-c", `cat <"$1" & cat >"$2"; wait; exit 7`, "sh", from, to,
	})
	d.gate = d.stand(t, dir, arguments...)
	says, err := os.OpenFile(from, os.O_WRONLY, 0)
	require.NoError(t, err)
	hears, err := os.Open(to)
	require.NoError(t, err)
	d.says, d.hears = says, bufio.NewReader(hears)
	t.Cleanup(func() { _ = says.Close(); _ = hears.Close() })
	return d
}

// agentSays sends a line as the agent.
func (d *dialogue) agentSays(t *testing.T, line string) {
	t.Helper()
	_, err := io.WriteString(d.says, line+"\n")
	require.NoError(t, err)
}

// agentHears is the next line that the agent gets.
func (d *dialogue) agentHears(t *testing.T) string {
	t.Helper()
	watchdog := time.AfterFunc(patience, func() { _ = d.gate.command.Process.Kill() })
	defer watchdog.Stop()
	line, err := d.hears.ReadString('\n')
	require.NoErrorf(t, err, "%s", d.gate.stderr)
	return strings.TrimSuffix(line, "\n")
}

// open begins a session in the project, and returns its id at policyd.
func (d *dialogue) open(t *testing.T, id string) string {
	t.Helper()
	d.gate.send(t, `{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":"`+d.tree.Project+`","mcpServers":[]}}`+"\n")
	d.agentHears(t)
	d.agentSays(t, `{"jsonrpc":"2.0","id":"new","result":{"sessionId":"`+id+`"}}`)
	d.gate.next(t)
	list := must[v1.SessionList](t, http.StatusOK, d.as(t, "operator", http.MethodGet, "/v1/sessions", nil))
	for i := range list.Sessions {
		if strings.HasSuffix(list.Sessions[i].ID, ":"+id) {
			assert.Equal(t, d.tree.Project, list.Sessions[i].ProjectDir)
			return list.Sessions[i].ID
		}
	}
	require.FailNow(t, "the session isn't registered")
	return ""
}

// closed ends both sides.
func (d *dialogue) closed(t *testing.T) {
	t.Helper()
	require.NoError(t, d.says.Close())
	code, _ := d.gate.end(t)
	assert.Equal(t, 7, code, "the agent's status")
}

func acpRequest(id int, method string, params object) string {
	text, err := json.Marshal(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// wantsToRun is OpenCode's request for permission to run a command.
func wantsToRun(id int, command string) string {
	return acpRequest(id, "session/request_permission", object{
		"sessionId": "s1",
		"toolCall":  object{"toolCallId": "c", "status": "pending", "title": command, "kind": "execute", "rawInput": object{"command": command}},
		"options": []object{
			{"optionId": "always", "kind": "allow_always", "name": "Always"},
			{"optionId": "once", "kind": "allow_once", "name": "Once"},
			{"optionId": "reject", "kind": "reject_once", "name": "No"},
		},
	})
}

func outcomeOf(option string) string {
	return fmt.Sprintf(`"result":{"outcome":{"outcome":"selected","optionId":%q}}`, option)
}

// TestACPGateDefaults holds N2, N3 and N8 with the real program: nothing is
// advertised, files and terminals are blocked, and what is certain is answered.
func TestACPGateDefaults(t *testing.T) {
	d := dialogueWith(t, "")
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":%v,"writeTextFile":%v},"terminal":%v}}}`
	d.gate.send(t, fmt.Sprintf(hello, true, true, true)+"\n")
	assert.Equal(t, fmt.Sprintf(hello, false, false, false), d.agentHears(t))
	id := d.open(t, "s1")
	for _, method := range []string{"fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output", "fs/later"} {
		d.agentSays(t, acpRequest(1, method, object{"sessionId": "s1", "path": filepath.Join(d.tree.Project, "README.md")}))
		answer := d.agentHears(t)
		assert.Contains(t, answer, `"code":-32001`, method)
		assert.Contains(t, answer, `"mode":"block"`, method)
		assert.Contains(t, answer, `"reason":"namespace_blocked"`, method)
	}
	d.agentSays(t, wantsToRun(2, "git status"))
	assert.Contains(t, d.agentHears(t), outcomeOf("once"))
	assert.Equal(t, "git status", d.lastRecord(t).Input.Verbs[0])
	d.agentSays(t, wantsToRun(3, "cat .env"))
	assert.Contains(t, d.agentHears(t), outcomeOf("reject"))
	push := wantsToRun(4, "git push")
	d.agentSays(t, push)
	assert.Equal(t, push+"\n", d.gate.next(t), "the client's person is asked")
	d.gate.send(t, `{"jsonrpc":"2.0","id":4,`+outcomeOf("once")+"}\n")
	assert.Contains(t, d.agentHears(t), outcomeOf("once"))
	list := must[v1.PromptList](t, http.StatusOK, d.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending", nil))
	assert.Empty(t, list.Prompts, "nobody is asked twice")
	d.closed(t)
	info := must[v1.SessionInfo](t, http.StatusOK, d.as(t, "operator", http.MethodGet, sessionPath(id), nil))
	assert.Equal(t, v1.SessionArchived, info.State)
}

// TestACPGateForwards holds N5 and S2: what is served goes to the client, a
// secret doesn't, and a terminal belongs to the session that made it.
func TestACPGateForwards(t *testing.T) {
	d := dialogueWith(t, "fs: single_pass_through, terminal: single_pass_through")
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientCapabilities":{"fs":{"readTextFile":true},"terminal":true}}}`
	d.gate.send(t, hello+"\n")
	assert.Equal(t, hello, d.agentHears(t))
	d.open(t, "s1")
	d.open(t, "s2")
	in := func(session, method string, params object) string {
		params["sessionId"] = session
		return acpRequest(5, method, params)
	}
	readme := in("s1", "fs/read_text_file", object{"path": filepath.Join(d.tree.Project, "README.md")})
	d.agentSays(t, readme)
	assert.Equal(t, readme+"\n", d.gate.next(t))
	d.agentSays(t, in("s1", "fs/read_text_file", object{"path": filepath.Join(d.tree.Project, ".env")}))
	assert.Contains(t, d.agentHears(t), "secret")
	d.agentSays(t, in("s1", "fs/write_text_file", object{"path": filepath.Join(d.tree.Project, "x"), "content": "y"}))
	assert.Contains(t, d.agentHears(t), "no_capable_peer", "this client can't")

	create := in("s1", "terminal/create", object{"command": "ls"})
	d.agentSays(t, create)
	assert.Equal(t, create+"\n", d.gate.next(t))
	d.gate.send(t, `{"jsonrpc":"2.0","id":5,"result":{"terminalId":"t1"}}`+"\n")
	assert.Contains(t, d.agentHears(t), "t1")
	output := in("s1", "terminal/output", object{"terminalId": "t1"})
	d.agentSays(t, output)
	assert.Equal(t, output+"\n", d.gate.next(t))
	d.agentSays(t, in("s2", "terminal/output", object{"terminalId": "t1"}))
	assert.Contains(t, d.agentHears(t), "terminal_unknown", "another session's")
	d.agentSays(t, in("s1", "terminal/kill", object{"terminalId": "t2"}))
	assert.Contains(t, d.agentHears(t), "terminal_unknown")

	d.kill(t)
	d.agentSays(t, readme)
	assert.Contains(t, d.agentHears(t), `"reason":"undecided"`)
	d.agentSays(t, wantsToRun(6, "git status"))
	assert.Contains(t, d.agentHears(t), outcomeOf("reject"))
	d.closed(t)
}

// N6, N7: a mode that the gate would have to serve itself forwards nothing.
func TestACPGateServesNothingItself(t *testing.T) {
	d := dialogueWith(t, "fs: self_handle")
	d.open(t, "s1")
	d.agentSays(t, acpRequest(1, "fs/read_text_file", object{"sessionId": "s1", "path": filepath.Join(d.tree.Project, "README.md")}))
	answer := d.agentHears(t)
	assert.Contains(t, answer, `"mode":"self_handle"`)
	assert.Contains(t, answer, `"reason":"mode_not_served"`)
	d.closed(t)
}
