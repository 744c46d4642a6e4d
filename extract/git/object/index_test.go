package object

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/gitsandbox"
)

// FuzzWalkIndex holds that whatever is accepted was read within its bounds and
// that a shortened index is never accepted with the same entries unseen.
func FuzzWalkIndex(f *testing.F) {
	for _, version := range []byte{2, 4} {
		f.Add(smallIndex(version), false)
		f.Add(smallIndex(version), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, long bool) {
		size := SHA1Size
		if long {
			size = SHA256Size
		}
		entries, names := 0, 0
		err := WalkIndex(content, size, func(e IndexEntry) bool {
			entries++
			names += len(e.Path)
			assert.NotEmpty(t, e.Path)
			assert.NotContains(t, string(e.Path), "\x00")
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
	entry := make([]byte, indexStatBytes+SHA1Size+indexFlagBytes)
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
	return append(content, make([]byte, SHA1Size)...)
}

func TestSmallIndexIsRead(t *testing.T) {
	for _, version := range []byte{2, 4} {
		seen := ""
		content := smallIndex(version)
		require.NoError(t, WalkIndex(content, SHA1Size, func(e IndexEntry) bool { seen += string(e.Path); return true }))
		assert.Equal(t, "a", seen)
		for length := range content {
			assert.ErrorIs(t, WalkIndex(content[:length], SHA1Size, func(IndexEntry) bool { return true }), ErrIndexUnknown)
		}
	}
}

func TestGitlinksAreListed(t *testing.T) {
	s := gitsandbox.New(t)
	s.Commit(s.Project)
	s.Commit(s.Home + "/library")
	s.Git(s.Project, "submodule", "add", "-q", s.Home+"/library", "lib")
	repository := Repository{GitDir: s.Project + "/.git", HashSize: SHA1Size}
	content, err := repository.Index()
	require.NoError(t, err)
	links, err := Gitlinks(content, SHA1Size)
	require.NoError(t, err)
	assert.Equal(t, []string{"lib"}, links)
}
