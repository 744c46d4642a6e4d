//go:build amd64 || arm64

package contain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// A run with namespaces has two stages, since a Go program can't enter a user namespace itself. This
// program starts itself as the first process of the namespaces, under stageName. That one makes the
// mounts, starts the program confined, and ends; with it the kernel ends all that is left.
const (
	stageName = "policyd-contained"
	specFD    = 3
	resultFD  = 4
)

// message is what the stage writes, one JSON value after another.
type message struct {
	// Stopped states that the program was stopped and has the terminal.
	Stopped bool `json:"stopped,omitempty"`
	// Error states why nothing ran. NotFound is true if the program is missing.
	Error    string       `json:"error,omitempty"`
	NotFound bool         `json:"not_found,omitempty"`
	Ended    bool         `json:"ended,omitempty"`
	Status   uint32       `json:"status"`
	Refused  []v1.Refusal `json:"refused,omitempty"`
}

// staged is set by Stage. Without it this program, started again, would run from its beginning, and start itself again.
var staged atomic.Bool

var errNoStage = fmt.Errorf("%w: this program doesn't call contain.Stage first in main", ErrUnsupported)

// Stage runs the inner stage of a contained run if this process was started as one, and then doesn't return.
// A program that calls Run or Probe must call it first in main; otherwise both refuse.
func Stage() {
	staged.Store(true)
	switch {
	case len(os.Args) == probeArgs && os.Args[0] == probeName:
		os.Exit(probeOne(os.Args[1]))
	case len(os.Args) == checkArgs && os.Args[1] == checkWord:
		os.Exit(checkInside(os.Args[2], os.Args[3]))
	case len(os.Args) != 1 || os.Args[0] != stageName:
		return
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	_ = unix.SetNonblock(specFD, true) // so that waiting for its end takes no thread
	results, specs, s := json.NewEncoder(os.NewFile(resultFD, "results")), os.NewFile(specFD, "spec"), &spec{}
	if err := json.NewDecoder(specs).Decode(s); err != nil {
		_ = results.Encode(message{Error: fmt.Sprintf("read the run: %s", err)})
		os.Exit(1)
	}
	s.orphaned = whenOrphaned(specs)
	if final := s.stage(results); results.Encode(final) != nil {
		<-s.orphaned
		s.tidy()
		os.Exit(1)
	}
	os.Exit(0)
}

// whenOrphaned closes the returned channel at the end of the outer stage, which has the other end of a pipe, and then
// kills all that is in the namespaces. A program that starts later is killed when it has started.
func whenOrphaned(pipe io.Reader) <-chan struct{} {
	orphaned := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		close(orphaned)
		_ = unix.Kill(-1, unix.SIGKILL)
	}()
	return orphaned
}

func (s *spec) stage(results *json.Encoder) message {
	if err := s.arrange(); err != nil {
		return message{Error: err.Error()}
	}
	out := s.start(func() bool { return suspendOuter(results) })
	if out.err != nil {
		return message{Error: out.err.Error(), NotFound: errors.Is(out.err, ErrNotFound) || errors.Is(out.err, syscall.ENOENT)}
	}
	return message{Ended: true, Status: uint32(out.status), Refused: out.refused}
}

// continueInFront is what the outer stage sends if it has the terminal's foreground when it continues. Process groups
// outside have no number in here.
const continueInFront = unix.Signal(40)

// suspendOuter has the outer stage stopped, and waits until it continues.
func suspendOuter(results *json.Encoder) bool {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT, continueInFront)
	defer signal.Stop(continued)
	return results.Encode(message{Stopped: true}) == nil && <-continued == continueInFront
}

// runStaged runs a spec in namespaces of its own.
func (s *spec) runStaged() ended {
	if !staged.Load() {
		return ended{err: errNoStage}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return ended{err: fmt.Errorf("write the run: %w", err)}
	}
	specRead, specWrite, err := os.Pipe()
	if err != nil {
		return ended{err: err}
	}
	defer specWrite.Close()
	resultRead, resultWrite, err := os.Pipe()
	if err != nil {
		return ended{err: errors.Join(err, specRead.Close())}
	}
	defer resultRead.Close()
	p := &process{spec: s, signals: make(chan os.Signal, 16)}
	if s.Signals {
		p.listen()
		defer signal.Stop(p.signals)
	}
	p.pid, err = s.startStage(specRead, resultWrite)
	_ = errors.Join(specRead.Close(), resultWrite.Close())
	if err != nil {
		return ended{err: fmt.Errorf("%w: make namespaces: %w", ErrUnsupported, err)}
	}
	defer p.forward()()
	if _, err := specWrite.Write(text); err != nil {
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
	out := p.follow(resultRead)
	p.reap()
	if s.Terminal >= 0 {
		takeTerminal(s.Terminal, unix.Getpgrp())
	}
	return out
}

// startStage starts this program again, as the first process of new namespaces.
func (s *spec) startStage(specRead, resultWrite *os.File) (int, error) {
	attributes := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC, Setpgid: true,
	}
	if s.Obligation.Network == v1.NetworkLoopback {
		attributes.Cloneflags |= unix.CLONE_NEWNET
	}
	if !hasCapability(unix.CAP_SYS_ADMIN) {
		attributes.Cloneflags |= unix.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		attributes.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	}
	return syscall.ForkExec("/proc/self/exe", []string{stageName}, &syscall.ProcAttr{
		Env: []string{"GOTRACEBACK=none"}, Files: []uintptr{0, 1, 2, specRead.Fd(), resultWrite.Fd()}, Sys: attributes,
	})
}

// follow reads what the stage writes.
func (p *process) follow(results io.Reader) ended {
	decoder := json.NewDecoder(results)
	for {
		var got message
		if err := decoder.Decode(&got); err != nil {
			// The stage was killed, and everything in its namespaces with it.
			return ended{status: syscall.WaitStatus(unix.SIGKILL)}
		}
		switch {
		case got.Stopped:
			next := unix.SIGCONT
			if stopSelf() {
				next = continueInFront
			}
			_ = unix.Kill(p.pid, next)
		case got.Ended:
			return ended{status: syscall.WaitStatus(got.Status), refused: got.Refused}
		case got.NotFound:
			return ended{err: fmt.Errorf("%w: %s", ErrNotFound, got.Error)}
		default:
			return ended{err: errors.New(got.Error)}
		}
	}
}

func (p *process) reap() {
	for {
		if _, err := syscall.Wait4(p.pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}
