package object

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/gitsandbox"
)

// S3: with several threads git reads the entries of an index where its table of blocks
// says that they are, and not one behind the other.
func TestIndexesInBlocks(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		s := gitsandbox.New(t)
		dir := s.Project
		s.Git(dir, "init", "-q")
		s.Git(dir, "config", "index.threads", "4")
		s.Git(dir, "config", "index.version", version)
		var lines strings.Builder
		for i := range 20_001 {
			fmt.Fprintf(&lines, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\tdir/%05d\n", i)
		}
		cmd := s.Command(dir, "update-index", "--add", "--index-info")
		cmd.Stdin = strings.NewReader(lines.String())
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
		content, err := os.ReadFile(filepath.Join(dir, ".git/index"))
		require.NoError(t, err)
		all := func(IndexEntry) bool { return true }
		require.NoError(t, WalkIndex(content, SHA1Size, all))
		for name, at := range map[string]int{"IEOT": 8 + 4 + 8, "EOIE": 8} {
			lie := []byte(string(content))
			at += strings.LastIndex(string(lie), name)
			require.Positive(t, at)
			binary.BigEndian.PutUint32(lie[at:], binary.BigEndian.Uint32(lie[at:])-8)
			assert.ErrorIs(t, WalkIndex(lie, SHA1Size, all), ErrIndexUnknown, name)
		}
		if version == "2" {
			lie := []byte(string(content))
			table := strings.LastIndex(string(lie), "IEOT") + 8 + 4
			copy(lie[table+8:table+12], lie[table:table+4])
			s.Write(filepath.Join(dir, ".git/index"), string(lie))
			names := strings.Fields(s.Git(dir, "ls-files"))
			assert.Greater(t, strings.Count(strings.Join(names, "\n")+"\n", "dir/00000\n"), 1, "git goes by the table")
		}
	}
}

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
