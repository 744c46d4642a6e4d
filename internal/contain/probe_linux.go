//go:build amd64 || arm64

package contain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// This program starts itself under probeName with a profile, which starts itself contained with checkWord, a profile and
// a directory.
const (
	probeName = "policyd-contain-probe"
	probeArgs = 2
	checkWord = "--policyd-contain-check"
	checkArgs = 4
	// probePatience is far more than a probe needs.
	probePatience = 10 * time.Second
)

// hookProgram runs programs contained, too, and starts in a fraction of the time that policyd takes.
const hookProgram = "policyd-hook"

// Probe tries each profile in a process of its own and reports which work here. The calling program must call
// Stage first thing in main.
func Probe() Report {
	report := Report{Mechanisms: []string{fmt.Sprintf("landlock abi %d", landlockABI()), "seccomp", userNamespaces()}}
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		why := probe(profile)
		report.Capabilities = append(report.Capabilities, Capability{Profile: profile, Works: why == "", Why: why})
	}
	return report
}

// userNamespaces describes who may make namespaces.
func userNamespaces() string {
	if hasCapability(unix.CAP_SYS_ADMIN) {
		return "namespaces by root"
	}
	return "user namespaces"
}

// probe returns why a profile doesn't work.
func probe(profile string) string {
	if !staged.Load() {
		return errNoStage.Error()
	}
	if program, err := beside(); err == nil && try(program, profile) == "" {
		return ""
	}
	text := try("/proc/self/exe", profile)
	if text == "" {
		return ""
	}
	if profile == v1.ProfileProject && landlockABI() >= minLandlock {
		text += namespaceAdvice()
	}
	return text
}

// beside returns the hook program in the directory of this one.
func beside() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return exec.LookPath(filepath.Join(filepath.Dir(self), hookProgram))
}

// try returns why a program can't run itself contained. One that knows no probes says something.
func try(program, profile string) string {
	ctx, cancel := context.WithTimeout(context.Background(), probePatience)
	defer cancel()
	command := exec.CommandContext(ctx, program)
	command.Args = []string{probeName, profile}
	command.Env = []string{"PATH=/usr/bin:/bin"}
	output, err := command.CombinedOutput()
	if text := strings.TrimSpace(string(output)); text != "" || err == nil {
		return text
	}
	return err.Error()
}

// namespaceAdvice names the settings that commonly switch user namespaces off.
func namespaceAdvice() string {
	for _, setting := range []struct{ path, off, advice string }{
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1 allows user namespaces"},
		{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces is 0"},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor restricts user namespaces; a profile for policyd-hook with \"userns\" allows them"},
	} {
		text, err := os.ReadFile(setting.path)
		if err == nil && strings.TrimSpace(string(text)) == setting.off {
			return "; " + setting.advice
		}
	}
	if _, err := os.Stat("/.dockerenv"); err == nil {
		return "; the container's seccomp profile may forbid namespaces"
	}
	return ""
}

// probeOne runs this program contained, in a directory that it makes.
func probeOne(profile string) int {
	dir, err := os.MkdirTemp("", "policyd-probe-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return fail(err)
	}
	for _, name := range []string{"protected", "hidden"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			return fail(err)
		}
	}
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fail(err)
	}
	obligation := v1.Obligation{
		Kind: v1.ObligationContain, Profile: profile, Read: []string{"/", self}, Network: v1.NetworkNone,
	}
	if profile == v1.ProfileProject {
		obligation.Write = []string{dir}
		obligation.Protect = []string{filepath.Join(dir, "protected"), filepath.Join(dir, "missing")}
		obligation.Hide = []string{filepath.Join(dir, "hidden")}
	}
	result, err := Run(&Command{
		Argv: []string{self, checkWord, profile, dir}, Dir: dir, Env: os.Environ(), Obligation: obligation, NoSignals: true,
	})
	if err != nil {
		return fail(err)
	}
	if result.Signal != 0 {
		return fail(fmt.Errorf("the trial was ended by signal %d", result.Signal))
	}
	return result.ExitCode
}

func fail(err error) int {
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

// checkInside tries what the profile refuses, and what it allows.
func checkInside(profile, dir string) int {
	if err := tryAll(profile == v1.ProfileProject, dir); err != nil {
		return fail(err)
	}
	return 0
}

func tryAll(project bool, dir string) error {
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err == nil {
		return errors.Join(errors.New("a socket could be opened"), unix.Close(fd))
	}
	written := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) //nolint:gosec // this program named the directory
	if !project {
		if written == nil {
			return errors.New("a file could be written")
		}
		return nil
	}
	if written != nil {
		return fmt.Errorf("the project could not be written: %w", written)
	}
	for _, name := range []string{"protected", "missing"} {
		if os.WriteFile(filepath.Join(dir, name), nil, 0o600) == nil { //nolint:gosec // as above
			return errors.New("a protected path could be written")
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "hidden")); err == nil && len(text) > 0 { //nolint:gosec // as above
		return errors.New("a hidden file could be read")
	}
	return nil
}
