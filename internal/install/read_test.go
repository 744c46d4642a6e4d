//go:build unix

package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/install"
)

// TestWhatIsNoFileIsRefused checks that neither an install nor a look at one waits at a pipe, and that a link
// that leads nowhere stays (D4).
func TestWhatIsNoFileIsRefused(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory":       func(path string) error { return os.Mkdir(path, 0o700) },
		"link to no file": func(path string) error { return os.Symlink("/nowhere/settings.json", path) },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "claude")
			path := filepath.Join(o.Home, ".claude", "settings.json")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, put(path))
			_, err := install.Install(o)
			require.ErrorContains(t, err, path)
			_, err = install.Inspect(o)
			require.ErrorContains(t, err, path)
			info, err := os.Lstat(path)
			require.NoError(t, err)
			assert.False(t, info.Mode().IsRegular())
		})
	}
}

// TestSettingsThatPassAGateByAreFaults: a line for another client gives an answer
// that the client doesn't take, and a repository can turn a user's hooks off.
func TestSettingsThatPassAGateByAreFaults(t *testing.T) {
	o := options(t, "claude")
	changes, err := install.Install(o)
	apply(t, changes, err)
	path := filepath.Join(o.Home, ".claude", "settings.json")
	faults := func() []string {
		report, err := install.Inspect(o)
		require.NoError(t, err)
		return report.Faults
	}
	o.Here = t.TempDir()
	assert.Empty(t, faults())
	off := filepath.Join(o.Here, ".claude", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(off), 0o700))
	require.NoError(t, os.WriteFile(off, []byte(`{"disableAllHooks":true}`), 0o600))
	require.Len(t, faults(), 1)
	assert.Contains(t, faults()[0], off)
	require.NoError(t, os.Remove(off))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "policyd-hook' claude", "policyd-hook' gemini")), 0o600))
	require.NotEmpty(t, faults())
	assert.Contains(t, faults()[0], `for "gemini"`)
}
