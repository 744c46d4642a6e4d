// Package gitsandbox builds repositories with the real git, in a directory that nothing of the
// user's reaches: the home, the settings and the environment are its own.
package gitsandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sandbox is a project directory, and a home beside it. Both exist; the project is no
// repository yet.
type Sandbox struct {
	TB      testing.TB
	Home    string
	Project string
}

// New returns a Sandbox that goes with its test.
func New(tb testing.TB) *Sandbox {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	require.NoError(tb, err)
	s := &Sandbox{TB: tb, Home: filepath.Join(base, "home"), Project: filepath.Join(base, "project")}
	require.NoError(tb, os.MkdirAll(s.Home, 0o755))
	require.NoError(tb, os.MkdirAll(s.Project, 0o755))
	s.Write(filepath.Join(s.Home, ".gitconfig"),
		"[user]\n\tname = a\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n[maintenance]\n\tauto = false\n[protocol \"file\"]\n\tallow = always\n")
	return s
}

// Write writes a file, and makes the directories that it lies in.
func (s *Sandbox) Write(path, content string) {
	s.TB.Helper()
	require.NoError(s.TB, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.TB, os.WriteFile(path, []byte(content), 0o644))
}

// Append writes behind what a file holds; a missing one holds nothing.
func (s *Sandbox) Append(path, content string) {
	s.TB.Helper()
	before, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(s.TB, err)
	}
	s.Write(path, string(before)+content)
}

// Command is a run of git in a directory.
func (s *Sandbox) Command(dir string, args ...string) *exec.Cmd {
	s.TB.Helper()
	cmd := exec.CommandContext(s.TB.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
	}
	return cmd
}

// Git runs git, which has to succeed, and returns what it prints.
func (s *Sandbox) Git(dir string, args ...string) string {
	s.TB.Helper()
	return s.RunAt("", dir, args...)
}

// RunAt is Git with the date of commits that it makes, unless that is empty.
func (s *Sandbox) RunAt(date, dir string, args ...string) string {
	s.TB.Helper()
	cmd := s.Command(dir, args...)
	if date != "" {
		cmd.Env = append(cmd.Env, "GIT_COMMITTER_DATE="+date)
	}
	output, err := cmd.CombinedOutput()
	require.NoError(s.TB, err, "git %s: %s", strings.Join(args, " "), output)
	return string(output)
}

// Put writes an object and returns its id, whether git would write it or not.
func (s *Sandbox) Put(dir, kind, body string) string {
	s.TB.Helper()
	cmd := s.Command(dir, "hash-object", "-t", kind, "-w", "--stdin", "--literally")
	cmd.Stdin = strings.NewReader(body)
	id, err := cmd.Output()
	require.NoError(s.TB, err)
	return strings.TrimSpace(string(id))
}

// ID is the id of what a revision names.
func (s *Sandbox) ID(dir, revision string) string {
	s.TB.Helper()
	return strings.TrimSpace(s.Git(dir, "rev-parse", revision))
}

// Commit makes dir a repository with one commit.
func (s *Sandbox) Commit(dir string) {
	s.TB.Helper()
	require.NoError(s.TB, os.MkdirAll(dir, 0o755))
	s.Git(dir, "init", "-q", ".")
	s.Write(filepath.Join(dir, "file.txt"), "one\n")
	s.Write(filepath.Join(dir, "sub", "deep.txt"), "one\n")
	s.Git(dir, "add", ".")
	s.Git(dir, "commit", "-qm", "first")
}

// Populate tracks names that are awkward for pathspecs and for compression.
func (s *Sandbox) Populate(dir string) {
	s.TB.Helper()
	names := []string{
		".env", "a", "a.go", "ab/c.go", "ab/c/d.txt", "ab.go", "sub/.env", "sub/b.go", "sub/deep/b.pem",
		"sub/deep/x[1].txt", "st*r/file", "sp ace/é.txt", "sub/foo?", "Upper/A.GO", "sub2/b.go",
		strings.Repeat("long/", 60) + "end.txt", "z/!bang", "z/^caret", "z/back\\slash",
	}
	for _, name := range names {
		s.Write(filepath.Join(dir, filepath.FromSlash(name)), name)
	}
	s.Git(dir, "add", "-A")
}

// Names are those that git prints, each with a NUL byte behind it.
func (s *Sandbox) Names(dir string, args ...string) []string {
	s.TB.Helper()
	output, err := s.Command(dir, args...).Output()
	require.NoError(s.TB, err, "git %s", strings.Join(args, " "))
	return Split(output)
}

// Split cuts such names apart.
func Split(output []byte) []string {
	return strings.FieldsFunc(string(output), func(r rune) bool { return r == 0 })
}

// LoosePath is where the file of an object lies below a repository's own directory.
func LoosePath(id string) string { return filepath.Join("objects", id[:2], id[2:]) }
