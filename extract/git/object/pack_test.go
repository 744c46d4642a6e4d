package object

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Offsets beyond 2 GiB stand in a table of their own (gitformat-pack(5)).
func TestFarOffsets(t *testing.T) {
	id := bytes.Repeat([]byte{7}, SHA1Size)
	index := bytes.Clone(packIndexHead)
	for i := range 256 {
		index = binary.BigEndian.AppendUint32(index, map[bool]uint32{i >= 7: 1}[true])
	}
	index = append(index, id...)
	index = binary.BigEndian.AppendUint32(index, 0)
	index = binary.BigEndian.AppendUint32(index, 0x80000000)
	index = binary.BigEndian.AppendUint64(index, 5<<30)
	p := &pack{hashSize: SHA1Size, index: bytes.NewReader(index)}
	require.NoError(t, p.readFanout(int64(len(index))))
	offset, found, err := p.offset(id)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, int64(5<<30), offset)
	_, found, err = p.offset(bytes.Repeat([]byte{8}, SHA1Size))
	require.NoError(t, err)
	assert.False(t, found)
}

// FuzzPackIndex holds that no index of a pack and no entry breaks the reader.
func FuzzPackIndex(f *testing.F) {
	id := bytes.Repeat([]byte{7}, SHA1Size)
	whole := append([]byte("\xfftOc\x00\x00\x00\x02"), bytes.Repeat([]byte{0, 0, 0, 1}, 256)...)
	whole = append(append(whole, id...), 1, 2, 3, 4, 0, 0, 0, 12)
	f.Add(whole, id)
	f.Add(whole[:len(whole)-1], id)
	f.Add([]byte{}, id)
	f.Fuzz(func(t *testing.T, index, id []byte) {
		if len(id) != SHA1Size && len(id) != SHA256Size {
			return
		}
		p := &pack{hashSize: len(id), index: bytes.NewReader(index)}
		if p.readFanout(int64(len(index))) == nil {
			offset, found, err := p.offset(id)
			if err == nil && found && (offset < 0 || !bytes.Contains(index, id)) {
				t.Fatalf("found %x at %d", id, offset)
			}
		}
		if kind, size, err := entryHeader(bytes.NewReader(index)); err == nil && (len(index) == 0 || Kind(index[0]>>4&7) != kind || size < 0) {
			t.Fatalf("%x is of another kind", index)
		}
	})
}
