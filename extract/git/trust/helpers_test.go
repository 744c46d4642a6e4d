package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"policyd/test/gitsandbox"
)

// sandbox is a repository with a program that an attack makes git run.
type sandbox struct {
	*gitsandbox.Sandbox
	marker string
	script string
}

func newSandbox(tb testing.TB) *sandbox {
	tb.Helper()
	s := &sandbox{Sandbox: gitsandbox.New(tb)}
	base := filepath.Dir(s.Home)
	s.marker, s.script = filepath.Join(base, "marker"), filepath.Join(base, "script.sh")
	s.program(s.script)
	return s
}

// program writes a script that leaves the marker and then behaves like cat.
func (s *sandbox) program(path string) {
	s.TB.Helper()
	s.Write(path, "#!/bin/sh\ntouch '"+s.marker+"'\ncat \"$@\" 2>/dev/null </dev/null\nexit 0\n")
	require.NoError(s.TB, os.Chmod(path, 0o755))
}

// marks runs git and reports whether a program of the repository ran.
func (s *sandbox) marks(dir string, args ...string) bool {
	s.TB.Helper()
	require.NoError(s.TB, os.RemoveAll(s.marker))
	output, _ := s.Command(dir, args...).CombinedOutput()
	_, err := os.Stat(s.marker)
	s.TB.Logf("git %s: %s", strings.Join(args, " "), output)
	return err == nil
}

func (s *sandbox) query(dir, subcommand string) Query {
	return Query{Dir: dir, Subcommand: subcommand, TrustedRoots: []string{s.Project}, Home: s.Home}
}

func (s *sandbox) inspect(dir, subcommand string) Verdict {
	s.TB.Helper()
	return newReader(s.TB, nil).Inspect(s.query(dir, subcommand))
}

// inspectBelow is inspect for a session that was launched in a subdirectory of the project.
func (s *sandbox) inspectBelow(dir, subcommand string) Verdict {
	s.TB.Helper()
	query := s.query(dir, subcommand)
	query.TrustedRoots = []string{filepath.Join(s.Project, "sub")}
	return newReader(s.TB, nil).Inspect(query)
}

func newReader(tb testing.TB, cache *Cache) *Reader {
	tb.Helper()
	// A clock ahead of the files: what the test just wrote counts as settled.
	later := func() time.Time { return time.Now().Add(time.Hour) }
	reader, err := New(Options{Cache: cache, Now: later})
	require.NoError(tb, err)
	return reader
}
