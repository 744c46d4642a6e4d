package git

import (
	"os"
	"path/filepath"
	"testing"

	"policyd/test/gitsandbox"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func collect(t *testing.T, v Verdict, specs []string, cwd string) ([]string, error) {
	t.Helper()
	paths := []string{}
	err := newReader(t, nil).Tracked(v, specs, cwd, func(path string) bool {
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
				verdict := s.inspect(s.Project, "grep")
				require.True(t, verdict.Trusted, verdict.Reason)
				got, err := collect(t, verdict, nil, s.Project)
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
	verdict := s.inspect(s.Project, "grep")
	reader := newReader(t, nil)
	visits := 0
	require.NoError(t, reader.Tracked(verdict, nil, s.Project, func(string) bool { visits++; return false }))
	assert.Equal(t, 1, visits)
	all := func(string) bool { return true }
	require.ErrorIs(t, reader.Tracked(Verdict{}, nil, s.Project, all), ErrNoRepository)
	s.Git(s.Project, "update-index", "--split-index")
	require.ErrorIs(t, reader.Tracked(verdict, nil, s.Project, all), ErrIndexUnknown)
	s.Git(s.Project, "update-index", "--no-split-index")
	s.Git(s.Project, "sparse-checkout", "init", "--cone", "--sparse-index")
	require.ErrorIs(t, reader.Tracked(verdict, nil, s.Project, all), ErrIndexUnknown)
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
	got, err := collect(t, s.inspect(s.Project, "grep"), nil, s.Project)
	require.NoError(t, err)
	assert.Equal(t, []string{"file.txt", "sub/deep.txt"}, got)
}

func TestGitlinksAreListed(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	s.submodule()
	verdict := s.inspect(s.Project, "grep")
	links, err := newReader(t, nil).Gitlinks(verdict)
	require.NoError(t, err)
	assert.Equal(t, []string{"lib"}, links)
	got, err := collect(t, verdict, nil, s.Project)
	require.NoError(t, err)
	assert.Contains(t, got, "lib")
}

// FuzzWalkIndex holds that whatever is accepted was read within its bounds and
// that a shortened index is never accepted with the same entries unseen.
func FuzzWalkIndex(f *testing.F) {
	for _, version := range []byte{2, 4} {
		f.Add(smallIndex(version), false)
		f.Add(smallIndex(version), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, long bool) {
		size := sha1Size
		if long {
			size = sha256Size
		}
		entries, names := 0, 0
		err := walkIndex(content, size, func(e indexEntry) bool {
			entries++
			names += len(e.path)
			assert.NotEmpty(t, e.path)
			assert.NotContains(t, string(e.path), "\x00")
			return names < 1<<20
		})
		if err != nil {
			assert.ErrorIs(t, err, ErrIndexUnknown)
			return
		}
		assert.LessOrEqual(t, entries*(indexStatBytes+size+indexFlagBytes), len(content))
	})
}

func smallIndex(version byte) []byte {
	content := []byte{'D', 'I', 'R', 'C', 0, 0, 0, version, 0, 0, 0, 1}
	entry := make([]byte, indexStatBytes+sha1Size+indexFlagBytes)
	entry[26], entry[27], entry[61] = 0x81, 0xa4, 1
	content = append(content, entry...)
	if version == 4 {
		content = append(content, 0)
	}
	content = append(content, 'a', 0)
	if version != 4 {
		for (len(content)-indexHeaderBytes)%8 != 0 {
			content = append(content, 0)
		}
	}
	return append(content, make([]byte, sha1Size)...)
}

func TestSmallIndexIsRead(t *testing.T) {
	for _, version := range []byte{2, 4} {
		seen := ""
		content := smallIndex(version)
		require.NoError(t, walkIndex(content, sha1Size, func(e indexEntry) bool { seen += string(e.path); return true }))
		assert.Equal(t, "a", seen)
		for length := range content {
			assert.ErrorIs(t, walkIndex(content[:length], sha1Size, func(indexEntry) bool { return true }), ErrIndexUnknown)
		}
	}
}
