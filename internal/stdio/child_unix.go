//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

// signalled is what shells add to the number of the signal that ended a program.
const signalled = 128

// group gives the child a group of its own, so that it ends with what it started:
// package runners start the program that was meant.
func group(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ask asks the child and what it started to end.
func ask(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }

func codeOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal())
	}
	return state.ExitCode()
}
