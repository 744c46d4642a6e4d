package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/binary"
)

// hookEvent is a payload of one client's, and what blocks it.
type hookEvent struct {
	client, name, payload string
	// blocks are the outputs that the client refuses by, from runs of the real
	// programs and, for Cursor, its documentation.
	blocks func(t *testing.T, output map[string]any)
}

func toolEvent(client, name, event string, blocks func(*testing.T, map[string]any)) hookEvent {
	payload := `{"session_id":"s","hook_event_name":"` + event + `","cwd":"/home/dev/proj","tool_name":"Bash",` +
		`"tool_input":{"command":"ls","hook_event_name":"SessionStart"}}`
	return hookEvent{client, name, payload, blocks}
}

// hookEvents are every client's events. The tool's arguments name a session
// event, which must not turn the deny off.
func hookEvents() []hookEvent {
	return []hookEvent{
		toolEvent("claude", "PreToolUse", "PreToolUse", blocksToolUse),
		toolEvent("claude", "an unknown event", "BeforeAnything", blocksToolUse),
		toolEvent("claude", "PermissionRequest", "PermissionRequest", blocksPermission),
		{"claude", "SessionStart", `{"hook_event_name":"SessionStart","session_id":"s"}`, decidesNothing},
		toolEvent("codex", "PreToolUse", "PreToolUse", blocksToolUse),
		toolEvent("codex", "PermissionRequest", "PermissionRequest", blocksPermission),
		{"codex", "SessionStart", `{"hook_event_name":"SessionStart","session_id":"s"}`, decidesNothing},
		toolEvent("gemini", "BeforeTool", "BeforeTool", blocksDecision),
		{"gemini", "SessionStart", `{"hook_event_name":"SessionStart","session_id":"s"}`, decidesNothing},
		toolEvent("opencode", "tool.execute.before", "tool.execute.before", blocksDecision),
		toolEvent("opencode", "permission.asked", "event-permission.asked", blocksDecision),
		{"copilot", "preToolUse", `{"sessionId":"s","cwd":"/","toolName":"bash","toolArgs":{"hook_event_name":"SessionStart"}}`, blocksCopilot},
		toolEvent("copilot", "PreToolUse", "PreToolUse", func(t *testing.T, output map[string]any) {
			blocksCopilot(t, output)
			blocksToolUse(t, map[string]any{"hookSpecificOutput": output["hookSpecificOutput"]})
		}),
		{"copilot", "permissionRequest", `{"hookName":"permissionRequest","toolName":"bash","toolInput":{}}`, func(t *testing.T, output map[string]any) {
			assert.Equal(t, "deny", output["behavior"])
			assert.NotEmpty(t, output["message"])
		}},
		toolEvent("cursor", "beforeShellExecution", "beforeShellExecution", blocksCursor),
		toolEvent("cursor", "beforeReadFile", "beforeReadFile", blocksCursor),
		toolEvent("cursor", "beforeMCPExecution", "beforeMCPExecution", blocksCursor),
		toolEvent("cursor", "preToolUse", "preToolUse", blocksCursor),
	}
}

// blocksToolUse: Codex runs the tool when there is any other key or no reason,
// Claude when the event's name is missing.
func blocksToolUse(t *testing.T, output map[string]any) {
	assert.Len(t, output, 1)
	inner, _ := output["hookSpecificOutput"].(map[string]any)
	assert.Len(t, inner, 3)
	assert.Equal(t, "PreToolUse", inner["hookEventName"])
	assert.Equal(t, "deny", inner["permissionDecision"])
	assert.NotEmpty(t, inner["permissionDecisionReason"])
}

func blocksPermission(t *testing.T, output map[string]any) {
	assert.Len(t, output, 1)
	inner, _ := output["hookSpecificOutput"].(map[string]any)
	assert.Len(t, inner, 2)
	assert.Equal(t, "PermissionRequest", inner["hookEventName"])
	decision, _ := inner["decision"].(map[string]any)
	assert.Len(t, decision, 2)
	assert.Equal(t, "deny", decision["behavior"])
	assert.NotEmpty(t, decision["message"])
}

func blocksDecision(t *testing.T, output map[string]any) {
	assert.Equal(t, "deny", output["decision"])
	assert.NotEmpty(t, output["reason"])
}

