//go:build linux && (amd64 || arm64)

package contain

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// byModes calls do on a thread that the modes of directories stop, be its user root.
func byModes(t *testing.T, do func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	require.NoError(t, unix.Capget(&header, &had[0]))
	none := had
	none[0].Effective = 0
	require.NoError(t, unix.Capset(&header, &none[0]))
	defer func() { require.NoError(t, unix.Capset(&header, &had[0])) }()
	do()
}

// S1: a secret in a directory that can't be listed can be opened by its name.
func TestADirectoryThatCannotBeListedIsHidden(t *testing.T) {
	p := newPerson(t)
	p.write(t, "project/sub/deep/.env", "CANARY\n")
	require.NoError(t, os.Chmod(p.project+"/sub/deep", 0o311))
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		need(t, profile)
		var l *launch
		byModes(t, func() { l = p.launch(t, profile) })
		assert.Contains(t, l.obligation.Hide, p.project+"/sub/deep")
		got := l.run(t, "bash", "-c", "chmod 700 sub/deep; cat sub/deep/.env")
		assert.NotEqual(t, 0, got.state.ExitCode(), profile)
		assert.NotContains(t, got.stdout, "CANARY", profile)
	}
	require.NoError(t, os.Chmod(p.project, 0o311))
	byModes(t, func() { assert.ErrorContains(t, p.contain(t, v1.ProfileReadOnly), "can't be listed") })
	require.NoError(t, os.Chmod(p.project, 0o755))
}

// S1: JSON can't name every path, and what it names instead hides nothing.
func TestANameThatIsNotUTF8IsInNoRun(t *testing.T) {
	p := newPerson(t)
	p.write(t, "project/sub/\xe9/notes", "x")
	require.NoError(t, p.contain(t, v1.ProfileProject))
	p.write(t, "project/sub/\xe9/.env", "CANARY\n")
	require.ErrorContains(t, p.contain(t, v1.ProfileProject), "isn't UTF-8")
	require.NoError(t, os.Remove(p.home+"/project/sub/\xe9/.env"))
	p.write(t, "project/\xe9.key", "CANARY\n")
	require.ErrorContains(t, p.contain(t, v1.ProfileReadOnly), "isn't UTF-8")
}

// S1: a hidden file that stands elsewhere by the time of the start would be seen there, and its directories stay where
// they are while a run lasts.
func TestAHiddenFileIsNotMovedAway(t *testing.T) {
	need(t, v1.ProfileProject)
	p := newPerson(t)
	p.write(t, "project/sub/deep/.env", "CANARY\n")
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		l := p.launch(t, profile)
		require.NoError(t, os.Rename(p.project+"/sub/deep", p.project+"/sub/moved"))
		got := l.run(t, "cat", "sub/moved/.env")
		assert.Equal(t, 126, got.state.ExitCode())
		assert.Empty(t, got.stdout)
		assert.Contains(t, got.stderr, "which was there a moment ago")
		require.NoError(t, os.Rename(p.project+"/sub/moved", p.project+"/sub/deep"))
	}
	got := p.launch(t, v1.ProfileProject).run(t, "mv", "sub/deep", "sub/moved")
	assert.NotEqual(t, 0, got.state.ExitCode())
	got = p.launch(t, v1.ProfileProject).run(t, "mv", "sub", "moved")
	assert.NotEqual(t, 0, got.state.ExitCode())
}

// S1: a disk, a terminal and memory that programs share hold what their files hold.
func TestDevicesAreNotRead(t *testing.T) {
	need(t, v1.ProfileReadOnly)
	p := newPerson(t)
	shared := fmt.Sprintf("/dev/shm/policyd-%d", os.Getpid())
	require.NoError(t, os.WriteFile(shared, []byte("CANARY\n"), 0o600))
	t.Cleanup(func() { _ = os.Remove(shared) })
	got := p.launch(t, v1.ProfileReadOnly).run(t, "bash", "-c", "ls /dev >/dev/null && head -c1 /dev/zero >/dev/null && cat "+shared)
	assert.Equal(t, 1, got.state.ExitCode(), got.stderr)
	assert.NotContains(t, got.stdout, "CANARY")
	for _, device := range []string{"/dev/console", "/dev/tty0", "/dev/loop0", "/dev/fuse", "/dev/net/tun"} {
		if _, err := os.Stat(device); err != nil {
			continue
		}
		got := p.launch(t, v1.ProfileReadOnly).run(t, "bash", "-c", "exec 3<"+device)
		assert.NotEqual(t, 0, got.state.ExitCode(), device)
		assert.Contains(t, got.stderr, "ermission denied", device)
	}
}
