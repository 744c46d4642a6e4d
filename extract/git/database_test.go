package git

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//fuzz:runs 4000x

// packedRepository is a repository with one pack, in which trees differ from each other, and
// the ids of all its objects.
func packedRepository(tb testing.TB) (v Verdict, ids []string) {
	tb.Helper()
	s := newSandbox(tb)
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
	return s.inspect(dir, "log"), ids
}

// FuzzDatabase holds that of a pack and its index, whatever stands in them, nothing is read but
// what its id says.
func FuzzDatabase(f *testing.F) {
	v, ids := packedRepository(f)
	index := glob(f, v.CommonDir+"/objects/pack/*.idx")[0]
	pack := strings.TrimSuffix(index, ".idx") + ".pack"
	indexed, err := os.ReadFile(index)
	require.NoError(f, err)
	packed, err := os.ReadFile(pack)
	require.NoError(f, err)
	require.NoError(f, os.Chmod(index, 0o600))
	require.NoError(f, os.Chmod(pack, 0o600))
	f.Add(uint(0), byte(0), uint(0), byte(0))
	f.Add(uint(packNames+20*3), byte(1), uint(12), byte(0x40))
	f.Add(uint(9), byte(0xff), uint(300), byte(7))
	f.Fuzz(func(t *testing.T, at uint, flip byte, packAt uint, packFlip byte) {
		one, other := bytes.Clone(indexed), bytes.Clone(packed)
		one[at%uint(len(one))] ^= flip
		other[packAt%uint(len(other))] ^= packFlip
		require.NoError(t, os.WriteFile(index, one, 0o600))
		require.NoError(t, os.WriteFile(pack, other, 0o600))
		d := newDatabase(&v, &Budget{})
		defer d.close()
		for _, id := range ids {
			found, err := d.read(id)
			if err != nil {
				assert.False(t, flip == 0 && packFlip == 0, err)
				continue
			}
			if found.kind != kindBlob {
				assert.Equal(t, id, hexID(kindNames[found.kind], found.body))
			}
			_, _ = d.abbreviated(id[:7])
		}
	})
}

func hexID(kind string, body []byte) string {
	const digits = "0123456789abcdef"
	var text []byte
	for _, b := range objectID(kind, body, sha1Size) {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

// Offsets beyond 2 GiB stand in a table of their own (gitformat-pack(5)).
func TestFarOffsets(t *testing.T) {
	id := bytes.Repeat([]byte{7}, sha1Size)
	index := bytes.Clone(packIndexHead)
	for i := range 256 {
		index = binary.BigEndian.AppendUint32(index, map[bool]uint32{i >= 7: 1}[true])
	}
	index = append(index, id...)
	index = binary.BigEndian.AppendUint32(index, 0)
	index = binary.BigEndian.AppendUint32(index, 0x80000000)
	index = binary.BigEndian.AppendUint64(index, 5<<30)
	p := &packFile{index: bytes.NewReader(index)}
	require.NoError(t, p.readFanout(int64(len(index)), sha1Size))
	offset, found, err := p.offset(id)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, int64(5<<30), offset)
	_, found, err = p.offset(bytes.Repeat([]byte{8}, sha1Size))
	require.NoError(t, err)
	assert.False(t, found)
}

// An abbreviated hash names an object where it names only one, packed or not.
func TestAbbreviated(t *testing.T) {
	v, ids := packedRepository(t)
	d := newDatabase(&v, &Budget{})
	defer d.close()
	for _, id := range ids {
		found, ok := d.abbreviated(id[:13])
		assert.True(t, ok)
		assert.Equal(t, id, found)
	}
	shares := map[string]int{}
	for _, id := range ids {
		shares[id[:4]]++
	}
	for prefix, count := range shares {
		_, ok := d.abbreviated(prefix)
		assert.Equal(t, count == 1, ok)
	}
	_, ok := d.abbreviated("0000000")
	assert.False(t, ok)
}
