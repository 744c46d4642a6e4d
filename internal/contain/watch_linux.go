//go:build amd64 || arm64

package contain

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// Structures of linux/seccomp.h.
type (
	notification struct {
		id    uint64
		pid   uint32
		flags uint32
		data  callData
	}
	callData struct {
		number             int32
		arch               uint32
		instructionPointer uint64
		args               [6]uint64
	}
	response struct {
		id    uint64
		val   int64
		error int32
		flags uint32
	}
)

// watcher answers the system calls that the filter passes to it. It never allows one: a call is denied by its
// number alone, or continues to Landlock and the mounts. The memory of the program that it reads only
// describes a refusal.
type watcher struct {
	listener int
	denied   map[int]bool
	stop     *os.File // closed by finish; its other end wakes the loop
	wake     *os.File
	judge    func(attempt) bool

	attempts chan attempt
	done     sync.WaitGroup
	refused  []v1.Refusal
	seen     map[v1.Refusal]bool
}

// attempt is a call that writes. denied is true if it was refused whatever its path.
type attempt struct {
	operation string
	path      string
	denied    bool
	// follows states that a link at the end is followed; creates that the path need not exist.
	follows, creates bool
}

// pending bounds the attempts that wait to be judged. More are not recorded.
const pending = 256

func newWatcher(listener int, readOnly bool, judge func(attempt) bool) (*watcher, error) {
	wake, stop, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	w := &watcher{
		listener: listener, wake: wake, stop: stop, judge: judge,
		denied: deniedCalls(readOnly), attempts: make(chan attempt, pending), seen: map[v1.Refusal]bool{},
	}
	w.done.Add(2)
	go w.answer()
	go w.record()
	return w, nil
}

// finish ends the watcher and returns what was refused.
func (w *watcher) finish() []v1.Refusal {
	if w == nil {
		return nil
	}
	_ = w.stop.Close()
	w.done.Wait()
	_ = w.wake.Close()
	_ = unix.Close(w.listener)
	return w.refused
}

func (w *watcher) answer() {
	defer w.done.Done()
	defer close(w.attempts)
	fds := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}, {Fd: int32(w.wake.Fd()), Events: unix.POLLIN}} //nolint:gosec // descriptors
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0 || (fds[1].Revents != 0 && fds[0].Revents == 0) {
			return
		}
		if fds[0].Revents&unix.POLLIN != 0 {
			w.answerOne()
		}
	}
}

func (w *watcher) answerOne() {
	var note notification
	//nolint:gosec // the kernel fills the structure
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&note))); errno != 0 {
		return // the program ended, or was interrupted
	}
	reply := response{id: note.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if w.denied[int(note.data.number)] {
		reply.flags = 0
		reply.error = -int32(errnoOf(int(note.data.number))) //nolint:gosec // error numbers are small
	}
	tried, known := describe(&note)
	//nolint:gosec // the kernel reads the structure
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&reply)))
	if !known {
		return
	}
	tried.denied = reply.error != 0
	select {
	case w.attempts <- tried:
	default:
	}
}

func errnoOf(number int) unix.Errno {
	if number == unix.SYS_SOCKET {
		return unix.EACCES
	}
	return unix.EPERM
}

func (w *watcher) record() {
	defer w.done.Done()
	for tried := range w.attempts {
		refusal := v1.Refusal{Operation: tried.operation, Target: tried.path}
		if len(w.refused) >= MaxRefusals || w.seen[refusal] || !w.judge(tried) {
			continue
		}
		w.seen[refusal] = true
		w.refused = append(w.refused, refusal)
	}
}

// call gives the arguments of a system call that are recorded: the descriptor of the directory, or none, and
// the path.
type call struct {
	operation string
	dir, path int
	follows   bool
	creates   bool
	// denied in profile read_only whatever the path.
	metadata bool
}

const none = -1

// Both names of a rename or a link are written to; the new one is recorded.
var commonCalls = map[int]call{
	unix.SYS_OPENAT:    {operation: "write", dir: 0, path: 1, follows: true, creates: true},
	unix.SYS_UNLINKAT:  {operation: "delete", dir: 0, path: 1},
	unix.SYS_RENAMEAT:  {operation: "rename", dir: 2, path: 3, creates: true},
	unix.SYS_RENAMEAT2: {operation: "rename", dir: 2, path: 3, creates: true},
	unix.SYS_MKDIRAT:   {operation: "create", dir: 0, path: 1, creates: true},
	unix.SYS_MKNODAT:   {operation: "create", dir: 0, path: 1, creates: true},
	unix.SYS_LINKAT:    {operation: "link", dir: 2, path: 3, creates: true},
	unix.SYS_SYMLINKAT: {operation: "link", dir: 1, path: 2, creates: true},
	unix.SYS_TRUNCATE:  {operation: "write", dir: none, path: 0, follows: true},
	unix.SYS_FCHMOD:    {operation: "change mode", dir: 0, path: none, metadata: true},
	unix.SYS_FCHMODAT:  {operation: "change mode", dir: 0, path: 1, metadata: true},
	unix.SYS_FCHMODAT2: {operation: "change mode", dir: 0, path: 1, metadata: true},
	unix.SYS_FCHOWN:    {operation: "change owner", dir: 0, path: none, metadata: true},
	unix.SYS_FCHOWNAT:  {operation: "change owner", dir: 0, path: 1, metadata: true},
	unix.SYS_UTIMENSAT: {operation: "change times", dir: 0, path: 1, metadata: true},
	unix.SYS_SOCKET:    {operation: "connect", dir: none, path: none},
}

