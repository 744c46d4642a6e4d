package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"

	v1 "policyd/api/v1"
)

// watcher is `policyd prompts watch` on a terminal of its own.
type watcher struct {
	command  *exec.Cmd
	keyboard *os.File
	terminal *os.File
	screen   *output
	before   *term.State
	exited   chan error
}

func (s *server) watch(t *testing.T) *watcher {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	require.NoError(t, err)
	w := &watcher{keyboard: keyboard, terminal: terminal, screen: &output{}, exited: make(chan error, 1)}
	w.resize(t, 100, 30)
	w.before, err = term.GetState(int(terminal.Fd()))
	require.NoError(t, err)
	w.command = exec.CommandContext(t.Context(), program, "prompts", "watch", "--by", "ada", "--state-dir", s.stateDir)
	w.command.Env = environment(t.TempDir())
	w.command.Stdin, w.command.Stdout, w.command.Stderr = terminal, terminal, terminal
	w.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, w.command.Start())
	go func() { w.exited <- w.command.Wait() }()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(w.screen, keyboard)
	}()
	t.Cleanup(func() {
		_ = w.command.Process.Kill()
		_ = terminal.Close()
		<-copied
		_ = keyboard.Close()
	})
	return w
}

func (w *watcher) resize(t *testing.T, width, height uint16) {
	t.Helper()
	require.NoError(t, pty.Setsize(w.terminal, &pty.Winsize{Cols: width, Rows: height}))
}

func (w *watcher) press(t *testing.T, keys string) {
	t.Helper()
	_, err := io.WriteString(w.keyboard, keys)
	require.NoError(t, err)
}

// shows waits until what was drawn last holds a text.
func (w *watcher) shows(t *testing.T, text string) string {
	t.Helper()
	last := ""
	require.Eventuallyf(t, func() bool {
		all := w.screen.String()
		last = all[strings.LastIndex(all, "\x1b[H")+1:]
		return strings.Contains(last, text)
	}, patience, patience/1000, "%q is not shown", text)
	return last
}

// ends waits until the program has ended well, and checks that the terminal is as it was.
func (w *watcher) ends(t *testing.T) {
	t.Helper()
	select {
	case err := <-w.exited:
		require.NoErrorf(t, err, "%s", w.screen)
	case <-time.After(patience):
		require.FailNow(t, "prompts watch doesn't end")
	}
	after, err := term.GetState(int(w.terminal.Fd()))
	require.NoError(t, err)
	assert.Equal(t, w.before, after, "the terminal is as it was")
	left := "\x1b[?2004l\x1b[?25h\x1b[?1049l"
	require.Eventually(t, func() bool { return strings.HasSuffix(w.screen.String(), left) }, patience, patience/1000, "the screen is as it was")
}