func blocksCopilot(t *testing.T, output map[string]any) {
	assert.Equal(t, "deny", output["permissionDecision"])
	assert.NotEmpty(t, output["permissionDecisionReason"])
}

func blocksCursor(t *testing.T, output map[string]any) {
	assert.Equal(t, "deny", output["permission"])
	assert.NotEmpty(t, output["user_message"])
	assert.NotEmpty(t, output["agent_message"])
}

func decidesNothing(t *testing.T, output map[string]any) { assert.Empty(t, output) }

// outcome is what a run of the hook program left.
type outcome struct {
	stdout, stderr string
	exit           int
	took           time.Duration
}

// hookProgram is the program, built once.
var hookProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "policyd-hook")
	if err != nil {
		return "", err
	}
	return binary.Build(context.Background(), dir, "cmd/policyd-hook")
})

func hookCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := hookProgram()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = []string{"HOME=/home/dev", "SHELL=/bin/bash"}
	return command
}

func runHook(t *testing.T, payload io.Reader, args ...string) outcome {
	t.Helper()
	return finish(t, hookCommand(t, args...), payload)
}

func finish(t *testing.T, command *exec.Cmd, payload io.Reader) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = payload, &stdout, &stderr
	started := time.Now()
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return outcome{stdout.String(), stderr.String(), command.ProcessState.ExitCode(), time.Since(started)}
}

// refused holds what every failure has to look like.
func refused(t *testing.T, event hookEvent, got outcome) {
	t.Helper()
	assert.Equal(t, 2, got.exit)
	assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "one line on standard error: %q", got.stderr)
	assert.Greater(t, len(got.stderr), 10)
	event.blocks(t, oneObject(t, got.stdout))
}

// oneObject checks that output is one JSON object and nothing else: clients run the tool where anything is
// beside it.
func oneObject(t *testing.T, text string) map[string]any {
	t.Helper()
	var output map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	require.NoErrorf(t, decoder.Decode(&output), "%q", text)
	_, err := decoder.Token()
	require.ErrorIs(t, err, io.EOF, "more than one value: %q", text)
	return output
}

// raw answers every connection with these bytes and closes it.
func raw(answer string) func(net.Conn) {
	return func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err == nil {
			_, _ = io.Copy(io.Discard, request.Body)
		}
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	}
}

// connections are kept until a test ends: one that nobody holds any more is closed
// when memory is collected.
type connections struct {
	mu   sync.Mutex
	open []net.Conn
}

func (c *connections) add(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, conn)
}

func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.Close()
	}
}

// socketServer serves connections on a socket and returns its path.
func socketServer(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // t.TempDir may be too long for a socket
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(dir, "policyd.sock"))
	require.NoError(t, err)
	kept := &connections{}
	t.Cleanup(func() { _ = listener.Close(); kept.close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			kept.add(conn)
			go handle(conn)
		}
	}()
	return listener.Addr().String()
}

const headers = "Policyd-Decision: allow\r\nPolicyd-Exit: 0\r\nContent-Type: application/json\r\n"

func response(status, head, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s", status, head, len(body), body)
}