// deniedCalls are refused by their number.
func deniedCalls(readOnly bool) map[int]bool {
	out := map[int]bool{unix.SYS_SOCKET: true}
	for _, calls := range []map[int]call{commonCalls, olderCalls} {
		for number := range calls {
			if readOnly && calls[number].metadata {
				out[number] = true
			}
		}
	}
	return out
}

// describe reads what a call names, while the program waits.
func describe(note *notification) (attempt, bool) {
	known, found := commonCalls[int(note.data.number)]
	if !found {
		known, found = olderCalls[int(note.data.number)]
	}
	if !found {
		return attempt{}, false
	}
	out := attempt{operation: known.operation, follows: known.follows, creates: known.creates}
	if note.data.number == unix.SYS_SOCKET {
		out.path = "the network"
		return out, true
	}
	process := "/proc/" + strconv.Itoa(int(note.pid))
	dir := process + "/cwd"
	if known.dir != none && int32(note.data.args[known.dir]) != unix.AT_FDCWD { //nolint:gosec // the kernel uses 32 bits
		dir = process + "/fd/" + strconv.Itoa(int(int32(note.data.args[known.dir]))) //nolint:gosec // as above
	}
	name := ""
	if known.path != none && note.data.args[known.path] != 0 {
		text, ok := readText(int(note.pid), note.data.args[known.path])
		if !ok {
			return attempt{}, false
		}
		name = text
	}
	return out, out.locate(process, dir, name)
}

// locate makes the path absolute. A path through /proc that means the program's own files is left out.
func (a *attempt) locate(process, dir, name string) bool {
	if !filepath.IsAbs(name) {
		base, err := os.Readlink(dir)
		if err != nil || !filepath.IsAbs(base) {
			return false
		}
		name = filepath.Join(base, name)
	}
	a.path = filepath.Clean(name)
	for _, own := range []string{"/proc/self", "/proc/thread-self", process, "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if below(a.path, own) {
			return false
		}
	}
	return true
}

// readText reads a string of another process. It doesn't cross into a page that isn't there.
func readText(pid int, address uint64) (string, bool) {
	const page = 4096
	var text []byte
	for len(text) < unix.PathMax {
		chunk := make([]byte, page-address%page)
		local := []unix.Iovec{{Base: &chunk[0]}}
		local[0].SetLen(len(chunk))
		n, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(chunk)}}, 0)
		if err != nil || n <= 0 {
			return "", false
		}
		if end := bytes.IndexByte(chunk[:n], 0); end >= 0 {
			return string(append(text, chunk[:end]...)), true
		}
		text = append(text, chunk[:n]...)
		address += uint64(n)
	}
	return "", false
}

// optionalWrites are files that programs write if they can: a refusal changes nothing that the person asked
// for.
var optionalWrites = []string{
	"/.git/index.lock", "/.lesshst", "/.python_history", "/.node_repl_history", "/.viminfo",
	"/.cargo/.package-cache", "/.cargo/.package-cache-mutate", "/.cargo/.global-cache",
}

// optionalParts are directories of that kind.
var optionalParts = []string{"/__pycache__", "/.cache/", "/v8-compile-cache/", "/.pytest_cache", "/.npm/_logs", "/go/telemetry/"}

func isOptional(path string) bool {
	for _, suffix := range optionalWrites {
		if strings.HasSuffix(path, suffix) {
			return true
		}
	}
	for _, part := range optionalParts {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

// refusedBy returns the judgement whether the obligation caused a refusal. If the path could not have been
// written anyway, the containment refused nothing.
func refusedBy(o *v1.Obligation, extra []string) func(attempt) bool {
	writable := append(append([]string{}, extra...), o.Write...)
	return func(tried attempt) bool {
		if tried.operation == "connect" {
			return true
		}
		if isOptional(tried.path) {
			return false
		}
		path, found := tried.resolve()
		if !found {
			return false
		}
		if tried.denied {
			return !belowAny(path, extra)
		}
		if belowAny(path, devices) || below(path, "/dev/pts") || below(path, "/dev/ptmx") {
			return false
		}
		return !belowAny(path, writable) || belowAny(path, o.Protect)
	}
}

// resolve returns the real path of what would be changed, if the files' own permissions let it be.
func (a *attempt) resolve() (string, bool) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(a.path))
	if err != nil {
		return "", false
	}
	path := filepath.Join(dir, filepath.Base(a.path))
	if a.follows {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	_, err = os.Lstat(path)
	switch {
	case err == nil && a.operation == "write":
		return path, mayWrite(path)
	case err == nil && a.denied:
		return path, true
	case err == nil && (a.operation == "create" || a.operation == "link"):
		return "", false // it is there already, which is another error
	case err == nil || a.creates:
		return path, mayWrite(filepath.Dir(path))
	}
	return "", false
}

// mayWrite checks permissions alone: a read-only mount belongs to the containment.
func mayWrite(path string) bool {
	err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
	return err == nil || errors.Is(err, unix.EROFS)
}
