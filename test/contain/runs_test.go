//go:build linux && (amd64 || arm64)

package contain

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

var profiles = []string{v1.ProfileReadOnly, v1.ProfileProject}

// eachProfile runs a test in both profiles and as every user.
func eachProfile(t *testing.T, test func(t *testing.T, profile string, uid int)) {
	t.Helper()
	for user, uid := range users() {
		for _, profile := range profiles {
			t.Run(user+"/"+profile, func(t *testing.T) {
				needFor(t, profile, uid)
				test(t, profile, uid)
			})
		}
	}
}

func (w *world) launch(profile string, uid int) *launch {
	return &launch{uid: uid, dir: w.Project, obligation: w.obligation(profile, v1.NetworkNone)}
}

// await looks until a condition holds; without it the test ends with its deadline.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		pause()
	}
	require.Fail(t, "never: "+what)
}

// TestAProjectCanBeWritten: what the profile lets, it lets.
func TestAProjectCanBeWritten(t *testing.T) {
	for user, uid := range users() {
		t.Run(user, func(t *testing.T) {
			needFor(t, v1.ProfileProject, uid)
			w := newWorld(t, uid)
			line := `set -e; echo a > src/a; chmod 755 src/a; touch -d 2020-01-01 src/a; mv src/a src/b; ln src/b src/c; ln -s b src/d; mkdir -p x/y; rm -r x
				echo t > /tmp/t; cat /tmp/t; echo t > $TMPDIR/u; ls .git; cat .git/config; mkfifo src/fifo; test -z "$(cat .env)"; id -u; test -w /dev/null; ps -e | wc -l`
			got := w.launch(v1.ProfileProject, uid).run(t, "bash", "-c", line)
			require.Equal(t, 0, got.state.ExitCode(), got.stderr)
			own := os.Geteuid()
			if own == 0 {
				own = uid
			}
			assert.Contains(t, got.stdout, "t\nconfig\nhooks\ncanary\n"+strconv.Itoa(own)+"\n")
			assert.Empty(t, got.result.Refused)
			assert.FileExists(t, w.Project+"/src/b")
			assert.NoFileExists(t, "/tmp/t")
			assert.Equal(t, w.before, w.state(t))
		})
	}
}

// TestNothingOutlivesARun: a process that left its session and its parent ends with the run.
func TestNothingOutlivesARun(t *testing.T) {
	eachProfile(t, func(t *testing.T, profile string, uid int) {
		w := newWorld(t, uid)
		marker := "7" + strings.TrimPrefix(filepath.Base(w.root), "policyd-world-")
		got := w.launch(profile, uid).run(t, "bash", "-c",
			"(setsid bash -c 'setsid sleep "+marker+" & setsid sleep "+marker+" >/dev/null 2>&1 & wait' >/dev/null 2>&1 &); sleep 0.1; exit 5")
		assert.Equal(t, 5, got.state.ExitCode(), got.stderr)
		await(t, "all ended", func() bool { return !running(marker) })
	})
}

// running reports whether a process has a word in its command line.
func running(word string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "\x00"+word+"\x00") {
			return true
		}
	}
	return false
}

// TestAKilledLauncherTakesTheProgramWithIt.
func TestAKilledLauncherTakesTheProgramWithIt(t *testing.T) {
	eachProfile(t, func(t *testing.T, profile string, uid int) {
		w := newWorld(t, uid)
		marker := "8" + strings.TrimPrefix(filepath.Base(w.root), "policyd-world-")
		command, read := w.launch(profile, uid).command(t, "sleep", marker)
		require.NoError(t, command.Start())
		await(t, "started", func() bool { return running(marker) && children(command.Process.Pid) })
		require.NoError(t, command.Process.Kill())
		_ = command.Wait()
		assert.Nil(t, read())
		await(t, "ended", func() bool { return !running(marker) })
		if profile != v1.ProfileProject {
			return
		}
		await(t, "placeholders are gone", func() bool { _, err := os.Lstat(w.Missing); return os.IsNotExist(err) })
	})
}

