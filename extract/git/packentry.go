package git

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"policyd/extract/stat"
)

// maxDeltaChain is how many differences may stand between an object of a pack and one
// that is stored whole. git writes at most 50, unless it is told otherwise.
const maxDeltaChain = 64

var errEntry = errors.New("entry of a pack can't be read")

// Kinds by which packs tell objects apart (gitformat-pack(5)).
const (
	kindCommit        = 1
	kindTree          = 2
	kindBlob          = 3
	kindTag           = 4
	packedOffsetDelta = 6
	packedNamedDelta  = 7
)

// packedKinds are those of objects that are stored whole, kindNames what they are called.
var (
	packedKinds = map[string]byte{"commit": kindCommit, "tree": kindTree, "blob": kindBlob, "tag": kindTag}
	kindNames   = map[byte]string{kindCommit: "commit", kindTree: "tree", kindTag: "tag"}
)

// openRegular opens a file to read it, and nothing that is none.
func openRegular(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	if found, err := stat.Open(file); err != nil || found.Kind != stat.File {
		_ = file.Close() // nothing was written
		return nil, errEntry
	}
	return file, nil
}

// whole is the object of a kind at an offset of the pack.
func (s *store) whole(p *pack, kind string, offset int64) ([]byte, bool) {
	if offset < 0 {
		return nil, false
	}
	file, err := openRegular(p.name)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	return s.entry(p, file, packedKinds[kind], offset)
}

// entry reads the object at an offset, applying the differences as which it is stored.
func (s *store) entry(p *pack, file io.ReaderAt, kind byte, offset int64) ([]byte, bool) {
	var deltas [][]byte
	for range maxDeltaChain {
		from := io.NewSectionReader(file, offset, maxObjectBytes)
		found, size, err := entryHeader(from)
		base := int64(0)
		if err == nil && (found == packedOffsetDelta || found == packedNamedDelta) {
			base, err = p.base(from, found, offset, s.v.objectSize)
		}
		if err != nil {
			return nil, false
		}
		body, ok := s.inflate(from)
		if !ok || len(body) != size {
			return nil, false
		}
		if found == packedOffsetDelta || found == packedNamedDelta {
			deltas, offset = append(deltas, body), base
			continue
		}
		for i := len(deltas) - 1; ok && i >= 0; i-- {
			body, ok = applyDelta(body, deltas[i])
			ok = ok && s.spend(len(body))
		}
		return body, ok && found == kind
	}
	return nil, false
}

// base reads where in the pack the object lies that an entry differs from.
func (p *pack) base(from io.Reader, kind byte, offset int64, objectSize int) (int64, error) {
	if kind == packedNamedDelta {
		id := make([]byte, objectSize)
		if _, err := io.ReadFull(from, id); err != nil {
			return 0, errEntry
		}
		base, found := packOffset(p.index, id)
		if !found || base < 0 {
			return 0, errEntry
		}
		return base, nil
	}
	return baseDistance(from, offset)
}

// baseDistance reads how far before an entry the one lies that it differs from, and gives
// where that is.
func baseDistance(from io.Reader, offset int64) (int64, error) {
	one := make([]byte, 1)
	distance := int64(0)
	for i := 0; i < 8; i++ {
		if _, err := io.ReadFull(from, one); err != nil {
			return 0, errEntry
		}
		if i > 0 {
			distance++
		}
		distance = distance<<7 | int64(one[0]&0x7f)
		if one[0]&0x80 == 0 {
			if distance <= 0 || distance > offset {
				return 0, errEntry
			}
			return offset - distance, nil
		}
	}
	return 0, errEntry
}

// entryHeader reads what stands in front of an entry: its kind and its size, seven
// bits in each byte but the first, which has four and the kind.
func entryHeader(from io.Reader) (kind byte, size int, err error) {
	one := make([]byte, 1)
	for shift := 0; shift < 32; {
		if _, err := io.ReadFull(from, one); err != nil {
			return 0, 0, errEntry
		}
		if shift == 0 {
			kind, size, shift = one[0]>>4&7, int(one[0]&15), 4
		} else {
			size, shift = size|int(one[0]&0x7f)<<shift, shift+7
		}
		if one[0]&0x80 == 0 {
			return kind, size, nil
		}
	}
	return 0, 0, errEntry
}

// applyDelta makes an object of another and its difference from it: pieces of the
// other, and new bytes.
func applyDelta(base, delta []byte) ([]byte, bool) {
	from, delta, ok := deltaSize(delta)
	if !ok || from != len(base) {
		return nil, false
	}
	size, delta, ok := deltaSize(delta)
	if !ok || size > maxObjectBytes {
		return nil, false
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		var piece []byte
		switch {
		case op&0x80 != 0:
			if piece, delta, ok = copied(base, op, delta); !ok {
				return nil, false
			}
		case op == 0 || int(op) > len(delta):
			return nil, false
		default:
			piece, delta = delta[:op], delta[op:]
		}
		if len(out)+len(piece) > size {
			return nil, false
		}
		out = append(out, piece...)
	}
	return out, len(out) == size
}

// copied is the piece of the base that an instruction names: which bytes of the offset
// and of the size follow, its bits say.
func copied(base []byte, op byte, delta []byte) (piece, rest []byte, ok bool) {
	var raw [8]byte
	for i, at := range []int{0, 1, 2, 3, 4, 5, 6} {
		if op>>i&1 == 0 {
			continue
		}
		if len(delta) == 0 {
			return nil, nil, false
		}
		raw[at], delta = delta[0], delta[1:]
	}
	start, size := int64(binary.LittleEndian.Uint32(raw[:4])), int64(binary.LittleEndian.Uint32(raw[4:]))
	if size == 0 {
		size = 0x10000
	}
	if start+size > int64(len(base)) {
		return nil, nil, false
	}
	return base[start : start+size], delta, true
}

// deltaSize reads a size, seven bits in each byte.
func deltaSize(delta []byte) (size int, rest []byte, ok bool) {
	for i, shift := 0, 0; i < len(delta) && shift < 32; i, shift = i+1, shift+7 {
		size |= int(delta[i]&0x7f) << shift
		if delta[i]&0x80 == 0 {
			return size, delta[i+1:], true
		}
	}
	return 0, nil, false
}