// TestPromptsAreAnsweredByKey checks the terminal view: a prompt appears, a key answers it, and the decision
// follows.
func TestPromptsAreAnsweredByKey(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	w := s.watch(t)
	w.shows(t, "Nothing is pending")

	held := s.hold(t, http.MethodPost, "/v1/decide?wait=5m", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s"}}`)
	shown := w.shows(t, "Approve git push in ")
	for _, choice := range []string{"[o] Once", "[s] This chat", "[h] Always here", "[a] Always anywhere", "[d] Deny", "> git push", "session  s"} {
		assert.Contains(t, shown, choice)
	}
	w.press(t, "o")
	assert.Equal(t, v1.EffectAllow, wellFormed(t, held().body).Effect)
	w.shows(t, "Approved (no save)")

	// What a prompt doesn't offer is no answer, and what is dangerous is asked twice.
	messy := s.shell(t, "s", `eval "$X"`)
	shown = w.shows(t, "> eval")
	assert.NotContains(t, shown, "[a]")
	w.press(t, "h")
	w.shows(t, "doesn't offer that")
	w.press(t, "d")
	w.shows(t, "Denied")
	kept := must[v1.Prompt](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts/"+messy.Prompt.ID, nil))
	require.NotNil(t, kept.Answer)
	assert.Equal(t, "ada", kept.Answer.By)

	s.shell(t, "s", "git push")
	w.shows(t, "> git push")
	w.press(t, "a")
	w.shows(t, "Press a again")
	assert.Empty(t, s.approvals(t))
	w.press(t, "a")
	w.shows(t, "Saved: git push anywhere")
	require.Len(t, s.approvals(t), 1)

	// A window of another size is drawn anew, and too small a one offers less.
	s.shell(t, "s", "npm run build && echo "+strings.Repeat("long ", 60))
	w.shows(t, "[h] Always here")
	w.resize(t, 40, 14)
	assert.NotContains(t, w.shows(t, "cut by the window"), "[h]")
	w.resize(t, 120, 40)
	w.shows(t, "[h] Always here")
	w.press(t, "q")
	w.ends(t)
}

// TestTheTerminalIsLeftAsItWas checks for every way to end.
func TestTheTerminalIsLeftAsItWas(t *testing.T) {
	s := startServer(t)
	for name, end := range map[string]func(t *testing.T, w *watcher){
		"Ctrl-C": func(t *testing.T, w *watcher) { t.Helper(); w.press(t, "\x03") },
		"SIGTERM": func(t *testing.T, w *watcher) {
			t.Helper()
			require.NoError(t, w.command.Process.Signal(syscall.SIGTERM))
		},
		"SIGINT": func(t *testing.T, w *watcher) {
			t.Helper()
			require.NoError(t, w.command.Process.Signal(syscall.SIGINT))
		},
		"SIGHUP": func(t *testing.T, w *watcher) {
			t.Helper()
			require.NoError(t, w.command.Process.Signal(syscall.SIGHUP))
		},
		"SIGQUIT": func(t *testing.T, w *watcher) {
			t.Helper()
			require.NoError(t, w.command.Process.Signal(syscall.SIGQUIT))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := s.watch(t)
			w.shows(t, "Nothing is pending")
			end(t, w)
			w.ends(t)
		})
	}
}

// TestTheWatchOutlivesTheServer checks that a restart is waited for.
func TestTheWatchOutlivesTheServer(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	w := s.watch(t)
	w.shows(t, "Nothing is pending")
	s.stop(t)
	w.shows(t, "What is pending is not known")
	s.start(t)
	s.shell(t, "s", "git push")
	w.shows(t, "> git push")
	w.press(t, "q")
	w.ends(t)
}

// TestWatchingWithoutATerminal checks that prompts are printed and lines answer them.
func TestWatchingWithoutATerminal(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	command := exec.CommandContext(t.Context(), program, "prompts", "watch", "--state-dir", s.stateDir)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.Env = environment(t.TempDir())
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	complaints := &output{}
	command.Stderr = complaints
	require.NoError(t, command.Start())
	lines := make(chan string, 100)
	go func() {
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			lines <- scanner.Text()
		}
		close(lines)
	}()
	next := func(want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for {
			select {
			case line, open := <-lines:
				require.Truef(t, open, "it ended before %q: %s", want, complaints)
				if strings.Contains(line, want) {
					return
				}
			case <-ctx.Done():
				require.FailNowf(t, "not printed", "%q", want)
			}
		}
	}
	prompt := s.shell(t, "s", "git push").Prompt
	next(prompt.ID + "  pending")
	next("> git push")
	for _, bad := range []string{"nonsense", prompt.ID + " yes", "nobody once"} {
		_, err = io.WriteString(stdin, bad+"\n")
		require.NoError(t, err)
	}
	_, err = io.WriteString(stdin, "\n"+prompt.ID+" always_here\n")
	require.NoError(t, err)
	next(prompt.ID + "  Saved: git push in " + tree.Project)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	other := s.shell(t, "s", "git fetch").Prompt
	next("> git fetch")
	require.NoError(t, stdin.Close())
	s.reply(t, other, "deny")
	next(other.ID + "  ended")
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	for range lines { // until it has ended
	}
	require.NoError(t, command.Wait())
	for _, said := range []string{`"nonsense" is not "<id> <choice>"`, `it doesn't offer "yes"`, `there is no prompt "nobody"`} {
		assert.Contains(t, complaints.String(), "policyd: error: ")
		assert.Contains(t, complaints.String(), said)
	}
}

// TestNothingToWatch checks that a watch without a server reports that, and doesn't keep one from starting.
func TestNothingToWatch(t *testing.T) {
	command := exec.CommandContext(t.Context(), program, "prompts", "watch", "--state-dir", t.TempDir()+"/state")
	command.Env = environment(t.TempDir())
	out, err := command.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "policyd: error: no server runs")
	assert.Contains(t, string(out), "policyd: hint: policyd serve")
}
