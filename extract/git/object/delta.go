package object

import (
	"encoding/binary"
	"io"
)

// maxDeltaChain is how many differences may stand between an object of a pack and one
// that is stored whole. git writes at most 50 by default.
const maxDeltaChain = 64

// entryHeader reads the header of an entry of a pack: its kind and its size, seven
// bits in each byte but the first, which has four and the kind.
func entryHeader(from io.ByteReader) (kind Kind, size int, err error) {
	for shift := 0; shift < 32; {
		c, err := from.ReadByte()
		if err != nil {
			return 0, 0, errObject
		}
		if shift == 0 {
			kind, size, shift = Kind(c>>4&7), int(c&15), 4
		} else {
			size, shift = size|int(c&0x7f)<<shift, shift+7
		}
		if c&0x80 == 0 {
			return kind, size, nil
		}
	}
	return 0, 0, errObject
}

// baseOffset reads how far before an entry the one lies that it differs from, and returns where
// that is.
func baseOffset(from io.ByteReader, offset int64) (int64, error) {
	distance := int64(0)
	for i := range 8 {
		c, err := from.ReadByte()
		if err != nil {
			return 0, errObject
		}
		if i > 0 {
			distance++
		}
		distance = distance<<7 | int64(c&0x7f)
		if c&0x80 != 0 {
			continue
		}
		if distance <= 0 || distance > offset {
			break
		}
		return offset - distance, nil
	}
	return 0, errObject
}

// applyDelta makes an object of another and its difference from it: pieces of the
// other, and new bytes.
func applyDelta(base, delta []byte) ([]byte, bool) {
	from, delta, ok := deltaSize(delta)
	if !ok || from != len(base) {
		return nil, false
	}
	size, delta, ok := deltaSize(delta)
	if !ok || size > maxDelta {
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

// copied is the piece of the base that an instruction names: its bits name which bytes of the
// offset and of the size follow.
func copied(base []byte, op byte, delta []byte) (piece, rest []byte, ok bool) {
	var raw [8]byte
	for i := range 7 {
		if op>>i&1 == 0 {
			continue
		}
		if len(delta) == 0 {
			return nil, nil, false
		}
		raw[i], delta = delta[0], delta[1:]
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
	value, n := binary.Uvarint(delta)
	if n <= 0 || value > maxObject {
		return 0, nil, false
	}
	return int(value), delta[n:], true
}
