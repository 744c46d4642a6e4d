//go:build linux && (amd64 || arm64)

package contain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestEscapes makes every attempt in both profiles, as root and as an ordinary user: none succeeds, and nothing
// outside changes. Attempts that anyone can make are made uncontained, too, and succeed: they are real.
func TestEscapes(t *testing.T) {
	require.NotEmpty(t, attempts)
	names := map[string]bool{}
	for user, uid := range users() {
		t.Run(user, func(t *testing.T) {
			needFor(t, v1.ProfileProject, uid)
			for i := range attempts {
				a := &attempts[i]
				names[a.name] = true
				t.Run(a.name, func(t *testing.T) {
					t.Parallel()
					for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
						escape(t, a, uid, profile)
					}
					if a.control == anyone || (a.control == rootOnly && uid == 0 && os.Geteuid() == 0) {
						escape(t, a, uid, "")
					}
				})
			}
		})
	}
	assert.Len(t, names, len(attempts), "names are distinct")
}

// escape makes one attempt; without a profile it must succeed.
func escape(t *testing.T, a *attempt, uid int, profile string) {
	t.Helper()
	w := newWorld(t, uid)
	w.findDevices(t)
	canary, err := os.OpenFile(w.Canary, os.O_RDWR, 0)
	require.NoError(t, err)
	defer canary.Close()
	stdin, err := os.Open(w.Canary)
	require.NoError(t, err)
	defer stdin.Close()
	l := &launch{uid: uid, dir: w.Project, env: w.env(t), stdin: stdin, extra: []*os.File{canary}}
	if profile != "" {
		l.obligation = w.obligation(profile, v1.NetworkNone)
		if profile == v1.ProfileReadOnly && strings.Contains(a.name, "hidden") {
			l.obligation.Hide = []string{w.Hidden}
		}
	}
	got := l.attempt(t, a)
	code := got.state.ExitCode()
	if profile == "" {
		assert.Equal(t, 0, code, "uncontained: %s%s", got.stdout, got.stderr)
		return
	}
	assert.NotEqual(t, 126, code, "%s: it didn't start: %s", profile, got.stderr)
	if !a.projectMay || profile != v1.ProfileProject {
		assert.NotEqual(t, 0, code, "%s: it succeeded", profile)
	}
	assert.Equal(t, w.before, w.state(t), "%s: outside has changed", profile)
	for _, left := range []string{w.Missing, w.Project + "/.mcp.json", w.Project + "/.claude"} {
		assert.NoFileExists(t, left)
		assert.NoDirExists(t, left, "a placeholder is left")
	}
}

// attempt starts the helper, on a terminal if it needs one.
func (l *launch) attempt(t *testing.T, a *attempt) launched {
	t.Helper()
	if !a.terminal {
		return l.run(t, helper, wordAttempt, a.name)
	}
	master, slave, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	defer slave.Close()
	if os.Geteuid() == 0 && l.uid != 0 {
		require.NoError(t, slave.Chown(l.uid, l.uid))
	}
	l.stdin = slave
	command, read := l.command(t, helper, wordAttempt, a.name)
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setsid, command.SysProcAttr.Setctty = true, true
	output, _ := command.Output()
	return launched{stdout: string(output), state: command.ProcessState, result: read()}
}

// findDevices names a disk, another terminal, and a program that runs as root.
func (w *world) findDevices(t *testing.T) {
	t.Helper()
	disks, err := filepath.Glob("/dev/[svx]d[a-z]")
	require.NoError(t, err)
	w.Device = "/dev/no-disk"
	if len(disks) > 0 {
		w.Device = disks[0]
	}
	master, slave, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _ = master.Close(); _ = slave.Close() })
	var owner syscall.Stat_t
	require.NoError(t, syscall.Stat(w.Canary, &owner))
	if os.Geteuid() == 0 {
		require.NoError(t, slave.Chown(int(owner.Uid), int(owner.Gid)))
	}
	w.Other = slave.Name()
	w.Set = w.root + "/id"
	if id, err := exec.LookPath("id"); err == nil && os.Geteuid() == 0 {
		content, err := os.ReadFile(id)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(w.Set, content, 0o755))
		require.NoError(t, os.Chmod(w.Set, 0o755|os.ModeSetuid))
	}
}
