//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// spec is a run with everything resolved: what is applied, with nothing left to look up.
type spec struct {
	Path       string        `json:"path"`
	Argv       []string      `json:"argv"`
	Env        []string      `json:"env"`
	Dir        string        `json:"dir"`
	Obligation v1.Obligation `json:"obligation"`
	// ABI is that of Landlock.
	ABI int `json:"abi"`
	// Staged states that the run gets namespaces.
	Staged bool `json:"staged"`
	// Private are directories that are the run's own.
	Private []string `json:"private"`
	// Placeholders are paths that don't exist outside of runs, and that must not be created.
	Placeholders []string `json:"placeholders"`
	// Terminal is the descriptor of a terminal whose foreground the caller has, or -1.
	Terminal int `json:"terminal"`
	// Signals states whether signals are passed on.
	Signals bool `json:"signals"`
	// ParentTemporary is a directory to remove afterwards, or empty.
	ParentTemporary string `json:"-"`

	// orphaned is closed when the outer stage has ended; nil without stages.
	orphaned <-chan struct{}
}

// shared are directories for everybody's temporary files. A project run gets empty ones.
var shared = []string{"/tmp", "/var/tmp", "/dev/shm"}

func newSpec(command *Command) (*spec, error) {
	s := &spec{Argv: command.Argv, Dir: command.Dir, Obligation: command.Obligation, ABI: landlockABI(), Terminal: -1, Signals: !command.NoSignals}
	if s.ABI < minLandlock {
		return nil, fmt.Errorf("%w: %s", ErrUnsupported, landlockMissing(s.ABI))
	}
	o := &s.Obligation
	s.Staged = o.Profile == v1.ProfileProject || len(o.Hide) > 0 || len(o.Protect) > 0 || o.Network == v1.NetworkLoopback
	if s.Signals {
		s.Terminal = foreground()
	}
	if err := checkStreams(s.Staged); err != nil {
		return nil, err
	}
	if err := s.makeTemporary(); err != nil {
		return nil, err
	}
	s.Env = environment(command.Env, o.Environment.Drop, s.Private[0])
	path, err := findProgram(command.Argv[0], command.Dir, lookup(s.Env, "PATH"))
	if err != nil {
		s.cleanUp()
		return nil, err
	}
	s.Path = path
	return s, nil
}

func landlockMissing(abi int) string {
	if abi == 0 {
		return "the kernel has no Landlock, or lsm= doesn't list it"
	}
	return fmt.Sprintf("Landlock has ABI %d, %d is needed (Linux 6.7)", abi, minLandlock)
}

// makeTemporary gives the run private temporary directories. Those of a project run are mounted.
func (s *spec) makeTemporary() error {
	if s.Obligation.Profile == v1.ProfileProject {
		for _, dir := range shared {
			if info, err := os.Lstat(dir); err == nil && info.IsDir() {
				s.Private = append(s.Private, dir)
			}
		}
		if len(s.Private) == 0 || s.Private[0] != shared[0] {
			return fmt.Errorf("%w: %s is no directory", ErrUnsupported, shared[0])
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "policyd-run-")
	if err != nil {
		return fmt.Errorf("make temporary directory: %w", err)
	}
	s.ParentTemporary = dir
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		s.cleanUp()
		return fmt.Errorf("make temporary directory: %w", err)
	}
	s.Private = []string{real}
	return nil
}

// cleanUp removes the remains of a run from its temporary directory. A program may have removed rights from
// its own directories.
func (s *spec) cleanUp() {
	if s.ParentTemporary == "" || os.RemoveAll(s.ParentTemporary) == nil {
		return
	}
	_ = filepath.WalkDir(s.ParentTemporary, func(path string, entry os.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			giveBack(path)
		}
		return nil
	})
	_ = os.RemoveAll(s.ParentTemporary)
}

// giveBack gives the owner all rights to a directory, so that it can be emptied. Processes of the program may
// still run, so it follows no link: this process isn't contained.
func giveBack(path string) {
	fd, err := openReal(path)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	_ = unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), unix.S_IRWXU)
}

// findProgram searches PATH as a shell does.
func findProgram(name, dir, path string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, isProgram(name)
	}
	refused := error(nil)
	for _, entry := range filepath.SplitList(path) {
		if !filepath.IsAbs(entry) {
			entry = filepath.Join(dir, entry)
		}
		candidate := filepath.Join(entry, name)
		err := isProgram(candidate)
		if err == nil {
			return candidate, nil
		}
		if !errors.Is(err, ErrNotFound) {
			refused = err
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", fmt.Errorf("%w: %s", ErrNotFound, name)
}

func isProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil && !os.IsPermission(err):
		return fmt.Errorf("%w: %s", ErrNotFound, path)
	case err != nil:
		return fmt.Errorf("start %s: %w", path, err)
	case info.IsDir():
		return fmt.Errorf("start %s: is a directory", path)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	return nil
}

// foreground is the descriptor among the standard ones that is a terminal whose foreground this process has.
func foreground() int {
	for fd := range 3 {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err == nil && group == unix.Getpgrp() {
			return fd
		}
	}
	return -1
}

// checkStreams refuses standard streams that give access to more than themselves. A datagram socket can send
// to any other, and a listening one accepts connections. In a mount namespace, a read-only directory or file
// leads to the mounts outside, so such a file is reopened there (see reopenStreams).
func checkStreams(staged bool) error {
	for fd := range 3 {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			continue // it is closed
		}
		switch stat.Mode & unix.S_IFMT {
		case unix.S_IFSOCK:
			kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
			listening, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
			if err != nil || listening != 0 || !slices.Contains([]int{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}, kind) {
				return fmt.Errorf("check standard streams: descriptor %d is a socket that reaches others", fd)
			}
		case unix.S_IFDIR:
			if staged {
				return fmt.Errorf("check standard streams: descriptor %d is a directory", fd)
			}
		}
	}
	return nil
}
