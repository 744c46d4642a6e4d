// Command jailer is all that runs inside the jail of the oracle: the server that hands one line after another
// to a real bash, and the program that is in for every other program, which only writes down that it was
// started.
//
// As a stand-in it is the interpreter of small files, so that the kernel passes it the path that was really
// executed: a process's own name proves nothing.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// Places inside the jail.
const (
	logFile    = "/.oracle/started"
	statusFile = "/.oracle/status"
	realDir    = "/.oracle/real/"
)

// mostLog bounds what one line may write down, in bytes: a line that loops for
// ever says nothing new, and is ended.
const mostLog = 1 << 15

// underVariable contains the process in which a stand-in was started, also if a shell forked in between.
const underVariable = "ORACLE_UNDER"

// started is one program that a line started.
type started struct {
	PID    int      `json:"pid"`
	Parent int      `json:"parent"`
	Under  string   `json:"under"`
	Path   string   `json:"path"`
	Args   []string `json:"args"`
	Dir    string   `json:"dir"`
}

func main() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	var err error
	code := 0
	switch os.Args[1] {
	case "serve":
		err = serve(os.Stdin, os.Stdout)
	case "reap":
		err = syscall.Kill(-1, syscall.SIGKILL)
	default:
		code, err = standIn(os.Args[1], os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "jailer:", err)
		os.Exit(2)
	}
	os.Exit(code)
}

// standIn notes the start and becomes the real program, if the jail holds it.
func standIn(name string, args []string) (int, error) {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	s := started{
		PID: os.Getpid(), Parent: os.Getppid(), Under: os.Getenv(underVariable), Path: name, Args: args, Dir: dir,
	}
	if err := note(s); err != nil {
		return 2, err
	}
	base := path.Base(name)
	if real := realDir + base; path.IsAbs(name) {
		if _, err := os.Stat(real); err == nil {
			if err := os.Setenv(underVariable, strconv.Itoa(os.Getpid())); err != nil {
				return 2, err
			}
			return 2, syscall.Exec(real, append([]string{base}, args...), os.Environ())
		}
	}
	return status(base, args), nil
}

func note(s started) error {
	file, err := os.OpenFile(logFile, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return err
	} else if info.Size() > mostLog {
		return syscall.Kill(0, syscall.SIGKILL)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if len(text) > mostLog {
		return syscall.Kill(0, syscall.SIGKILL) // words that fill more than the file may hold
	}
	_, err = file.Write(append(text, '\n'))
	return err
}

// status is the exit status of a stand-in: the line is run as if all succeeded, as if all failed, or half and
// half, so that both sides of && and || are run.
func status(base string, args []string) int {
	switch base {
	case "true":
		return 0
	case "false":
		return 1
	}
	mode, err := os.ReadFile(statusFile)
	if err != nil || len(mode) == 0 || mode[0] == '0' {
		return 0
	}
	if mode[0] == '1' {
		return 1
	}
	return (len(base) + len(strings.Join(args, ""))) % 2
}
