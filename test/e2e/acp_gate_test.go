package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
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

// TestACPGateDefaults checks N2, N3 and N8 with the real program: nothing is advertised, files and terminals
// are blocked, and what is certain is answered.
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

// TestACPGateForwards checks N5 and S2: what is served goes to the client, a secret doesn't, and a terminal
// belongs to the session that made it.
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

// asClient starts what a client was asked for, as a program or, as some clients do, by handing the
// words to a shell.
func (d *dialogue) asClient(t *testing.T, line string, byShell bool) (output string, status int) {
	t.Helper()
	var asked struct {
		Params struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Env     []object `json:"env"`
			Cwd     string   `json:"cwd"`
		} `json:"params"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &asked), line)
	words := append([]string{asked.Params.Command}, asked.Params.Args...)
	if byShell {
		words = []string{"bash", "-c", strings.Join(words, " ")}
	}
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Dir, command.Env = d.tree.Project, environment(d.home)
	if asked.Params.Cwd != "" {
		command.Dir = asked.Params.Cwd
	}
	for _, variable := range asked.Params.Env {
		command.Env = append(command.Env, fmt.Sprint(variable["name"], "=", variable["value"]))
	}
	text, _ := command.CombinedOutput() // the exit status says it
	return string(text), command.ProcessState.ExitCode()
}

// TestACPGateRunsContained: what an agent has its client run is run contained where policy obliges
// to it, and everything else passes as it came.
func TestACPGateRunsContained(t *testing.T) {
	containing(t) // skips if nothing can be contained
	d := dialogueWith(t, "terminal: single_pass_through", "--contain")
	require.Eventually(t, func() bool {
		return strings.Contains(get(t, d.url+"/readyz?verbose"), `"contain/project","ok":true`)
	}, patience, 10*time.Millisecond)
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientCapabilities":{"terminal":true}}}`
	d.gate.send(t, hello+"\n")
	d.agentHears(t)
	d.open(t, "s1")
	id := 10
	create := func(params object) (sent, passed string) {
		id++
		params["sessionId"] = "s1"
		sent = acpRequest(id, "terminal/create", params)
		d.agentSays(t, sent)
		passed = strings.TrimSuffix(d.gate.next(t), "\n")
		d.gate.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"terminalId":"t%d"}}`+"\n", id, id))
		assert.Contains(t, d.agentHears(t), fmt.Sprintf(`"t%d"`, id))
		return sent, passed
	}
	require.NoError(t, os.WriteFile(filepath.Join(d.tree.Project, "say.sh"), []byte(`echo "$1" > said; cat said .env`), 0o600))
	src := filepath.Join(d.tree.Project, "src")
	for name, c := range map[string]struct {
		params object
		want   string
		status int
	}{
		"a program that reads":     {object{"command": "cat", "args": []string{"README.md"}}, "#", 0},
		"a line that reads":        {object{"command": "cat README.md | head -1; exit 4"}, "#", 4},
		"what nobody knows":        {object{"command": "perl", "args": []string{"-e", `print "a  b\n$ENV{GREETING} \"$0\"\n"; exit 3`}, "env": []object{{"name": "GREETING", "value": "it's \"me\""}}}, "a  b\nit's \"me\" \"-e\"\n", 3},
		"what would write":         {object{"command": "perl", "args": []string{"-e", `open(F, ">", "made") or exit 9`}}, "policyd: contained: write to ", 9},
		"a script of the project":  {object{"command": "bash", "args": []string{"say.sh", "it's\n here"}}, "it's\n here\n", 0},
		"in a directory of itself": {object{"command": "perl", "args": []string{"-MCwd", "-e", "print getcwd"}, "cwd": src, "outputByteLimit": 5000}, src, 0},
		"by a shell of the client": {object{"command": `perl -e 'print "<", join("|", @ARGV), ">\n"' "x  y" '$HOME'`, "_meta": object{"byShell": true}}, "<x  y|$HOME>\n", 0},
	} {
		sent, passed := create(c.params)
		assert.NotEqualf(t, sent, passed, name)
		assert.Containsf(t, passed, `"--as-decided"]`, name)
		assert.Containsf(t, passed, `"sessionId":"s1"`, name)
		assert.NotContainsf(t, passed, `"env"`, name)
		output, status := d.asClient(t, passed, c.params["_meta"] != nil)
		assert.Containsf(t, output, c.want, name)
		assert.Equalf(t, c.status, status, "%s: %s", name, output)
		output, status = d.asClient(t, passed, false)
		assert.Equalf(t, 126, status, name)
		assert.Containsf(t, output, "run_spent", name)
	}
	assert.NoFileExists(t, filepath.Join(d.tree.Project, "made"))
	assert.FileExists(t, filepath.Join(d.tree.Project, "said"))

	// What was refused is a question the next time; what needs more than a contained run has, and
	// what names its program in two ways, is the peer's to judge, as without --contain.
	for _, params := range []object{
		{"command": "curl", "args": []string{"https://example.com"}},
		{"command": "ls -l", "args": []string{"x"}},
		{"command": "rm", "args": []string{"made"}},
	} {
		sent, passed := create(params)
		assert.Equal(t, sent, passed)
	}
	d.agentSays(t, wantsToRun(2, "git status"))
	assert.Contains(t, d.agentHears(t), outcomeOf("once"), "the agent runs it by itself")
	assert.Empty(t, d.lastRecord(t).Result.Obligations)
	d.closed(t)
}