// TestHookFailsClosed runs the real hook program of every client and event
// against every way in which a sidecar can be away, broken or somebody else.
func TestHookFailsClosed(t *testing.T) {
	t.Parallel()
	allow := `{"decision":"allow","permission":"allow","permissionDecision":"allow"}`
	faults := []struct{ name, answer string }{
		{"500", response("500 Internal Server Error", headers, allow)},
		{"404", response("404 Not Found", headers, allow)},
		{"204", response("204 No Content", headers, "")},
		{"a redirect", response("307 Temporary Redirect", headers+"Location: /other\r\n", allow)},
		{"empty 200", response("200 OK", headers, "")},
		{"blanks alone", response("200 OK", headers, " \n ")},
		{"garbage for HTTP", "\x00\x01garbage\r\n\r\n"},
		{"nothing at all", ""},
		{"garbage for JSON", response("200 OK", headers, "{decision: allow")},
		{"an array", response("200 OK", headers, "["+allow+"]")},
		{"a text", response("200 OK", headers, `"allow"`)},
		{"null", response("200 OK", headers, "null")},
		{"two objects", response("200 OK", headers, allow+allow)},
		{"noise after the object", response("200 OK", headers, allow+"ok")},
		{"too long a content length", "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: 999\r\n\r\n" + allow},
		{"too short a content length", "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: 9\r\n\r\n" + allow},
		{"two content lengths", "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: 2\r\nContent-Length: 70\r\n\r\n" + allow},
		{"killed in the head", "HTTP/1.1 200 OK\r\nPolicyd-Deci"},
		{"killed in the body", "HTTP/1.1 200 OK\r\n" + headers + "Transfer-Encoding: chunked\r\n\r\n46\r\n" + allow[:20]},
		{"killed before the last chunk", fmt.Sprintf("HTTP/1.1 200 OK\r\n%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", headers, len(allow), allow)},
		{"no headers", response("200 OK", "", allow)},
		{"no decision", response("200 OK", "Policyd-Exit: 0\r\n", allow)},
		{"no exit", response("200 OK", "Policyd-Decision: allow\r\n", allow)},
		{"an unknown decision", response("200 OK", "Policyd-Decision: yes\r\nPolicyd-Exit: 0\r\n", allow)},
		{"an unknown exit", response("200 OK", "Policyd-Decision: allow\r\nPolicyd-Exit: 1\r\n", allow)},
		{"two decisions", response("200 OK", headers+"Policyd-Decision: deny\r\n", allow)},
		{"a web page", response("200 OK", "Content-Type: text/html\r\n", "<html>It works!</html>")},
		{"a huge answer", response("200 OK", headers, `{"a":"`+strings.Repeat("x", 9<<20)+`"}`)},
	}
	events := hookEvents()
	require.NotEmpty(t, events)
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			socket := socketServer(t, raw(fault.answer))
			for _, event := range events {
				t.Run(event.client+" "+event.name, func(t *testing.T) {
					refused(t, event, runHook(t, strings.NewReader(event.payload), event.client, "--socket", socket))
				})
			}
		})
	}
}

// TestHookWithoutServerFailsClosed: nobody listens, there is no socket, the
// command line is wrong or names nobody.
func TestHookWithoutServerFailsClosed(t *testing.T) {
	t.Parallel()
	dead := filepath.Join(t.TempDir(), "policyd.sock")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", dead)
	require.NoError(t, err)
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, args := range map[string][]string{
		"server down":        {"--socket", dead},
		"no socket":          {"--socket", "/nonexistent/policyd.sock"},
		"no socket in place": {"--run-dir", t.TempDir()},
		"default place":      {},
		"a file":             {"--socket", file},
		"nobody at address":  {"--addr", "127.0.0.1:1", "--token-file", file},
		"no token":           {"--addr", "127.0.0.1:1", "--state-dir", t.TempDir()},
		"unknown flag":       {"--sokcet", dead},
		"help":               {"--help"},
		"bad duration":       {"--hold", "yes"},
		"too long a hold":    {"--hold", "11m"},
		"negative hold":      {"--hold", "-1s"},
		"timeout under hold": {"--hold", "10s", "--timeout", "5s"},
		"relative project":   {"--project", "here"},
		"bad audience":       {"--audience", "world"},
		"an argument more":   {"--hold", "1s", "more"},
		"both addresses":     {"--socket", dead, "--addr", "127.0.0.1:1"},
	} {
		for _, event := range hookEvents() {
			t.Run(name+" "+event.client+" "+event.name, func(t *testing.T) {
				refused(t, event, runHook(t, strings.NewReader(event.payload), append([]string{event.client}, args...)...))
			})
		}
	}
	for _, args := range [][]string{{}, {"--socket", dead}, {"vim"}, {"vim", "--socket", dead}} {
		got := runHook(t, strings.NewReader("{}"), args...)
		assert.Equal(t, 2, got.exit)
		assert.Equal(t, "deny", oneObject(t, got.stdout)["decision"], "%v", args)
		assert.Contains(t, got.stderr, "claude, codex", "%v", args)
	}
}

// silent receives a request and never answers. started gets each.
func silent(started chan<- struct{}) func(net.Conn) {
	return func(conn net.Conn) {
		if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.Copy(io.Discard, request.Body)
		}
		started <- struct{}{}
	}
}

