package notify_test

import (
	"bufio"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/notify"
)

// hostile is a prompt with texts that are options, markup, scripts or control characters to somebody.
func hostile(trace string) *v1.Prompt {
	asked := prompt("p-1", "codex")
	asked.Title = `--icon=/etc/passwd <b>Approve</b> "git push" & more?`
	asked.Call.Text = "-u critical $(touch " + trace + ") `touch " + trace + "`; touch " + trace + " <img src='x'> \x1b]0;x\x07 \u202ehsup"
	return asked
}

// TestADesktopNotificationIsOneText checks that what an agent wrote reaches notify-send as one operand,
// without markup, control characters or anything that a shell reads.
func TestADesktopNotificationIsOneText(t *testing.T) {
	dir := t.TempDir()
	out, trace := filepath.Join(dir, "argv"), filepath.Join(dir, "trace")
	// A program of the same name that writes down what it is called with.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notify-send"), []byte("#!/bin/sh\nprintf '%s\\0' \"$@\" >'"+out+"'\n"), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	w := worker(notify.Target{Name: "here", Kind: notify.Desktop, Ended: true})
	sent := func() []string {
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		require.NoError(t, os.Remove(out))
		return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	}
	require.NoError(t, w.Test(t.Context(), hostile(trace), noon))
	argv := sent()
	require.Len(t, argv, 4)
	assert.Equal(t, []string{"--app-name=policyd", "--", "policyd asks"}, argv[:3])
	body := argv[3]
	assert.Contains(t, body, `--icon=/etc/passwd &lt;b&gt;Approve&lt;/b&gt; "git push" &amp; more?`)
	assert.Contains(t, body, "-u critical $(touch "+trace+")")
	assert.True(t, strings.HasSuffix(body, "\nhttp://127.0.0.1:7484/console/prompts/p-1"), body)
	assert.NotContains(t, body, "<")
	assert.NotRegexp(t, "[\x00-\x09\x0b-\x1f\u202e]", body)
	_, err := os.Stat(trace)
	require.ErrorIs(t, err, fs.ErrNotExist, "nothing of it was run")

	long := prompt("p-2", "codex")
	long.Call.Text = "echo " + strings.Repeat("é", 5000)
	require.NoError(t, w.Test(t.Context(), long, noon))
	assert.Contains(t, sent()[3], "… (cut)\nhttp")
	require.NoError(t, w.Test(t.Context(), ended(prompt("p-3", "codex")), noon))
	assert.Equal(t, "policyd: answered", sent()[2])
	t.Setenv("PATH", t.TempDir())
	require.ErrorIs(t, w.Test(t.Context(), prompt("p-4", "codex"), noon), exec.ErrNotFound)
}

// TestADesktopNotificationIsShown checks that the real notify-send hands the text to a notification server,
// which shows it as it is.
func TestADesktopNotificationIsShown(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it starts an X server")
	}
	for _, name := range []string{"notify-send", "dunst", "stdbuf", "Xvfb", "dbus-daemon"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("skipped: %v", err)
		}
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		// The bus starts the server for the first sender.
		"org.freedesktop.Notifications.service": "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=" + dir + "/server\n",
		"server":                                "#!/bin/sh\nexec stdbuf -oL dunst -print -conf - </dev/null >'" + dir + "/shown'\n",
		"bus": `<busconfig><type>session</type><listen>unix:dir=` + dir + `</listen><servicedir>` + dir + `</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755))
	}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("DISPLAY", ":"+first(t, start(t, "Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp")))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", first(t, start(t, "dbus-daemon", "--config-file="+filepath.Join(dir, "bus"), "--nofork", "--print-address")))
	trace := filepath.Join(dir, "trace")
	require.NoError(t, worker(notify.Target{Name: "here", Kind: notify.Desktop}).Test(t.Context(), hostile(trace), noon))
	var text string
	require.Eventually(t, func() bool {
		shown, err := os.ReadFile(filepath.Join(dir, "shown"))
		text = string(shown)
		return err == nil && strings.HasSuffix(text, "}\n")
	}, time.Minute, 10*time.Millisecond)
	for _, part := range []string{"summary: 'policyd asks'", "&lt;b&gt;Approve&lt;/b&gt;", "-u critical $(touch", "urgency: NORMAL", "console/prompts/p-1"} {
		assert.Contains(t, text, part)
	}
	_, err := os.Stat(trace)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func first(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(time.Minute):
		require.FailNow(t, "the program prints nothing")
		return ""
	}
}

// start runs a program until the test ends, and sends the lines that it prints.
func start(t *testing.T, name string, args ...string) <-chan string {
	t.Helper()
	command := exec.Command(name, args...)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		for range lines {
		}
		_ = command.Wait() // it was asked to end
	})
	return lines
}
