//go:build linux && (amd64 || arm64)

package contain

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// A jail is a machine of its own for lines that may do anything: its root directory, its processes and its
// network are thrown away. Its root user is nobody outside. Every address of the network is the jail's own, and
// servers count who comes.

// trial is a line to run; outcome is what it did.
type (
	trial struct {
		ID, Command, Cwd string
		Contained        bool
	}
	outcome struct {
		ID      string
		Effects []string
		Status  int
		Late    bool
	}
)

// patience is what a line may take. Many wait for input that never comes.
const patience = 2 * time.Second

// jail is the first process of one.
type jail struct {
	reached atomic.Int64
	victim  int
	before  map[string]string
	sent    string
	own     int64
	results *json.Encoder
}

func jailHere() int {
	j := &jail{results: json.NewEncoder(os.Stdout)}
	if err := j.build(os.Getenv("JAIL_ROOT"), os.Getenv("JAIL_TEMPLATE")); err != nil {
		fmt.Fprintln(os.Stderr, "build jail:", err)
		return 1
	}
	if err := j.serve(); err != nil {
		fmt.Fprintln(os.Stderr, "serve in jail:", err)
		return 1
	}
	j.victim = j.start([]string{"/opt/helper", wordVictim}, "/", []string{"SECRET=1"}, true)
	j.before, j.sent = tree(), counters()
	lines := json.NewDecoder(bufio.NewReader(os.NewFile(3, "lines")))
	for {
		var t trial
		if lines.Decode(&t) != nil {
			return 0
		}
		out := j.try(&t)
		if j.results.Encode(out) != nil || len(out.Effects) > 0 {
			return 0 // the next line needs a new jail
		}
	}
}

func (j *jail) build(root, template string) error {
	steps := []func() error{
		func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") },
		func() error { return unix.Mount("jail", root, "tmpfs", 0, "size=512m,mode=755") },
		func() error { return bindAll(root, template) },
		func() error { return unix.Mount("proc", root+"/proc", "proc", 0, "") },
		func() error { return unix.Mount("devpts", root+"/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666") },
		func() error { return unix.PivotRoot(root, root+"/old") },
		func() error { return unix.Chdir("/") },
		func() error { return unix.Unmount("/old", unix.MNT_DETACH) },
		func() error { return os.Remove("/old") },
		func() error {
			return exec.Command("cp", "-dR", "--preserve=mode,timestamps,links", "/opt/template/.", "/srv").Run()
		},
		func() error {
			return exec.Command("cp", "-dR", "--preserve=mode,timestamps,links", "/opt/template/.", "/home/dev").Run()
		},
		raise,
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

func bindAll(root, template string) error {
	for _, dir := range []string{"usr", "etc", "proc", "sys", "dev/pts", "dev/shm", "tmp", "var/tmp", "run", "root", "home/dev", "srv", "opt/template", "old", "launch"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		target, err := os.Readlink("/" + name)
		switch {
		case err == nil:
			err = os.Symlink(target, filepath.Join(root, name))
		case isDir("/" + name):
			if err = os.Mkdir(filepath.Join(root, name), 0o755); err == nil {
				err = bind("/"+name, filepath.Join(root, name))
			}
		default:
			continue
		}
		if err != nil {
			return err
		}
	}
	files := map[string]string{"/proc/self/exe": "opt/helper"}
	for _, device := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		files["/dev/"+device] = "dev/" + device
	}
	for source, target := range files {
		if err := os.WriteFile(filepath.Join(root, target), nil, 0o755); err != nil {
			return err
		}
		if source == "/proc/self/exe" {
			if real, err := os.Readlink(source); err == nil {
				source = real
			}
		}
		if err := bind(source, filepath.Join(root, target)); err != nil {
			return err
		}
	}
	for link, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(target, filepath.Join(root, "dev", link)); err != nil {
			return err
		}
	}
	return errors.Join(bind("/usr", root+"/usr"), bind("/etc", root+"/etc"), bind(template, root+"/opt/template"), os.Symlink("/run", root+"/var/run"))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// bind mounts a path read-only.
func bind(source, target string) error {
	if err := unix.Mount(source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bind %s: %w", source, err)
	}
	if strings.HasPrefix(source, "/dev/") {
		return nil
	}
	return unix.MountSetattr(unix.AT_FDCWD, target, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// raise makes every address one of the jail.
func raise() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return err
	}
	_ = exec.Command("ip", "route", "add", "local", "default", "dev", "lo").Run() // without it, only 127.0.0.1 is there
	return unix.Close(fd)
}

// serve counts everybody who comes.
func (j *jail) serve() error {
	var config net.ListenConfig
	ctx := newContext()
	addresses := map[string][]string{"unix": named, "unixgram": {"/run/log.sock"}}
	for _, port := range []int{22, 25, 53, 80, 443, 1234, 1337, 3000, 4444, 5000, 5432, 6379, 8000, 8080, 8443, 9000, 9418, 27017} {
		addresses["tcp"] = append(addresses["tcp"], fmt.Sprintf(":%d", port))
	}
	addresses["udp"] = []string{":53", ":123", ":514", ":1234", ":9999"}
	for network, list := range addresses {
		for _, address := range list {
			if network == "udp" || network == "unixgram" {
				packets, err := config.ListenPacket(ctx, network, address)
				if err != nil {
					return err
				}
				go j.countPackets(packets)
				continue
			}
			listener, err := config.Listen(ctx, network, address)
			if err != nil {
				return err
			}
			go j.countConnections(listener)
		}
	}
	return nil
}

func (j *jail) countConnections(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		j.reached.Add(1)
		_ = connection.Close()
	}
}