// TestHookFollowsNoRedirect: what is at another address was not asked.
func TestHookFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	socket := socketServer(t, func(conn net.Conn) {
		answer := response("200 OK", headers, "{}")
		if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil && request.URL.Path != "/other" {
			_, _ = io.Copy(io.Discard, request.Body)
			answer = response("307 Temporary Redirect", headers+"Location: /other\r\n", "{}")
		}
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	})
	event := firstOf(t, "claude")
	refused(t, event, runHook(t, strings.NewReader(event.payload), "claude", "--socket", socket))
}

// TestHookKeepsItsDeadline: a sidecar that never answers, one that never stops,
// and a client that never closes standard input.
func TestHookKeepsItsDeadline(t *testing.T) {
	t.Parallel()
	const deadline, late = 300 * time.Millisecond, 5 * time.Second
	quiet := socketServer(t, silent(make(chan struct{}, 1000)))
	endless := socketServer(t, func(conn net.Conn) {
		if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.Copy(io.Discard, request.Body)
		}
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n"+headers+"Content-Length: 4000000\r\n\r\n")
		for ; err == nil; _, err = io.WriteString(conn, " ") {
		}
	})
	for _, event := range hookEvents() {
		for name, socket := range map[string]string{"never answers": quiet, "never stops": endless} {
			t.Run(name+" "+event.client+" "+event.name, func(t *testing.T) {
				t.Parallel()
				got := runHook(t, strings.NewReader(event.payload), event.client, "--socket", socket, "--timeout", deadline.String())
				refused(t, event, got)
				assert.Contains(t, got.stderr, "no answer within 300ms")
				assert.Less(t, got.took, late)
			})
		}
	}
	for _, client := range []string{"claude", "codex", "gemini", "opencode", "copilot", "cursor"} {
		t.Run("open input "+client, func(t *testing.T) {
			t.Parallel()
			reader, writer, err := os.Pipe()
			require.NoError(t, err)
			defer writer.Close()
			got := runHook(t, reader, client, "--socket", quiet, "--timeout", deadline.String())
			refused(t, firstOf(t, client), got)
			assert.Less(t, got.took, late)
		})
	}
}

// firstOf is the client's tool event: the one assumed for an unreadable payload.
func firstOf(t *testing.T, client string) hookEvent {
	t.Helper()
	for _, event := range hookEvents() {
		if event.client == client {
			return event
		}
	}
	require.Fail(t, "no event of "+client)
	return hookEvent{}
}

// TestHookRefusesBadInput: the hook itself refuses a payload that is missing or too long, without the
// sidecar. The sidecar judges garbage, and refuses it in the form of a tool call if there is no event.
func TestHookRefusesBadInput(t *testing.T) {
	t.Parallel()
	willing := socketServer(t, raw(response("200 OK", headers, "{}")))
	for _, client := range []string{"claude", "codex", "gemini", "opencode", "copilot", "cursor"} {
		for name, payload := range map[string]string{
			"empty": "", "blank": " \n", "a mark alone": "\ufeff", "huge": `{"a":"` + strings.Repeat("x", 8<<20) + `"}`,
		} {
			t.Run(client+" "+name, func(t *testing.T) {
				t.Parallel()
				refused(t, firstOf(t, client), runHook(t, strings.NewReader(payload), client, "--socket", willing))
			})
		}
		for name, payload := range map[string]string{
			"garbage": "\x00\xff{", "an array": "[]", "a text": `"SessionStart"`, "cut": firstOf(t, client).payload[:30],
			"two names":  `{"hook_event_name":"SessionStart","hook_event_name":"PreToolUse"}`,
			"and turned": `{"hook_event_name":"PreToolUse","hook_event_name":"SessionStart"}`,
			"no text":    `{"hook_event_name":["SessionStart"]}`,
			"deep":       strings.Repeat(`{"a":`, 100_000),
		} {
			t.Run(client+" "+name, func(t *testing.T) {
				t.Parallel()
				refused(t, firstOf(t, client), runHook(t, strings.NewReader(payload), client, "--socket", "/nonexistent"))
			})
		}
	}
}

