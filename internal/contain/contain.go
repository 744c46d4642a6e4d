package contain

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// Errors that callers distinguishes with errors.Is.
var (
	// ErrNotFound means that no program has the name.
	ErrNotFound = errors.New("program not found")
	// ErrUnsupported means that this machine can't enforce the obligation.
	ErrUnsupported = errors.New("can't be enforced on this machine")
)

// MaxRefusals bounds the refusals that a run collects. Refused is the first of each kind.
const MaxRefusals = 20

// Command is a program to run and the obligation to run it under. All fields are needed.
type Command struct {
	// Argv is the program and its arguments. A name without a slash is searched in the PATH
	// of Env.
	Argv []string
	// Dir is the absolute working directory.
	Dir string
	// Env is the environment, before the obligation limits it.
	Env        []string
	Obligation v1.Obligation
	// NoSignals leaves the signals of the calling process alone: nothing is passed on to the
	// program, and a terminal isn't handed over. For probes and tests.
	NoSignals bool
}

// Result is how a run ended.
type Result struct {
	// ExitCode is the program's, if Signal is 0.
	ExitCode int
	// Signal ended the program, if it isn't 0.
	Signal int
	// Refused are distinct, at most MaxRefusals, in the order in which they were seen. A refusal
	// that the program caused but that the kernel reports nowhere is missing.
	Refused []v1.Refusal
}

// Capability states whether a profile can be enforced here.
type Capability struct {
	Profile string
	Works   bool
	// Why is the reason if it doesn't work, and what a person can do.
	Why string
}

// Report is what Probe found out.
type Report struct {
	Capabilities []Capability
	// Mechanisms describe what is used, such as "landlock abi 7".
	Mechanisms []string
}

// Works reports whether a profile can be enforced here. The zero value of a Report works for none.
func (r *Report) Works(profile string) bool {
	return slices.ContainsFunc(r.Capabilities, func(c Capability) bool { return c.Profile == profile && c.Works })
}

// Run runs the program under its obligation and waits for it. An error means that the program
// wasn't started. Standard input, output and error are the caller's own. While it runs, the
// process's signals belong to it, so it must not be called concurrently.
func Run(command *Command) (*Result, error) {
	if err := check(command); err != nil {
		return nil, err
	}
	return run(command)
}

// check refuses what isn't an obligation that this package understands to the word.
func check(command *Command) error {
	o := &command.Obligation
	switch {
	case len(command.Argv) == 0 || command.Argv[0] == "":
		return errors.New("read command: it names no program")
	case !filepath.IsAbs(command.Dir):
		return fmt.Errorf("read command: directory %q is not absolute", command.Dir)
	case o.Kind != v1.ObligationContain:
		return fmt.Errorf("read obligation: unknown kind %q", o.Kind)
	case o.Profile != v1.ProfileReadOnly && o.Profile != v1.ProfileProject:
		return fmt.Errorf("read obligation: unknown profile %q", o.Profile)
	case o.Network != v1.NetworkNone && o.Network != v1.NetworkLoopback:
		return fmt.Errorf("read obligation: unknown network %q", o.Network)
	case o.Profile == v1.ProfileReadOnly && len(o.Write) > 0:
		return fmt.Errorf("read obligation: profile %s lets nothing be written, but write names %q", o.Profile, o.Write[0])
	}
	return checkPaths(o)
}

// checkPaths returns an error unless each path of an obligation is absolute and clean, and
// no device or kernel file system is writable.
func checkPaths(o *v1.Obligation) error {
	for _, path := range slices.Concat(o.Read, o.Write, o.Protect, o.Hide) {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.ContainsRune(path, 0) {
			return fmt.Errorf("read obligation: %q is not an absolute, clean path", path)
		}
	}
	for _, path := range o.Write {
		if slices.Contains([]string{"/", "/dev", "/proc", "/sys"}, path) {
			return fmt.Errorf("read obligation: %q can't be let be written", path)
		}
	}
	return nil
}

// below reports whether path is dir or is below it. Both are absolute and clean.
func below(path, dir string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
}

// belowAny reports whether path is one of dirs or is below one.
func belowAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return below(path, dir) })
}
