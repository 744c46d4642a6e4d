//go:build linux && (amd64 || arm64)

package contain

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// world is what an attempt may harm. The attempt gets it as JSON.
type world struct {
	Outside, Canary, Project, Protected, Missing, Hidden string
	Victim                                               int
	VictimGone                                           bool `json:"-"`
	TCP, UDP, Stream, Datagram, Abstract                 string
	Queue                                                string
	Shared                                               int
	Other                                                string // another terminal
	Fifo                                                 string
	Device                                               string
	Set                                                  string // a program that runs as root

	root    string
	reached atomic.Int64
	victim  *exec.Cmd
	before  string
}

func newWorld(t *testing.T, uid int) *world {
	t.Helper()
	// Not in a directory that a project run gets anew, if that can be: there, less would keep it from writing.
	root, err := os.MkdirTemp("/srv", "policyd-world-") //nolint:usetesting // as declared
	if err != nil {
		root, err = os.MkdirTemp("", "policyd-world-") //nolint:usetesting // every user must reach it
	}
	require.NoError(t, err)
	require.NoError(t, os.Chmod(root, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	root, err = filepath.EvalSymlinks(root)
	require.NoError(t, err)
	w := &world{
		root: root, Outside: root + "/outside", Canary: root + "/outside/canary", Project: root + "/project",
		Protected: root + "/project/.git/config", Missing: root + "/project/.git/hooks", Hidden: root + "/project/.env",
		Fifo: root + "/outside/fifo", Stream: root + "/stream.sock", Datagram: root + "/datagram.sock", Abstract: "@" + filepath.Base(root),
	}
	for _, dir := range []string{w.Outside, w.Project + "/.git", w.Project + "/src"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	for _, file := range []string{w.Canary, w.Protected, w.Hidden, w.Project + "/src/main"} {
		require.NoError(t, os.WriteFile(file, []byte("canary\n"), 0o644))
	}
	require.NoError(t, unix.Mkfifo(w.Fifo, 0o600))
	w.listen(t)
	w.share(t)
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && os.Geteuid() == 0 {
			err = os.Lchown(path, uid, uid)
		}
		return err
	}))
	w.startVictim(t, uid)
	w.before = w.state(t)
	return w
}

// listen opens servers that nobody should reach.
func (w *world) listen(t *testing.T) {
	t.Helper()
	var config net.ListenConfig
	for _, server := range []struct {
		network, address string
		set              *string
	}{{"tcp", "127.0.0.1:0", &w.TCP}, {"unix", w.Stream, nil}, {"unix", w.Abstract, nil}} {
		listener, err := config.Listen(t.Context(), server.network, server.address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		if server.set != nil {
			*server.set = listener.Addr().String()
		}
		go func() {
			for {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				w.reached.Add(1)
				_ = connection.Close()
			}
		}()
	}
	for _, server := range []struct {
		network, address string
		set              *string
	}{{"udp", "127.0.0.1:0", &w.UDP}, {"unixgram", w.Datagram, nil}} {
		packets, err := config.ListenPacket(t.Context(), server.network, server.address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = packets.Close() })
		if server.set != nil {
			*server.set = packets.LocalAddr().String()
		}
		go func() {
			buffer := make([]byte, 64)
			for {
				if _, _, err := packets.ReadFrom(buffer); err != nil {
					return
				}
				w.reached.Add(1)
			}
		}()
	}
	for _, path := range []string{w.Stream, w.Datagram} {
		require.NoError(t, os.Chmod(path, 0o777))
	}
}

// share makes shared memory that everybody may change.
func (w *world) share(t *testing.T) {
	t.Helper()
	id, err := unix.SysvShmGet(0, 4096, unix.IPC_CREAT|0o666) // IPC_PRIVATE
	require.NoError(t, err)
	w.Shared = id
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
}

func (w *world) startVictim(t *testing.T, uid int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), helper, wordVictim)
	command.Env = []string{"SECRET=hunter2"}
	command.Dir = w.Outside
	if os.Geteuid() == 0 && uid != 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	t.Cleanup(func() { _ = stdin.Close(); _ = command.Wait() })
	w.victim, w.Victim = command, command.Process.Pid
}

// state describes everything outside that an attempt may change.
func (w *world) state(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, root := range []string{w.Outside, w.Project + "/.git", w.Hidden} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			var stat unix.Stat_t
			require.NoError(t, unix.Lstat(path, &stat))
			text := ""
			if entry.Type().IsRegular() {
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				text = string(content)
			}
			names := make([]byte, 256)
			n, _ := unix.Llistxattr(path, names)
			times := stat.Mtim
			if path == w.Project+"/.git" {
				times, stat.Nlink = unix.Timespec{}, 0 // placeholders come and go in it
			}
			_, err = fmt.Fprintln(&out, path, stat.Mode, stat.Uid, stat.Gid, stat.Nlink, times, text, string(names[:max(n, 0)]))
			return err
		}))
	}
	limit, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", w.Victim))
	if err != nil {
		limit = nil // it ended
	}
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, w.Victim)
	var affinity unix.CPUSet
	_ = unix.SchedGetaffinity(w.Victim, &affinity)
	alive := unix.Kill(w.Victim, 0) == nil && !strings.Contains(stateOf(w.Victim), "Z")
	_, err = fmt.Fprintln(&out, "victim", alive, string(limit), nice, affinity.Count(), "reached", w.reached.Load())
	require.NoError(t, err)
	return out.String()
}

func stateOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "Z"
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return rest[:1]
}

func (w *world) env(t *testing.T) []string {
	t.Helper()
	text, err := json.Marshal(w)
	require.NoError(t, err)
	return []string{"WORLD=" + string(text)}
}

// obligation of a profile in this world.
func (w *world) obligation(profile, network string) *v1.Obligation {
	o := &v1.Obligation{Kind: v1.ObligationContain, Profile: profile, Read: []string{"/", helper, w.Outside, w.Stream, w.Datagram}, Network: network}
	if profile == v1.ProfileProject {
		o.Write = []string{w.Project}
		o.Protect = []string{w.Protected, w.Missing, w.Project + "/.mcp.json", w.Project + "/.claude/settings.json"}
		o.Hide = []string{w.Hidden}
	}
	return o
}
