package history

import (
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/extract/git/object"
	"policyd/extract/git/trust"
	"policyd/test/gitsandbox"
)

// sandbox is a repository that is read as far as it is trusted.
type sandbox struct{ *gitsandbox.Sandbox }

func newSandbox(tb testing.TB) *sandbox {
	tb.Helper()
	return &sandbox{gitsandbox.New(tb)}
}

// repository is the one that git finds from dir, be it that it isn't trusted.
func (s *sandbox) repository(dir string) object.Repository {
	s.TB.Helper()
	reader, err := trust.New(trust.Options{})
	require.NoError(s.TB, err)
	return reader.Inspect(trust.Query{Dir: dir, Subcommand: "log", TrustedRoots: []string{s.Project}, Home: s.Home}).Repository
}
