package contain

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	v1 "policyd/api/v1"
)

// sandboxExec applies a profile and executes a program.
const sandboxExec = "/usr/bin/sandbox-exec"

// Stage does nothing here.
func Stage() {}

// run was never tried on a Mac. sandbox-exec executes the program in its place, so exit status and signals
// are the program's.
func run(command *Command) (*Result, error) {
	if command.Obligation.Network == v1.NetworkLoopback {
		return nil, fmt.Errorf("%w: macOS has no loopback of a run's own", ErrUnsupported)
	}
	temporary, err := os.MkdirTemp("", "policyd-run-")
	if err != nil {
		return nil, fmt.Errorf("make temporary directory: %w", err)
	}
	defer os.RemoveAll(temporary)
	if temporary, err = filepath.EvalSymlinks(temporary); err != nil {
		return nil, fmt.Errorf("make temporary directory: %w", err)
	}
	env := environment(command.Env, command.Obligation.Environment.Drop, temporary)
	child := exec.Command(sandboxExec, append([]string{"-p", seatbelt(&command.Obligation, temporary)}, command.Argv...)...) //nolint:noctx // it ends when the program ends
	child.Dir, child.Env = command.Dir, env
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 16)
	if !command.NoSignals {
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		defer signal.Stop(signals)
	}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	go func() {
		for sig := range signals {
			_ = child.Process.Signal(sig)
		}
	}()
	err = child.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("wait for the program: %w", err)
	}
	result := &Result{ExitCode: child.ProcessState.ExitCode()}
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		result.ExitCode, result.Signal = 0, int(status.Signal())
	}
	return result, nil
}

// Probe checks only whether sandbox-exec exists.
func Probe() Report {
	why := ""
	if _, err := os.Stat(sandboxExec); err != nil {
		why = sandboxExec + " is missing"
	}
	return Report{Mechanisms: []string{"sandbox-exec"}, Capabilities: []Capability{
		{Profile: v1.ProfileReadOnly, Works: why == "", Why: why}, {Profile: v1.ProfileProject, Works: why == "", Why: why},
	}}
}
