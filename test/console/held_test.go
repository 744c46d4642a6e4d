package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// model is a language model that asks Claude Code for one shell command after the other, and then is done.
type model struct {
	*httptest.Server
	mu       sync.Mutex
	commands []string
	// heard is every request's body.
	heard bytes.Buffer
}

func newModel(t *testing.T, commands ...string) *model {
	t.Helper()
	m := &model{commands: commands}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.answer)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"input_tokens":1}`) })
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

// next is the command to ask for. A request without the tool is a side question, such as for a title.
func (m *model) next(body []byte) (command string, left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard.Write(body)
	if len(m.commands) == 0 || !bytes.Contains(body, []byte(`"name":"Bash"`)) {
		return "", 0
	}
	command, m.commands = m.commands[0], m.commands[1:]
	return command, len(m.commands)
}

func (m *model) transcript() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard.String()
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	command, left := m.next(body)
	type object = map[string]any
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "done"}, "end_turn"
	if command != "" {
		arguments, _ := json.Marshal(object{"command": command, "description": "a step"})
		block = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", left), "name": "Bash", "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": string(arguments)}, "tool_use"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []object{
		{"type": "message_start", "message": object{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{}, "stop_reason": nil,
			"usage": object{"input_tokens": 1, "output_tokens": 1},
		}},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 1}},
		{"type": "message_stop"},
	} {
		text, _ := json.Marshal(event)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], text) // the client went away
	}
}

// claude is the real Claude Code, or a skip.
func claude(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("POLICYD_TEST_CLIENTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "bin", ".clients", "node_modules", ".bin")
	}
	found, err := filepath.Abs(filepath.Join(dir, "claude"))
	require.NoError(t, err)
	if _, err := os.Stat(found); err != nil {
		t.Skip("skipped: Claude Code is not installed; make test-clients installs it")
	}
	return found
}

// heldHook waits for a hook to run, and returns its process.
func heldHook(t *testing.T) (pid int) {
	t.Helper()
	hook, err := filepath.EvalSymlinks(filepath.Join(filepath.Dir(program), "policyd-hook"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		links, err := filepath.Glob("/proc/[0-9]*/exe")
		if err != nil {
			return false
		}
		for _, link := range links {
			if target, err := os.Readlink(link); err == nil && target == hook {
				pid, err = strconv.Atoi(filepath.Base(filepath.Dir(link)))
				return err == nil
			}
		}
		return false
	}, patience, 10*time.Millisecond, "no hook runs")
	return pid
}

// ended sends the time at which a process ends.
func ended(t *testing.T, pid int) <-chan time.Time {
	t.Helper()
	descriptor, err := unix.PidfdOpen(pid, 0)
	require.NoError(t, err)
	at := make(chan time.Time, 1)
	go func() {
		defer func() { _ = unix.Close(descriptor) }()
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLIN}}, int(patience.Milliseconds()))
			if err != unix.EINTR {
				at <- time.Now()
				return
			}
		}
	}()
	return at
}

// TestARealAgentIsReleasedFromThePage checks the way of a question of the real Claude Code: its hook is held,
// the page shows a card, a click releases the hook, and the command runs, or doesn't and the model hears why.
// It reports how long each part takes.
func TestARealAgentIsReleasedFromThePage(t *testing.T) {
	agent := claude(t)
	ctx := browser(t)
	s := newServer(t)
	project, remote := filepath.Join(s.home, "repo"), filepath.Join(s.home, "remote")
	environment := []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "TERM=dumb", "NO_COLOR=1", "CI=1"}
	run := func(environment []string, name string, args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir, command.Env = project, environment
		out, err := command.CombinedOutput()
		return string(out), err
	}
	require.NoError(t, os.MkdirAll(project, 0o755))
	for _, args := range [][]string{
		{"git", "init", "--quiet", "--initial-branch=main"},
		{"git", "init", "--quiet", "--bare", remote},
		{"git", "remote", "add", "origin", remote},
		{"git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "--message", "first"},
		{program, "install", "claude", "--temporary", "--no-tools", "--hold", "5m", "--run-dir", s.runDir, "--state-dir", s.state},
	} {
		out, err := run(environment, args[0], args[1:]...)
		require.NoError(t, err, out)
	}
	s.login(ctx, t)
	do(ctx, t, chromedp.Evaluate(`window.seen = 0;
new MutationObserver(() => { if (!window.seen && `+openCards+`) window.seen = Date.now(); }).observe(document.getElementById("list"), {childList: true, subtree: true});
document.addEventListener("click", () => { window.clicked = Date.now(); }, {capture: true}); 0`, nil))

	m := newModel(t, "git push origin main:refused", "git push origin main:approved")
	done := make(chan string, 1)
	go func() {
		out, err := run(append(environment, "ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=none", "DISABLE_TELEMETRY=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"),
			agent, "-p", "go on", "--allowedTools", "Bash", "--model", "claude-sonnet-4-5")
		done <- fmt.Sprint(strings.TrimSpace(out), " ", err)
	}()
	s.press(ctx, t, "git push origin main:refused", "deny")
	s.press(ctx, t, "git push origin main:approved", "once")
	select {
	case out := <-done:
		t.Log("claude: " + out)
	case <-time.After(patience):
		require.FailNow(t, "Claude Code never ends")
	}
	assert.Contains(t, m.transcript(), "alice said no", "the model hears who refused")
	refs, err := run(environment, "git", "-C", remote, "for-each-ref", "--format=%(refname)")
	require.NoError(t, err, refs)
	assert.Equal(t, "refs/heads/approved\n", refs, "what was approved ran, and nothing else")
}

// press answers the held question about a command with the mouse, and reports how long the way takes.
func (s *server) press(ctx context.Context, t *testing.T, command, choice string) {
	t.Helper()
	do(ctx, t, until(openCards+` === 1 && document.querySelector('#list .card[data-state=pending] .code').textContent.includes("`+command+`")`))
	open := s.must(t, "operator", http.MethodGet, "/v1/prompts?state=pending", "")["prompts"].([]any)
	require.Len(t, open, 1)
	asked, err := time.Parse(time.RFC3339Nano, open[0].(map[string]any)["created_at"].(string))
	require.NoError(t, err)
	seen := time.UnixMilli(int64(evaluate[float64](ctx, t, "window.seen")))
	released := ended(t, heldHook(t))
	do(ctx, t, settled(), chromedp.Evaluate("window.seen = 0", nil), press(choice))
	var at time.Time
	select {
	case at = <-released:
	case <-time.After(patience):
		require.FailNow(t, "the hook is held still")
	}
	clicked := time.UnixMilli(int64(evaluate[float64](ctx, t, "window.clicked")))
	t.Logf("%s: from the prompt to the card %v, from the click to the end of the hook %v", choice, seen.Sub(asked).Round(time.Millisecond), at.Sub(clicked).Round(time.Millisecond))
}

// settled waits until the card that is open takes answers.
func settled() chromedp.Action {
	return until(`performance.now() - Number(document.querySelector("#list .card[data-state=pending]").dataset.since) > 300`)
}