// children reports whether the program runs, and not the launcher's own command line.
func children(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		more, _ := os.ReadFile(task)
		text = append(text, more...)
	}
	for field := range strings.FieldsSeq(string(text)) {
		name, _ := os.ReadFile("/proc/" + field + "/comm")
		if strings.TrimSpace(string(name)) == "sleep" {
			return true
		}
		if child, _ := strconv.Atoi(field); children(child) {
			return true
		}
	}
	return false
}

// TestPlaceholdersAreSharedByRuns: while one run needs it, no other takes the placeholder away.
func TestPlaceholdersAreSharedByRuns(t *testing.T) {
	need(t, v1.ProfileProject)
	w := newWorld(t, os.Geteuid())
	long := w.launch(v1.ProfileProject, os.Geteuid())
	command, read := long.command(t, "bash", "-c", "echo started; read -r; mkdir .git/hooks/x .mcp.json || rmdir .mcp.json || echo kept")
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "started\n", line)
	var others sync.WaitGroup
	for range 8 {
		others.Go(func() {
			got := w.launch(v1.ProfileProject, os.Geteuid()).run(t, "bash", "-c", "! touch .mcp.json/x 2>/dev/null")
			assert.Equal(t, 0, got.state.ExitCode(), got.stderr)
		})
	}
	others.Wait()
	assert.DirExists(t, w.Missing, "the first run still needs it")
	_, err = stdin.Write([]byte("\n"))
	require.NoError(t, err)
	line, err = lines.ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "kept\n", line)
	require.NoError(t, command.Wait())
	read()
	assert.NoDirExists(t, w.Missing)
	assert.NoDirExists(t, w.Project+"/.mcp.json")
}

// TestADirectoryThatWasSwappedIsNotLet: the obligation names real paths.
func TestADirectoryThatWasSwappedIsNotLet(t *testing.T) {
	need(t, v1.ProfileProject)
	w := newWorld(t, os.Geteuid())
	l := w.launch(v1.ProfileProject, os.Geteuid())
	require.NoError(t, os.Rename(w.Project, w.Project+"2"))
	require.NoError(t, os.Symlink(w.Outside, w.Project))
	require.NoError(t, os.Mkdir(w.Outside+"/.git", 0o755))
	outside := listing(t, w.Outside)
	l.dir = w.root
	got := l.run(t, "touch", w.Canary)
	assert.Equal(t, 126, got.state.ExitCode())
	assert.Contains(t, got.stderr, "launch: ")
	assert.Equal(t, outside, listing(t, w.Outside))
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "ls", "-laRi", "--time-style=full-iso", dir).Output()
	require.NoError(t, err)
	return string(output)
}

// TestStreamsThatLeadFurtherAreRefused.
func TestStreamsThatLeadFurtherAreRefused(t *testing.T) {
	need(t, v1.ProfileProject)
	w := newWorld(t, os.Geteuid())
	directory, err := os.Open(w.Project)
	require.NoError(t, err)
	defer directory.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	require.NoError(t, err)
	datagrams := os.NewFile(uintptr(pair[0]), "datagrams")
	defer datagrams.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	tcp, ok := listener.(*net.TCPListener)
	require.True(t, ok)
	listening, err := tcp.File()
	require.NoError(t, err)
	defer listening.Close()
	for _, c := range []struct {
		stdin   *os.File
		profile string
		message string
	}{
		{directory, v1.ProfileProject, "is a directory"},
		{datagrams, v1.ProfileProject, "reaches others"},
		{datagrams, v1.ProfileReadOnly, "reaches others"},
		{listening, v1.ProfileReadOnly, "reaches others"},
	} {
		l := w.launch(c.profile, os.Geteuid())
		l.stdin = c.stdin
		got := l.run(t, "true")
		assert.Equal(t, 126, got.state.ExitCode())
		assert.Contains(t, got.stderr, c.message)
	}
	// A protected file as standard input can be read, and not opened again to write.
	protected, err := os.Open(w.Protected)
	require.NoError(t, err)
	defer protected.Close()
	l := w.launch(v1.ProfileProject, os.Geteuid())
	l.stdin = protected
	got := l.run(t, "bash", "-c", "head -c 3; echo harm > /proc/self/fd/0; echo harm > /dev/stdin")
	assert.Equal(t, "can", got.stdout)
	assert.Equal(t, 1, got.state.ExitCode())
	assert.Equal(t, w.before, w.state(t))
}

