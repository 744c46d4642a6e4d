package e2e

import (
	"bufio"
	"bytes"
	"crypto/sha256"
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
)

// stand is a test program between a test and a program that it starts.
type stand struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  *output
}

// stand starts `policyd <arguments>` in front of a server.
func (s *server) stand(t *testing.T, dir string, arguments ...string) *stand {
	t.Helper()
	return s.standWith(t, dir, nil, arguments...)
}

func (s *server) standWith(t *testing.T, dir string, env []string, arguments ...string) *stand {
	t.Helper()
	// Flags of ours end where the other program's begin.
	command := exec.Command(program, append([]string{arguments[0], "--state-dir", s.stateDir}, arguments[1:]...)...)
	command.Dir, command.Env = dir, append(environment(s.home), env...)
	g := &stand{command: command, stderr: &output{}}
	command.Stderr = g.stderr
	var err error
	g.in, err = command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	g.out = bufio.NewReaderSize(out, 1<<20)
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() })
	return g
}

func (g *stand) send(t *testing.T, lines ...string) {
	t.Helper()
	_, err := io.WriteString(g.in, strings.Join(lines, ""))
	require.NoErrorf(t, err, "%s", g.stderr)
}

func (g *stand) next(t *testing.T) string {
	t.Helper()
	watchdog := time.AfterFunc(patience, func() { _ = g.command.Process.Kill() })
	defer watchdog.Stop()
	line, err := g.out.ReadString('\n')
	require.NoErrorf(t, err, "%s", g.stderr)
	return line
}

// end closes the host's side and returns the exit status and what was left to read.
func (g *stand) end(t *testing.T) (int, string) {
	t.Helper()
	watchdog := time.AfterFunc(patience, func() { _ = g.command.Process.Kill() })
	defer watchdog.Stop()
	require.NoError(t, g.in.Close())
	rest, err := io.ReadAll(g.out)
	require.NoError(t, err)
	_ = g.command.Wait()
	return g.command.ProcessState.ExitCode(), string(rest)
}

// echo starts an MCP gate before a server that keeps what it gets and sends it back.
func (s *server) echo(t *testing.T, dir string, flags ...string) (gate *stand, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	arguments := slices.Concat([]string{"mcp", "--name", "srv"}, flags, []string{"--", "sh", "-c", `tee "$1"; exit 7`, "sh", log})
	return s.stand(t, dir, arguments...), log
}

func toolCall(id any, name string, arguments map[string]any) string {
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments},
	})
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// TestMCPGate checks V12 for a server's tools: an approved tool reaches the server, a secret doesn't, and
// what nothing covers waits for a person.
func TestMCPGate(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.cli(t, "approvals trust-verb mcp:srv/read_file --tool mcp")
	g, log := s.echo(t, tree.Project)

	readme := toolCall(1, "read_file", map[string]any{"path": filepath.Join(tree.Project, "README.md")})
	g.send(t, readme)
	assert.Equal(t, readme, g.next(t))
	g.send(t, toolCall("two", "read_file", map[string]any{"path": filepath.Join(tree.Project, ".env")}))
	denied := g.next(t)
	assert.Contains(t, denied, `"id":"two"`)
	assert.Contains(t, denied, `"isError":true`)
	assert.Contains(t, denied, "secret")
	outside := toolCall(3, "read_file", map[string]any{"path": filepath.Join(tree.Other, "secret.txt")})
	g.send(t, outside)
	asked := s.pendingTool(t, "mcp__srv__read_file")
	assert.Equal(t, tree.Project, asked.Call.Cwd)
	s.reply(t, asked, v1.ChoiceOnce)
	assert.Equal(t, outside, g.next(t), "after a person's yes")
	write := toolCall(4, "write_file", map[string]any{"path": "x", "content": "y"})
	g.send(t, write)
	s.reply(t, s.pendingTool(t, "mcp__srv__write_file"), v1.ChoiceDeny)
	assert.Contains(t, g.next(t), "said no")

	sessions := must[v1.SessionList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/sessions", nil))
	require.Len(t, sessions.Sessions, 1)
	assert.Equal(t, "mcp-gate", sessions.Sessions[0].Agent)
	assert.Equal(t, tree.Project, sessions.Sessions[0].ProjectDir)
	record := s.lastRecord(t)
	assert.Equal(t, "mcp:srv/write_file", record.Input.Items[0].Verb)
	code, rest := g.end(t)
	assert.Equal(t, 7, code, "the server's status")
	assert.Empty(t, rest)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, readme+outside, string(text))
	info := must[v1.SessionInfo](t, http.StatusOK, s.as(t, "operator", http.MethodGet, sessionPath(sessions.Sessions[0].ID), nil))
	assert.Equal(t, v1.SessionArchived, info.State, "the session ends with the gate")
}

