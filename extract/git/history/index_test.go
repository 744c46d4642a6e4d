package history

import (
	"os"
	"path/filepath"
	"testing"

	"policyd/extract/git/object"
	"policyd/test/gitsandbox"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func collect(t *testing.T, v object.Repository, specs []string, cwd string) ([]string, error) {
	t.Helper()
	paths := []string{}
	err := Tracked(v, specs, cwd, func(path string) bool {
		paths = append(paths, path)
		return true
	})
	return paths, err
}

func TestTrackedReadsEveryIndexVersion(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			t.Run(format+" version "+version, func(t *testing.T) {
				s := newSandbox(t)
				s.Git(s.Project, "init", "-q", "--object-format="+format, ".")
				s.Populate(s.Project)
				if version == "3" {
					s.Write(filepath.Join(s.Project, "later"), "x")
					s.Git(s.Project, "add", "--intent-to-add", "later")
				} else {
					s.Git(s.Project, "update-index", "--index-version", version)
				}
				content, err := os.ReadFile(filepath.Join(s.Project, ".git", "index"))
				require.NoError(t, err)
				require.Equal(t, version[0]-'0', content[7])
				repository := s.repository(s.Project)
				got, err := collect(t, repository, nil, s.Project)
				require.NoError(t, err)
				output, err := s.Command(s.Project, "ls-files", "-z").Output()
				require.NoError(t, err)
				want := gitsandbox.Split(output)
				require.Greater(t, len(want), 15)
				assert.Equal(t, want, got)
			})
		}
	}
}

func TestTrackedStopsAndFails(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	repository := s.repository(s.Project)
	visits := 0
	require.NoError(t, Tracked(repository, nil, s.Project, func(string) bool { visits++; return false }))
	assert.Equal(t, 1, visits)
	all := func(string) bool { return true }
	require.ErrorIs(t, Tracked(object.Repository{}, nil, s.Project, all), ErrNoRepository)
	s.Git(s.Project, "update-index", "--split-index")
	require.ErrorIs(t, Tracked(repository, nil, s.Project, all), object.ErrIndexUnknown)
	s.Git(s.Project, "update-index", "--no-split-index")
	s.Git(s.Project, "sparse-checkout", "init", "--cone", "--sparse-index")
	require.ErrorIs(t, Tracked(repository, nil, s.Project, all), object.ErrIndexUnknown)
}

func TestTrackedListsUnmergedPathsOnce(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	s.Git(s.Project, "checkout", "-qb", "other")
	s.Write(filepath.Join(s.Project, "file.txt"), "theirs\n")
	s.Git(s.Project, "commit", "-qam", "theirs")
	s.Git(s.Project, "checkout", "-q", "main")
	s.Write(filepath.Join(s.Project, "file.txt"), "ours\n")
	s.Git(s.Project, "commit", "-qam", "ours")
	require.Error(t, s.Command(s.Project, "merge", "-q", "other").Run())
	got, err := collect(t, s.repository(s.Project), nil, s.Project)
	require.NoError(t, err)
	assert.Equal(t, []string{"file.txt", "sub/deep.txt"}, got)
}