// TestLoopbackIsTheRunsOwn: servers and clients of the run meet, and no other.
func TestLoopbackIsTheRunsOwn(t *testing.T) {
	for user, uid := range users() {
		t.Run(user, func(t *testing.T) {
			needFor(t, v1.ProfileProject, uid)
			if _, err := exec.LookPath("python3"); err != nil {
				t.Skip("skipped: python3 is not installed")
			}
			w := newWorld(t, uid)
			l := w.launch(v1.ProfileProject, uid)
			l.obligation.Network = v1.NetworkLoopback
			l.env = w.env(t)

			got := l.run(t, python(t), "-c", `
import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname()); c.send(b"x"); print(s.accept()[0].recv(1))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0)); u.sendto(b"y", u.getsockname()); print(u.recv(1))
for family, kind in ((socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_PACKET, socket.SOCK_RAW)):
    try: socket.socket(family, kind); print("opened")
    except OSError: pass
try: socket.create_connection(("192.0.2.1", 80), 1); print("connected")
except OSError: pass
`)
			assert.Equal(t, "b'x'\nb'y'\n", got.stdout, got.stderr)
			for _, name := range []string{"connect by TCP", "connect to a path", "connect to an abstract name", "raw socket"} {
				assert.NotEqual(t, 0, l.run(t, helper, wordAttempt, name).state.ExitCode(), name)
			}
			assert.Equal(t, w.before, w.state(t))
		})
	}
}

func python(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "/usr/local/bin/python3"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("skipped: python3 is not installed for every user")
	return ""
}

// TestReadingIsLimited: without "/", nothing else can be read or run.
func TestReadingIsLimited(t *testing.T) {
	need(t, v1.ProfileReadOnly)
	w := newWorld(t, os.Geteuid())
	l := w.launch(v1.ProfileReadOnly, os.Geteuid())
	require.NoError(t, os.Symlink(w.Outside, w.Project+"/link"))
	l.obligation.Read = []string{"/usr", "/etc/ld.so.cache", w.Project + "/src", "/lib", "/lib64", "/bin", w.Project + "/link"}
	assert.Equal(t, "canary\n", l.run(t, "cat", "src/main").stdout)
	got := l.run(t, "cat", ".env")
	assert.Contains(t, got.stderr, "Permission denied")
	assert.Empty(t, got.stdout)
	assert.Empty(t, l.run(t, "ls", w.Project).stdout)
	assert.Empty(t, l.run(t, "cat", w.Canary).stdout, "a link isn't followed to what is read")
	assert.Equal(t, 126, l.run(t, helper, wordVictim).state.ExitCode())
}

// TestSignalsReachTheProgram: those that the launcher gets are the program's.
func TestSignalsReachTheProgram(t *testing.T) {
	eachProfile(t, func(t *testing.T, profile string, uid int) {
		w := newWorld(t, uid)
		// nohup and shells without job control start programs that ignore a signal, and so would this one.
		for _, ignored := range []os.Signal{unix.SIGINT, unix.SIGHUP, unix.SIGUSR1, unix.SIGTERM} {
			if signal.Ignored(ignored) {
				// For good: once it is stopped, the signal is ignored again, and no longer known to be.
				signal.Notify(make(chan os.Signal, 1), ignored)
			}
		}
		command, read := w.launch(profile, uid).command(t, helper, wordSignals)
		stdout, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		lines := bufio.NewReader(stdout)
		expect := func(want string) {
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, want+"\n", line)
		}
		expect("ready")
		for _, c := range []struct {
			signal syscall.Signal
			name   string
		}{{unix.SIGINT, "interrupt"}, {unix.SIGHUP, "hangup"}, {unix.SIGUSR1, "user defined signal 1"}, {unix.SIGTERM, "terminated"}} {
			require.NoError(t, command.Process.Signal(c.signal))
			expect(c.name)
		}
		_ = command.Wait()
		read()
		assert.Equal(t, 9, command.ProcessState.ExitCode())
	})
}