// pendingTool waits until a question about a tool is open.
func (s *server) pendingTool(t *testing.T, tool string) *v1.Prompt {
	t.Helper()
	var found *v1.Prompt
	require.Eventually(t, func() bool {
		list := must[v1.PromptList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending", nil))
		for i := range list.Prompts {
			if list.Prompts[i].Call.Tool == tool {
				found = &list.Prompts[i]
			}
		}
		return found != nil
	}, patience, time.Millisecond)
	return found
}

// The sidecar may go and come back: meanwhile nothing is allowed.
func TestMCPGateWithoutASidecar(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.cli(t, "approvals trust-verb mcp:srv/read_file --tool mcp")
	g, log := s.echo(t, tree.Project)
	readme := toolCall(1, "read_file", map[string]any{"path": "README.md"})
	g.send(t, readme)
	assert.Equal(t, readme, g.next(t))
	s.kill(t)
	for range 2 {
		g.send(t, readme)
		answer := g.next(t)
		assert.Contains(t, answer, `"isError":true`)
		assert.Contains(t, answer, "can't be reached")
	}
	g.send(t, `{"id":2,"method":"ping"}`+"\n")
	assert.Contains(t, g.next(t), "ping")
	next := *s
	next.start(t)
	g.send(t, readme)
	assert.Equal(t, readme, g.next(t), "the session is still there")
	code, _ := g.end(t)
	assert.Equal(t, 7, code)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(text), "tools/call"))
}

// Either side may be killed: the other one ends.
func TestMCPGateEndsWithEitherSide(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	started := filepath.Join(t.TempDir(), "pid")
	script := `echo $$ > "$1.tmp" && mv "$1.tmp" "$1"; exec cat`
	run := func() (*stand, int) {
		g := s.stand(t, tree.Project, "mcp", "--name", "srv", "--", "sh", "-c", script, "sh", started)
		pid := 0
		require.Eventually(t, func() bool {
			text, err := os.ReadFile(started)
			if err != nil {
				return false
			}
			_, err = fmt.Sscan(string(text), &pid)
			return err == nil
		}, patience, time.Millisecond)
		require.NoError(t, os.Remove(started))
		return g, pid
	}
	gone := func(pid int) {
		require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, patience, time.Millisecond, "the server ends")
	}
	g, pid := run()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	_, err := g.out.ReadString('\n')
	require.ErrorIs(t, err, io.EOF)
	_ = g.command.Wait()
	assert.Equal(t, 128+9, g.command.ProcessState.ExitCode())

	g, pid = run()
	require.NoError(t, g.command.Process.Kill())
	gone(pid)

	g, pid = run()
	require.NoError(t, g.command.Process.Signal(syscall.SIGTERM))
	_ = g.command.Wait()
	gone(pid)
	assert.Equal(t, 128+15, g.command.ProcessState.ExitCode())
}

// TestMCPGateKeepsEveryMessage sends 100,000 messages, some of which call tools: none is lost, none is moved,
// and each byte is unchanged.
func TestMCPGateKeepsEveryMessage(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it sends 100,000 messages")
	}
	tree := newTree(t)
	s := startServer(t)
	s.cli(t, "approvals trust-verb mcp:srv/read_file --tool mcp")
	g, log := s.echo(t, tree.Project)
	const count, every = 100_000, 500
	sent := sha256.New()
	failed := make(chan error, 1)
	go func() {
		buffer := bufio.NewWriter(io.MultiWriter(g.in, sent))
		for i := range count {
			line := fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"resources/list\",\"params\":{\"cursor\":\"é <%d>\"}}\r\n", i, i)
			if i%every == 0 {
				line = toolCall(i, "read_file", map[string]any{"path": "README.md"})
			}
			if _, err := buffer.WriteString(line); err != nil {
				failed <- err
				return
			}
		}
		failed <- buffer.Flush()
	}()
	got := sha256.New()
	for i := range count {
		line := g.next(t)
		_, _ = io.WriteString(got, line)
		if i%10_000 == 0 {
			require.Contains(t, line, fmt.Sprintf(`"id":%d,`, i), "order is kept")
		}
	}
	require.NoError(t, <-failed)
	assert.Equal(t, sent.Sum(nil), got.Sum(nil))
	code, rest := g.end(t)
	assert.Equal(t, 7, code)
	assert.Empty(t, rest)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, count, bytes.Count(text, []byte{'\n'}))
	sum := sha256.Sum256(text)
	assert.Equal(t, sent.Sum(nil), sum[:], "what the server got")
}

func TestMCPGateBadUsage(t *testing.T) {
	s := startServer(t)
	for hint, arguments := range map[string][]string{
		"after --":             {"mcp"},
		"another name":         {"mcp", "--name", "a__b", "--", "cat"},
		"0 to 10m":             {"mcp", "--hold", "11m", "--", "cat"},
		"leave it out":         {"mcp", "--audience", "everybody", "--", "cat"},
		"a directory that is":  {"mcp", "--project", "/nowhere", "--", "cat"},
		"leave --agent out":    {"mcp", "--agent", "", "--", "cat"},
		"docs/operators.md":    {"mcp", "--config", "wrong.yaml", "--", "cat"},
		"run policyd mcp --he": {"mcp", "--nonsense", "--", "cat"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "wrong.yaml"), []byte("nonsense: 1\n"), 0o600))
		g := s.stand(t, dir, arguments...)
		code, out := g.end(t)
		assert.Equalf(t, 2, code, "%v: %s", arguments, g.stderr)
		assert.Empty(t, out)
		assert.Contains(t, g.stderr.String(), "policyd: error: ")
		assert.Containsf(t, g.stderr.String(), hint, "%v", arguments)
	}
	g := s.stand(t, t.TempDir(), "mcp", "--", "/nowhere/at/all")
	code, _ := g.end(t)
	assert.Equal(t, 1, code)
	assert.Contains(t, g.stderr.String(), "start /nowhere/at/all")
}