func (j *jail) countPackets(packets net.PacketConn) {
	buffer := make([]byte, 2048)
	for {
		n, from, err := packets.ReadFrom(buffer)
		if err != nil {
			return
		}
		j.reached.Add(1)
		if n > 12 && from != nil && strings.HasSuffix(packets.LocalAddr().String(), ":53") {
			_, _ = packets.WriteTo(answerName(buffer[:n]), from)
		}
	}
}

// answerName resolves every name to an address of the jail.
func answerName(query []byte) []byte {
	reply := append([]byte{}, query...)
	reply[2], reply[3] = 0x81, 0x80
	reply[7] = 1
	reply[10], reply[11] = 0, 0 // no additional records
	end := 12
	for end < len(query) && query[end] != 0 {
		end += int(query[end]) + 1
	}
	end = min(end+5, len(query))
	return append(reply[:end], 0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7)
}

// start starts a program in a session of its own.
func (j *jail) start(argv []string, dir string, env []string, quiet bool) int {
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	defer null.Close()
	stdin := null.Fd()
	if quiet { // the victim waits for an input that stays open
		reader, writer, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		stdin = reader.Fd()
		keepOpen = append(keepOpen, reader, writer)
	}
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{stdin, null.Fd(), null.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		panic(fmt.Errorf("start %q in %s: %w", argv, dir, err))
	}
	return pid
}

var keepOpen []*os.File

var jailEnv = []string{
	"PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/home/dev", "USER=dev", "TMPDIR=/launch", "TERM=dumb",
	"LANG=C.UTF-8", "GOFLAGS=-mod=mod", "GOPROXY=off", "PAGER=cat", "SHELL=/bin/bash",
}

func (j *jail) try(t *trial) outcome {
	out := outcome{ID: t.ID}
	argv := []string{"/usr/bin/bash", "-c", t.Command}
	if t.Contained {
		text, err := json.Marshal(v1.Obligation{Kind: v1.ObligationContain, Profile: v1.ProfileReadOnly, Read: []string{"/"}, Network: v1.NetworkNone})
		if err != nil {
			panic(err)
		}
		argv = append([]string{"/opt/helper", wordLaunch, string(text), "--"}, argv...)
	}
	dir := t.Cwd
	if !isDir(dir) {
		dir = "/srv/proj"
	}
	pid := j.start(argv, dir, jailEnv, false)
	out.Status, out.Late = j.wait(pid)
	out.Effects = j.effects(pid)
	return out
}