// TestHookIsInterrupted: a hook that is interrupted while a person is asked prints the deny, and isn't
// silent.
func TestHookIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		for _, event := range hookEvents() {
			t.Run(signal.String()+" "+event.client+" "+event.name, func(t *testing.T) {
				t.Parallel()
				asked := make(chan struct{}, 1)
				command := hookCommand(t, event.client, "--socket", socketServer(t, silent(asked)), "--hold", "5m")
				var stdout, stderr bytes.Buffer
				command.Stdin, command.Stdout, command.Stderr = strings.NewReader(event.payload), &stdout, &stderr
				require.NoError(t, command.Start())
				<-asked
				require.NoError(t, command.Process.Signal(signal))
				_ = command.Wait()
				refused(t, event, outcome{stdout: stdout.String(), stderr: stderr.String(), exit: command.ProcessState.ExitCode()})
			})
		}
	}
}

// TestHookWithNobodyListening: an answer that can't be written is no answer.
func TestHookWithNobodyListening(t *testing.T) {
	t.Parallel()
	socket := socketServer(t, raw(response("200 OK", headers, `{"decision":"allow"}`)))
	for name, args := range map[string][]string{"answered": {"--socket", socket}, "refused": {"--socket", "/nonexistent"}} {
		t.Run(name, func(t *testing.T) {
			reader, writer, err := os.Pipe()
			require.NoError(t, err)
			require.NoError(t, reader.Close())
			command := hookCommand(t, append([]string{"gemini"}, args...)...)
			command.Stdin, command.Stdout, command.Stderr = strings.NewReader("{}"), writer, writer
			require.Error(t, command.Run())
			assert.Equal(t, 2, command.ProcessState.ExitCode(), "and no signal: %s", command.ProcessState)
		})
	}
}

// TestHookHandsOn checks that the payload and the answer pass byte for byte, and that what the launch fixed
// goes beside them (P14).
func TestHookHandsOn(t *testing.T) {
	t.Parallel()
	type seen struct {
		path, body, contentType string
		query                   url.Values
	}
	got := make(chan seen, 1)
	answer := "{ \"permission\":\"deny\", \"agent_message\":\"<b>\u00e9</b>\" }"
	socket := socketServer(t, func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		body, _ := io.ReadAll(request.Body)
		got <- seen{request.URL.Path, string(body), request.Header.Get("Content-Type"), request.URL.Query()}
		_, _ = io.WriteString(conn, response("200 OK", "Policyd-Decision: deny\r\nPolicyd-Exit: 2\r\n", answer+"\n"))
		_ = conn.Close()
	})
	payload := " {\"cwd\":\"/evil\",  \"project\":\"/evil\"}\n"
	out := runHook(t, strings.NewReader("\ufeff"+payload), "cursor", "--socket", socket, "--hold", "55s", "--auto-approve",
		"--no-interactive", "--audience", "team", "--tools", "request_read_access", "--project", "/srv/proj")
	assert.Equal(t, answer+"\n", out.stdout)
	assert.Equal(t, 2, out.exit, "the server's exit code")
	assert.Equal(t, 1, strings.Count(out.stderr, "\n"))
	request := <-got
	assert.Equal(t, "/v1/hooks/cursor", request.path)
	assert.Equal(t, payload, request.body)
	assert.Equal(t, "application/json", request.contentType)
	assert.Equal(t, url.Values{
		"project": {"/srv/proj"}, "hold": {"55s"}, "auto_approve": {"true"}, "interactive": {"false"}, "audience": {"team"},
		"home": {"/home/dev"}, "platform": {"linux"}, "shell": {"bash"}, "tools": {"request_read_access"},
	}, request.query)

	for client, want := range map[string]url.Values{
		"claude": {"project": {"/srv/launch"}, "home": {"/home/dev"}, "platform": {"linux"}, "shell": {"zsh"}},
		"cursor": {"home": {"/home/dev"}, "platform": {"linux"}, "shell": {"fish"}},
		"gemini": {"home": {"/home/dev"}, "platform": {"linux"}, "shell": {"bash"}},
	} {
		command := hookCommand(t, client, "--socket", socket)
		command.Env = []string{"HOME=/home/dev", "SHELL=/usr/bin/fish", "CLAUDE_CODE_SHELL=/bin/zsh", "CLAUDE_PROJECT_DIR=/srv/launch"}
		finish(t, command, strings.NewReader("{}"))
		assert.Equal(t, want, (<-got).query, client)
	}
}

