//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// forwarded are the signals that are meant for the program. The terminal's own go to the program's
// process group.
var forwarded = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT, unix.SIGTSTP}

// ended is how the program ended, or why it didn't start.
type ended struct {
	status  syscall.WaitStatus
	refused []v1.Refusal
	err     error
}

// process is a program on a confined thread.
type process struct {
	spec    *spec
	signals chan os.Signal
	watcher *watcher
	pid     int
	// suspend stops the outer process, after the program was stopped. It returns when that is continued, and whether
	// it then has the terminal's foreground.
	suspend func() bool
}

// start runs a program to its end. Files and namespaces must be ready.
func (s *spec) start(suspend func() bool) ended {
	p := &process{spec: s, suspend: suspend, signals: make(chan os.Signal, 16)}
	if s.Signals {
		p.listen()
		defer signal.Stop(p.signals)
	}
	// Orphans of the run become children of this process, so that none outlives it.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return ended{err: fmt.Errorf("adopt orphans: %w", err)}
	}
	// Descriptors other than the standard streams aren't for the program.
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return ended{err: fmt.Errorf("keep descriptors from the program: %w", err)}
	}
	if err := limitCoreDumps(); err != nil {
		return ended{err: err}
	}
	started, release := make(chan error, 1), make(chan struct{})
	defer close(release)
	go onOwnThread(func() { p.onThread(started, release) })
	if err := <-started; err != nil {
		return ended{err: err, refused: p.watcher.finish()}
	}
	select {
	case <-s.orphaned:
		_ = unix.Kill(-1, unix.SIGKILL)
	default:
	}
	stopForwarding := p.forward()
	status := p.wait()
	stopForwarding()
	p.endOrphans()
	return ended{status: status, refused: p.watcher.finish()}
}

// listen handles signals before the program starts, so that none ends this process alone. A signal that the
// caller ignores stays ignored, for the program, too.
func (p *process) listen() {
	for _, sig := range forwarded {
		if sig == unix.SIGCONT && p.spec.Terminal >= 0 {
			continue // see stopped
		}
		if !signal.Ignored(sig) {
			signal.Notify(p.signals, sig)
		}
	}
}

// onOwnThread runs a function on a thread that is used for nothing else, and ends with the function. It is
// never the process's first thread: the limits of the first thread decide whether a contained program may
// signal and trace a process.
func onOwnThread(do func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		do()
		return // locked, so that the thread ends
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		onOwnThread(do)
	}()
	<-done // until then the first thread stays locked
	runtime.UnlockOSThread()
}

// onThread starts the program from the calling thread, which is confined. The kernel kills the program if the thread
// ends before release.
func (p *process) onThread(started chan<- error, release <-chan struct{}) {
	listener, err := p.spec.confine()
	if err == nil && listener >= 0 {
		p.watcher, err = newWatcher(listener, p.spec.Obligation.Profile == v1.ProfileReadOnly, refusedBy(&p.spec.Obligation, p.spec.Private))
	}
	if err != nil {
		started <- err
		return
	}
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.spec.Terminal >= 0 {
		attributes.Foreground, attributes.Ctty = true, p.spec.Terminal
	} else if p.spec.Staged {
		attributes.Setpgid = true
	}
	p.pid, err = syscall.ForkExec(p.spec.Path, p.spec.Argv, &syscall.ProcAttr{
		Dir: p.spec.Dir, Env: p.spec.Env, Files: []uintptr{0, 1, 2}, Sys: attributes,
	})
	if err != nil {
		started <- fmt.Errorf("start %s: %w", p.spec.Path, err)
		return
	}
	started <- nil
	<-release
}

// wait reaps children until the program ended.
func (p *process) wait() syscall.WaitStatus {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return syscall.WaitStatus(unix.SIGKILL) // it can't have been lost otherwise
		case pid != p.pid:
		case status.Stopped():
			p.stopped()
		default:
			return status
		}
	}
}

// stopped passes a stop of the program on, if it has the terminal: the shell that started this process
// waits for this one.
func (p *process) stopped() {
	if p.spec.Terminal < 0 {
		return
	}
	takeTerminal(p.spec.Terminal, unix.Getpgrp())
	if p.suspend() {
		takeTerminal(p.spec.Terminal, p.pid)
	}
	_ = unix.Kill(-p.pid, unix.SIGCONT)
}

// takeTerminal puts a process group into the foreground. The kernel stops a background process that does so,
// unless it ignores the signal.
func takeTerminal(fd, group int) {
	signal.Ignore(unix.SIGTTOU)
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, group)
	signal.Reset(unix.SIGTTOU)
}

// stopSelf is what a stop from the keyboard does. It returns when this process continues, and whether it has the
// terminal's foreground.
func stopSelf() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	raise(unix.SIGSTOP)
	return foreground() >= 0
}

// forward passes signals on until the returned function is called.
func (p *process) forward() func() {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case sig := <-p.signals:
				if number, ok := sig.(syscall.Signal); ok {
					_ = unix.Kill(p.pid, number)
				}
			}
		}
	}()
	return func() { close(end); <-done }
}

// orphanPatience bounds the killing of remaining processes of the program.
const orphanPatience = 2 * time.Second

// endOrphans kills what the program left. In a process namespace the kernel does it.
func (p *process) endOrphans() {
	if p.spec.Staged {
		return
	}
	for deadline := time.Now().Add(orphanPatience); time.Now().Before(deadline); {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return
		case err != nil || pid > 0:
			continue
		}
		for _, child := range children() {
			_ = unix.Kill(child, unix.SIGKILL)
		}
		_, _ = syscall.Wait4(-1, nil, 0, nil)
	}
}

// children are the process ids of this process's children.
func children() []int {
	var out []int
	own := strconv.Itoa(os.Getpid())
	tasks, err := os.ReadDir("/proc/" + own + "/task")
	if err != nil {
		return nil
	}
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/" + own + "/task/" + task.Name() + "/children")
		if err != nil {
			return childrenByParent(own)
		}
		for field := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// childrenByParent is for kernels without a list of children.
func childrenByParent(own string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == own {
			out = append(out, pid)
		}
	}
	return out
}