// wait reaps until the program ends, or is made to.
func (j *jail) wait(pid int) (int, bool) {
	var mu sync.Mutex
	ended, late := false, false
	kill := func(signal syscall.Signal) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			if !ended {
				late = true
				_ = unix.Kill(pid, signal)
			}
		}
	}
	defer time.AfterFunc(patience, kill(unix.SIGTERM)).Stop()
	defer time.AfterFunc(patience+time.Second, kill(unix.SIGKILL)).Stop()
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return -1, late
		}
		if got == j.victim {
			j.victim = 0
		}
		if got == pid {
			mu.Lock()
			defer mu.Unlock()
			ended = true
			return int(status), late
		}
	}
}

// effects compares the jail with what it was.
func (j *jail) effects(pid int) []string {
	var out []string
	if j.victim == 0 || !unharmed(j.victim) {
		out = append(out, "signal: another process was ended")
	}
	if sent := counters(); sent != j.sent {
		out = append(out, "network: "+sent)
	}
	if reached := j.local(); reached > 0 {
		out = append(out, fmt.Sprintf("network: %d connections to sockets with a name", reached))
	}
	for range 50 { // a killed process takes a moment to end
		if len(strangers(j.victim, pid)) == 0 {
			break
		}
		pause()
	}
	for _, left := range strangers(j.victim, pid) {
		out = append(out, "process: left "+left)
	}
	after := tree()
	for path, state := range after {
		if before, known := j.before[path]; !known {
			out = append(out, "file: made "+path)
		} else if before != state {
			out = append(out, "file: changed "+path)
		}
	}
	for path := range j.before {
		if _, known := after[path]; !known {
			out = append(out, "file: deleted "+path)
		}
	}
	return out
}

// unharmed reports whether a process got no signal, including one that is still pending.
func unharmed(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case name == "SigPnd" || name == "ShdPnd":
			// Go's scheduler sends itself SIGURG.
			pending, err := strconv.ParseUint(value, 16, 64)
			if err != nil || pending&^(1<<(unix.SIGURG-1)) != 0 {
				return false
			}
		case name == "State" && (value[0] == 'Z' || value[0] == 'X' || value[0] == 'T'):
			return false
		}
	}
	return true
}

// counters are the kernel's of the jail's network: connections and packets that were sent.
func counters() string {
	text, _ := os.ReadFile("/proc/net/snmp")
	var out, names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(names) == 0 {
			names = fields
			continue
		}
		for i, name := range names {
			if name == "ActiveOpens" || name == "OutDatagrams" || name == "OutMsgs" || name == "OutRequests" {
				out = append(out, name+" "+fields[i])
			}
		}
		names = nil
	}
	return strings.Join(out, " ")
}

// local is how many reached the named sockets, in addition to the one that asks: servers count in order.
func (j *jail) local() int64 {
	for _, address := range named {
		connection, err := net.Dial("unix", address)
		if err != nil {
			continue // it was deleted
		}
		_, _ = connection.Read(make([]byte, 1)) // it is closed when it was counted
		_ = connection.Close()
		j.own++
	}
	return j.reached.Load() - j.own
}

var named = []string{"/run/docker.sock", "/run/agent.sock", "@abstract"}

// strangers are processes that should not be here.
func strangers(known ...int) []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []string{"?"}
	}
	var out []string
next:
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == 1 || stateOf(pid) == "Z" {
			continue
		}
		for _, id := range known {
			if pid == id {
				continue next
			}
		}
		name, _ := os.ReadFile("/proc/" + entry.Name() + "/comm")
		out = append(out, strings.TrimSpace(string(name)))
	}
	return out
}

// tree describes every file that could be changed. The inode's change time shows every change.
func tree() map[string]string {
	out := map[string]string{}
	for _, root := range []string{"/srv", "/home", "/root", "/tmp", "/var", "/run", "/dev", "/opt", "/launch"} {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			var stat unix.Stat_t
			if err != nil || unix.Lstat(path, &stat) != nil || path == "/dev/pts" || path == "/opt/template" {
				return fs.SkipDir
			}
			if path == "/launch" {
				return nil // launchers make and remove directories here
			}
			out[path] = fmt.Sprint(stat.Ino, stat.Mode, stat.Size, stat.Uid, stat.Nlink, stat.Ctim)
			if stat.Mode&unix.S_IFMT == unix.S_IFCHR {
				out[path] = fmt.Sprint(stat.Mode, stat.Rdev) // a device that is used has another time
			}
			return nil
		})
	}
	return out
}