// TestTerminals: the keys of a terminal work as without containment.
func TestTerminals(t *testing.T) {
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			need(t, profile)
			w := newWorld(t, os.Geteuid())
			l := w.launch(profile, os.Geteuid())
			inner, read := l.command(t, "bash", "-c", `tty -s && echo tty; stty size; trap 'echo interrupted' INT; trap 'stty size' WINCH
				echo ready; read -r line; echo "got $line"; read -r line; echo "then $line"; exit 4`)
			// An interactive shell starts the launcher as a job, as people do.
			args := make([]string, len(inner.Args))
			for i, arg := range inner.Args {
				args[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
			}
			shell := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
			shell.Env = append(os.Environ(), "PS1=$ ", "HISTFILE=", "TERM=dumb")
			shell.Dir, shell.ExtraFiles = w.Project, inner.ExtraFiles
			terminal, err := pty.StartWithSize(shell, &pty.Winsize{Rows: 24, Cols: 80})
			require.NoError(t, err)
			defer terminal.Close()
			screen := newScreen(terminal)
			press := func(keys string) { _, err := terminal.WriteString(keys); require.NoError(t, err) }
			press("bind 'set enable-bracketed-paste off' 2>/dev/null; stty -echo\n" + strings.Join(args, " ") + "\n")
			screen.await(t, "tty\r\n24 80\r\nready\r\n")
			require.NoError(t, pty.Setsize(terminal, &pty.Winsize{Rows: 30, Cols: 90}))
			press("\x03")
			screen.await(t, "interrupted\r\n")
			press("one\n")
			screen.await(t, "got one\r\n")
			press("\x1a") // Ctrl-Z
			screen.await(t, "Stopped")
			press("echo in the shell\n")
			screen.await(t, "in the shell\r\n")
			press("fg\n")
			press("two\n")
			screen.await(t, "then two\r\n")
			press("echo status $?\n")
			screen.await(t, "status 4\r\n")
			press("exit\n")
			_ = shell.Wait()
			read()
		})
	}
}

// screen collects what a terminal shows.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	seen int
}

func newScreen(terminal *os.File) *screen {
	s := &screen{}
	go func() {
		buffer := make([]byte, 1024)
		for {
			n, err := terminal.Read(buffer)
			s.mu.Lock()
			s.text.Write(buffer[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// await waits for a text after the last that was awaited.
func (s *screen) await(t *testing.T, want string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		s.mu.Lock()
		text := s.text.String()
		at := strings.Index(text[s.seen:], want)
		if at >= 0 {
			s.seen += at + len(want)
		}
		s.mu.Unlock()
		if at >= 0 {
			return
		}
		pause()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Fail(t, "the terminal never showed "+strconv.Quote(want), "%q", s.text.String()[s.seen:])
}

// TestARunInARun is contained by both, and reports nothing of the inner one.
func TestARunInARun(t *testing.T) {
	need(t, v1.ProfileReadOnly)
	w := newWorld(t, os.Geteuid())
	inner, err := json.Marshal(w.obligation(v1.ProfileReadOnly, v1.NetworkNone))
	require.NoError(t, err)
	outer := w.launch(v1.ProfileReadOnly, os.Geteuid())
	nested := func(line string) launched {
		return outer.run(t, helper, wordLaunch, string(inner), "--", "bash", "-c", line)
	}
	got := nested("echo fine > $TMPDIR/x; cat $TMPDIR/x")
	assert.Equal(t, "fine\n", got.stdout, got.stderr)
	for _, line := range []string{"echo x > " + w.Canary, "chmod 600 " + w.Canary, "echo x > /dev/tcp/" + strings.Replace(w.TCP, ":", "/", 1)} {
		assert.NotEqual(t, 0, nested(line).state.ExitCode(), line)
	}
	// Namespaces can't be made inside, so nothing runs.
	project, err := json.Marshal(w.obligation(v1.ProfileProject, v1.NetworkNone))
	require.NoError(t, err)
	assert.Equal(t, 126, outer.run(t, helper, wordLaunch, string(project), "--", "true").state.ExitCode())
	assert.Equal(t, w.before, w.state(t))
}
