//go:build !unix

package stdio

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

func ask(command *exec.Cmd) error { return command.Process.Kill() }

func codeOf(state *os.ProcessState) int { return state.ExitCode() }
