package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sandbox is a project directory with a home of its own, and the real git.
type sandbox struct {
	t       testing.TB
	home    string
	project string
	marker  string
	script  string
}

func newSandbox(tb testing.TB) *sandbox {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	require.NoError(tb, err)
	s := &sandbox{
		t:       tb,
		home:    filepath.Join(base, "home"),
		project: filepath.Join(base, "project"),
		marker:  filepath.Join(base, "marker"),
		script:  filepath.Join(base, "script.sh"),
	}
	require.NoError(tb, os.MkdirAll(s.home, 0o755))
	require.NoError(tb, os.MkdirAll(s.project, 0o755))
	s.write(filepath.Join(s.home, ".gitconfig"),
		"[user]\n\tname = a\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	s.program(s.script)
	return s
}

// program writes a script that leaves the marker and then behaves like cat.
func (s *sandbox) program(path string) {
	s.t.Helper()
	s.write(path, "#!/bin/sh\ntouch '"+s.marker+"'\ncat \"$@\" 2>/dev/null </dev/null\nexit 0\n")
	require.NoError(s.t, os.Chmod(path, 0o755))
}

func (s *sandbox) write(path, content string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.t, os.WriteFile(path, []byte(content), 0o644))
}

func (s *sandbox) appendTo(path, content string) {
	s.t.Helper()
	before, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(s.t, err)
	}
	s.write(path, string(before)+content)
}

func (s *sandbox) command(dir string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
	}
	return cmd
}

// git runs git and wants it to succeed.
func (s *sandbox) git(dir string, args ...string) string {
	s.t.Helper()
	output, err := s.command(dir, args...).CombinedOutput()
	require.NoError(s.t, err, "git %s: %s", strings.Join(args, " "), output)
	return string(output)
}

// marks runs git and reports whether a program of the repository ran.
func (s *sandbox) marks(dir string, args ...string) bool {
	s.t.Helper()
	require.NoError(s.t, os.RemoveAll(s.marker))
	output, _ := s.command(dir, args...).CombinedOutput()
	_, err := os.Stat(s.marker)
	s.t.Logf("git %s: %s", strings.Join(args, " "), output)
	return err == nil
}

// commit makes dir a repository with one commit.
func (s *sandbox) commit(dir string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(dir, 0o755))
	s.git(dir, "init", "-q", ".")
	s.write(filepath.Join(dir, "file.txt"), "one\n")
	s.write(filepath.Join(dir, "sub", "deep.txt"), "one\n")
	s.git(dir, "add", ".")
	s.git(dir, "commit", "-qm", "first")
}

func (s *sandbox) query(dir, subcommand string) Query {
	return Query{Dir: dir, Subcommand: subcommand, TrustedRoots: []string{s.project}, Home: s.home}
}

func (s *sandbox) inspect(dir, subcommand string) Verdict {
	s.t.Helper()
	return newReader(s.t, nil).Inspect(s.query(dir, subcommand))
}

// inspectBelow is inspect for a session that was launched in a subdirectory of the project.
func (s *sandbox) inspectBelow(dir, subcommand string) Verdict {
	s.t.Helper()
	query := s.query(dir, subcommand)
	query.TrustedRoots = []string{filepath.Join(s.project, "sub")}
	return newReader(s.t, nil).Inspect(query)
}

func newReader(tb testing.TB, cache *Cache) *Reader {
	tb.Helper()
	// A clock ahead of the files: what the test just wrote counts as settled.
	later := func() time.Time { return time.Now().Add(time.Hour) }
	reader, err := New(Options{Cache: cache, Now: later})
	require.NoError(tb, err)
	return reader
}
