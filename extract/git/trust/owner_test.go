//go:build unix

package trust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A repository above the roots is trusted only while no other user can change or replace what
// git reads there. Each case is undone by another that differs in that alone.
func TestRepositoryAboveTheRootsBelongsToTheUser(t *testing.T) {
	const another = 4711
	places := map[string]func(s *sandbox) string{
		"top":           func(s *sandbox) string { return s.Project },
		"git directory": func(s *sandbox) string { return filepath.Join(s.Project, ".git") },
		"configuration": func(s *sandbox) string { return filepath.Join(s.Project, ".git", "config") },
		"parent":        func(s *sandbox) string { return filepath.Dir(s.Project) },
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			cache := NewCache(8)
			reader := newReader(t, cache)
			query := s.query(filepath.Join(s.Project, "sub"), "status")
			query.TrustedRoots = []string{query.Dir}
			ask := func() Verdict { return reader.Inspect(query) }
			path := place(s)
			before, err := os.Stat(path)
			require.NoError(t, err)
			require.True(t, ask().Trusted, ask().Reason)

			require.NoError(t, os.Chmod(path, before.Mode().Perm()|0o002))
			assert.Equal(t, CodeOwner, ask().Code(), "everybody may write there")
			require.NoError(t, os.Chmod(path, before.Mode().Perm()))
			require.True(t, ask().Trusted)

			if os.Geteuid() != 0 {
				t.Skip("only the superuser gives files away")
			}
			require.NoError(t, os.Lchown(path, another, -1))
			assert.Equal(t, CodeOwner, ask().Code(), "it belongs to another user")
			require.NoError(t, os.Lchown(path, 0, -1))
			require.True(t, ask().Trusted)
		})
	}
}

// In a directory like /tmp everybody may put a repository, but nobody may replace what is another's.
func TestRepositoryInASharedDirectory(t *testing.T) {
	s := newSandbox(t)
	shared := filepath.Join(filepath.Dir(s.Home), "shared")
	s.Commit(filepath.Join(shared, "mine"))
	require.NoError(t, os.Chmod(shared, os.ModeSticky|0o777))
	query := s.query(filepath.Join(shared, "mine", "sub"), "status")
	query.TrustedRoots = []string{query.Dir}
	assert.True(t, newReader(t, nil).Inspect(query).Trusted)

	require.NoError(t, os.Chmod(shared, 0o777))
	assert.Equal(t, CodeOwner, newReader(t, nil).Inspect(query).Code())

	s.Commit(shared)
	require.NoError(t, os.Chmod(shared, os.ModeSticky|0o777))
	query.Dir = filepath.Join(shared, "sub")
	query.TrustedRoots = []string{query.Dir}
	assert.Equal(t, CodeOwner, newReader(t, nil).Inspect(query).Code(), "the top is what everybody may write to")
}

// The owner is that of the home: without one there is nobody to compare with.
func TestRepositoryAboveTheRootsNeedsAHome(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	query := s.query(filepath.Join(s.Project, "sub"), "status")
	query.TrustedRoots = []string{query.Dir}
	for _, home := range []string{"", filepath.Join(s.Home, "missing")} {
		query.Home = home
		assert.Equal(t, CodeOwner, newReader(t, nil).Inspect(query).Code())
	}
	query.TrustedRoots = []string{s.Project}
	query.Home = ""
	assert.True(t, newReader(t, nil).Inspect(query).Trusted, "the project's own")
}