// TestHookFindsTheServer where the server's own settings put it.
func TestHookFindsTheServer(t *testing.T) {
	t.Parallel()
	socket := socketServer(t, raw(response("200 OK", headers, `{"found":true}`)))
	dir := filepath.Dir(socket)
	state := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.MkdirAll(state, 0o700))
	require.NoError(t, os.Symlink(dir, filepath.Join(state, "run")))
	session := filepath.Join(t.TempDir(), "session")
	require.NoError(t, os.MkdirAll(session, 0o700))
	require.NoError(t, os.Symlink(dir, filepath.Join(session, "policyd")))
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".local/state"), 0o700))
	require.NoError(t, os.Symlink(state, filepath.Join(home, ".local/state/policyd")))
	for name, of := range map[string]struct{ args, env []string }{
		"flag of the socket":       {[]string{"--socket", socket}, nil},
		"flag of its directory":    {[]string{"--run-dir", dir}, []string{"XDG_RUNTIME_DIR=/nonexistent"}},
		"flag of the state":        {[]string{"--state-dir", state}, nil},
		"variable of directory":    {nil, []string{"POLICYD_RUN_DIR=" + dir, "XDG_RUNTIME_DIR=/nonexistent"}},
		"variable of the state":    {nil, []string{"POLICYD_STATE_DIR=" + state}},
		"directory of the session": {nil, []string{"XDG_RUNTIME_DIR=" + session, "POLICYD_STATE_DIR=/nonexistent"}},
		"home":                     {nil, []string{"HOME=" + home}},
	} {
		t.Run(name, func(t *testing.T) {
			command := hookCommand(t, append([]string{"claude"}, of.args...)...)
			command.Env = of.env
			got := finish(t, command, strings.NewReader("{}"))
			assert.Equal(t, 0, got.exit, got.stderr)
			assert.Equal(t, "{\"found\":true}\n", got.stdout)
			assert.Empty(t, got.stderr)
		})
	}
}

// TestHookOverTCP: the agent's token goes to the address, and a proxy of the
// environment neither sees the call nor answers it.
func TestHookOverTCP(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 2)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization")
		w.Header().Set("Policyd-Decision", "none")
		w.Header().Set("Policyd-Exit", "0")
		_, _ = io.WriteString(w, "{}")
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Shutdown(context.Background()) })
	token := filepath.Join(t.TempDir(), "agent.token")
	require.NoError(t, os.WriteFile(token, []byte("secret\n"), 0o600))
	for name, of := range map[string]struct {
		args []string
		env  string
		want string
	}{
		"from a file":                  {[]string{"--token-file", token}, "A=b", "Bearer secret"},
		"from the state directory":     {[]string{"--state-dir", filepath.Dir(token)}, "HTTP_PROXY=http://127.0.0.1:1", "Bearer secret"},
		"from the agent's environment": {nil, "POLICYD_TOKEN=other", "Bearer other"},
	} {
		t.Run(name, func(t *testing.T) {
			command := hookCommand(t, append([]string{"claude", "--addr", listener.Addr().String()}, of.args...)...)
			command.Env = []string{of.env, "ALL_PROXY=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1"}
			got := finish(t, command, strings.NewReader("{}"))
			assert.Equal(t, 0, got.exit, got.stderr)
			assert.Equal(t, of.want, <-seen)
		})
	}
}

// TestHookPrintsOneLineWhateverFailsFirst checks that an answer which comes before the question, on which the
// HTTP client has a line of its own, adds none.
func TestHookPrintsOneLineWhateverFailsFirst(t *testing.T) {
	t.Parallel()
	socket := socketServer(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, strings.Repeat(response("200 OK", headers, "{}"), 2))
	})
	event := firstOf(t, "claude")
	for range 10 {
		got := runHook(t, strings.NewReader(event.payload), "claude", "--socket", socket)
		assert.LessOrEqual(t, strings.Count(got.stderr, "\n"), 1, got.stderr)
	}
}
