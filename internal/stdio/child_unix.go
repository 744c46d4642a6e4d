//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

// signalled is what shells add to the number of the signal that ended a program.
const signalled = 128

// group gives the child a process group, so that it ends with its children: package runners start the actual
// program.
func group(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ask asks the child and its children to end.
func ask(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }

func codeOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal())
	}
	return state.ExitCode()
}
