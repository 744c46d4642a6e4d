//go:build linux && (amd64 || arm64)

// Package contain tests contained runs from outside: attempts to escape, every line of the corpora in a jail,
// real builds, terminals and cost.
package contain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
	"policyd/internal/contain"
)

// The test's program starts itself with these words.
const (
	wordLaunch  = "--test-launch"  // OBLIGATION -- ARGV: runs contained, and writes the result to descriptor 3
	wordAttempt = "--test-attempt" // NAME: tries to escape; the exit status is 0 if it did
	wordVictim  = "--test-victim"  // waits to be harmed
	wordJail    = "--test-jail"    // runs lines that it reads (see jail_test.go)
	wordSignals = "--test-signals" // prints the signals that it gets, until SIGTERM
)

// nobody is the ordinary user.
const nobody = 65534

// helper is a copy of the test's program where every user can run it.
var helper string

func TestMain(m *testing.M) {
	contain.Stage()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case wordLaunch:
			os.Exit(launchHere(os.Args[2], os.Args[4:]))
		case wordAttempt:
			os.Exit(attemptHere(os.Args[2]))
		case wordVictim:
			signal.Ignore(unix.SIGUSR1)
			_, _ = os.Stdout.WriteString("ready\n")
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		case wordSignals:
			os.Exit(signalsHere())
		case wordJail:
			os.Exit(jailHere())
		}
	}
	os.Exit(withHelper(m))
}

func signalsHere() int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGINT, unix.SIGHUP, unix.SIGUSR1, unix.SIGTERM)
	_, _ = fmt.Fprintln(os.Stdout, "ready")
	for got := range signals {
		_, _ = fmt.Fprintln(os.Stdout, got)
		if got == unix.SIGTERM {
			break
		}
	}
	return 9
}

func withHelper(m *testing.M) int {
	dir, err := os.MkdirTemp("", "policyd-contain-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	helper = filepath.Join(dir, "helper")
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(helper, text, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		panic(err)
	}
	return m.Run()
}

// launchHere runs a program contained as policyd run does, with an obligation from the command line.
func launchHere(text string, argv []string) int {
	obligation := v1.Obligation{}
	if err := json.Unmarshal([]byte(text), &obligation); err != nil {
		panic(err)
	}
	results := os.NewFile(3, "results")
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	result, err := contain.Run(&contain.Command{Argv: argv, Dir: dir, Env: os.Environ(), Obligation: obligation})
	if err != nil {
		fmt.Fprintf(os.Stderr, "launch: %s\n", err)
		return 126
	}
	_ = json.NewEncoder(results).Encode(result)
	if result.Signal != 0 {
		contain.Die(result.Signal)
	}
	return result.ExitCode
}

// launched is how a program ended.
type launched struct {
	stdout, stderr string
	state          *os.ProcessState
	result         *contain.Result
}

// launch is a way to start a program. The zero value starts it uncontained, as the test's user.
type launch struct {
	obligation *v1.Obligation
	uid        int
	dir        string
	env        []string
	stdin      *os.File
	// extra are inherited from descriptor 4 on.
	extra []*os.File
}

// command returns the command, and the reader of its result.
func (l *launch) command(t *testing.T, argv ...string) (*exec.Cmd, func() *contain.Result) {
	t.Helper()
	if l.obligation != nil {
		text, err := json.Marshal(l.obligation)
		require.NoError(t, err)
		argv = append([]string{helper, wordLaunch, string(text), "--"}, argv...)
	}
	command := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	command.Dir, command.Env = l.dir, append(os.Environ(), l.env...)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	command.ExtraFiles = append([]*os.File{writer}, l.extra...)
	read := func() *contain.Result {
		defer reader.Close()
		require.NoError(t, writer.Close())
		var result contain.Result
		if json.NewDecoder(reader).Decode(&result) != nil {
			return nil
		}
		return &result
	}
	if l.uid != 0 && os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(l.uid), Gid: uint32(l.uid)}}
		command.Env = append(command.Env, "HOME=/nonexistent")
	}
	if l.stdin != nil {
		command.Stdin = l.stdin
	}
	return command, read
}

func (l *launch) run(t *testing.T, argv ...string) launched {
	t.Helper()
	command, read := l.command(t, argv...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	require.NotNil(t, command.ProcessState, err)
	return launched{stdout.String(), stderr.String(), command.ProcessState, read()}
}

// need skips the test if a profile can't be enforced here.
func need(t *testing.T, profile string) {
	t.Helper()
	report := contain.Probe()
	if !report.Works(profile) {
		t.Skipf("skipped: this machine can't contain: %+v", report.Capabilities)
	}
}

// needFor asks as another user, who may have fewer rights.
func needFor(t *testing.T, profile string, uid int) {
	t.Helper()
	if uid == 0 || os.Geteuid() != 0 {
		need(t, profile)
		return
	}
	command := exec.CommandContext(t.Context(), helper, "-test.run", "^TestProbe$", "-test.v")
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	if !strings.Contains(string(output), "works: "+profile) {
		t.Skipf("skipped: an ordinary user can't contain here: %s", output)
	}
}

// TestProbe prints what works.
func TestProbe(t *testing.T) {
	report := contain.Probe()
	require.Len(t, report.Capabilities, 2)
	t.Log(report.Mechanisms)
	for _, capability := range report.Capabilities {
		if capability.Works {
			t.Log("works: " + capability.Profile)
			continue
		}
		require.NotEmpty(t, capability.Why)
		t.Logf("%s: %s", capability.Profile, capability.Why)
	}
}

// users are those to test as: root, if the test runs as root, and an ordinary one.
func users() map[string]int {
	if os.Geteuid() == 0 {
		return map[string]int{"root": 0, "ordinary user": nobody}
	}
	return map[string]int{"ordinary user": os.Geteuid()}
}
