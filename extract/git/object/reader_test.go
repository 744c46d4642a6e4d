package object

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"policyd/test/gitsandbox"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//fuzz:runs 4000x

// packedRepository is a repository with one pack, in which trees differ from each other, and
// the ids of all its objects.
func packedRepository(tb testing.TB) (repository Repository, ids []string) {
	tb.Helper()
	s := gitsandbox.New(tb)
	dir := s.Project
	s.Git(dir, "init", "-q")
	for i := range 4 {
		for j := range 40 {
			s.Write(filepath.Join(dir, "wide", strings.Repeat("name", 5)+string(rune('a'+j))), strings.Repeat("x", i))
		}
		s.Write(filepath.Join(dir, "changes"), strings.Repeat("y", i))
		s.Git(dir, "add", "-A")
		s.Git(dir, "commit", "-qm", "more")
	}
	s.Git(dir, "tag", "-a", "v1", "-m", "v1")
	s.Git(dir, "repack", "-adfq", "--depth=50", "--window=50")
	for line := range strings.Lines(s.Git(dir, "rev-list", "--objects", "--all")) {
		ids = append(ids, strings.Fields(line)[0])
	}
	return Repository{Top: dir, GitDir: dir + "/.git", CommonDir: dir + "/.git", HashSize: SHA1Size}, ids
}

// FuzzReader holds that of a pack and its index, whatever stands in them, nothing is read but
// what its id says.
func FuzzReader(f *testing.F) {
	repository, ids := packedRepository(f)
	index := packIndex(f, &repository)
	pack := strings.TrimSuffix(index, ".idx") + ".pack"
	indexed, err := os.ReadFile(index)
	require.NoError(f, err)
	packed, err := os.ReadFile(pack)
	require.NoError(f, err)
	require.NoError(f, os.Chmod(index, 0o600))
	require.NoError(f, os.Chmod(pack, 0o600))
	f.Add(uint(0), byte(0), uint(0), byte(0))
	f.Add(uint(packIDs+20*3), byte(1), uint(12), byte(0x40))
	f.Add(uint(9), byte(0xff), uint(300), byte(7))
	f.Fuzz(func(t *testing.T, at uint, flip byte, packAt uint, packFlip byte) {
		one, other := bytes.Clone(indexed), bytes.Clone(packed)
		one[at%uint(len(one))] ^= flip
		other[packAt%uint(len(other))] ^= packFlip
		require.NoError(t, os.WriteFile(index, one, 0o600))
		require.NoError(t, os.WriteFile(pack, other, 0o600))
		reader, err := NewReader(&repository, &Budget{})
		require.NoError(t, err)
		defer reader.Close()
		for _, id := range ids {
			found, err := reader.Read(id)
			if err != nil {
				assert.False(t, flip == 0 && packFlip == 0, err)
				continue
			}
			if found.Kind != KindBlob {
				assert.Equal(t, id, hex.EncodeToString(HashOf(found.Kind, found.Body, SHA1Size)))
			}
			_, _ = reader.Beginning(id[:7], 2)
		}
	})
}

func packIndex(tb testing.TB, repository *Repository) string {
	tb.Helper()
	found, err := filepath.Glob(repository.CommonDir + "/objects/pack/*.idx")
	require.NoError(tb, err)
	require.Len(tb, found, 1)
	return found[0]
}

// An abbreviated hash names an object where it names only one, packed or not.
func TestAbbreviated(t *testing.T) {
	repository, ids := packedRepository(t)
	reader, err := NewReader(&repository, &Budget{})
	require.NoError(t, err)
	defer reader.Close()
	for _, id := range ids {
		found, ok := reader.Beginning(id[:13], 2)
		assert.True(t, ok)
		assert.Equal(t, []string{id}, found)
	}
	shares := map[string]int{}
	for _, id := range ids {
		shares[id[:4]]++
	}
	for prefix, count := range shares {
		found, ok := reader.Beginning(prefix, 2)
		assert.True(t, ok)
		assert.Len(t, found, min(count, 2))
	}
	found, ok := reader.Beginning("0000000", 2)
	assert.True(t, ok)
	assert.Empty(t, found)
}
