package object

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// IndexEntry is one tracked path. Its Path is valid until the next entry.
type IndexEntry struct {
	Mode uint32
	ID   []byte // of the blob
	Path []byte
}

// IsSubmodule reports whether the entry is a commit of another repository.
func (e IndexEntry) IsSubmodule() bool { return e.Mode&modeType == modeGitlink }

// ModeDirectory is the mode of a directory in a tree.
const ModeDirectory = 0o040000

const (
	modeType    = 0o170000
	modeGitlink = 0o160000

	indexHeaderBytes = 12
	indexStatBytes   = 40
	indexModeOffset  = 24
	indexFlagBytes   = 2
	indexNameMask    = 0x0fff
	indexExtended    = 0x4000
)

// ErrIndexUnknown means that the index is damaged or of a kind that is not
// read here: split, sparse, or newer than version 4.
var ErrIndexUnknown = errors.New("index unknown")

// WalkIndex visits the entries of an index file of version 2, 3 or 4 whose
// object names have hashSize bytes, until visit returns false. An extension
// that has to be understood is an error after the last entry.
func WalkIndex(content []byte, hashSize int, visit func(IndexEntry) bool) error {
	if len(content) < indexHeaderBytes+hashSize || hashSize == 0 || string(content[:4]) != "DIRC" {
		return ErrIndexUnknown
	}
	w := newIndexWalk(content, hashSize)
	if w.version < 2 || w.version > 4 {
		return ErrIndexUnknown
	}
	for range binary.BigEndian.Uint32(content[8:12]) {
		entry, ok := w.entry()
		if !ok || entry.Mode&modeType == ModeDirectory {
			return ErrIndexUnknown
		}
		if !visit(entry) {
			return nil
		}
	}
	return w.extensions()
}

type indexWalk struct {
	rest     []byte
	version  uint32
	hashSize int
	name     []byte
}

func newIndexWalk(content []byte, hashSize int) *indexWalk {
	return &indexWalk{
		rest:     content[indexHeaderBytes : len(content)-hashSize],
		version:  binary.BigEndian.Uint32(content[4:8]),
		hashSize: hashSize,
	}
}

func (w *indexWalk) take(n int) ([]byte, bool) {
	if n < 0 || n > len(w.rest) {
		return nil, false
	}
	taken := w.rest[:n]
	w.rest = w.rest[n:]
	return taken, true
}

func (w *indexWalk) entry() (IndexEntry, bool) {
	size := indexStatBytes + w.hashSize + indexFlagBytes
	fixed, ok := w.take(size)
	if !ok {
		return IndexEntry{}, false
	}
	mode := binary.BigEndian.Uint32(fixed[indexModeOffset:])
	flags := binary.BigEndian.Uint16(fixed[size-indexFlagBytes:])
	if flags&indexExtended != 0 {
		if _, ok := w.take(indexFlagBytes); !ok || w.version == 2 {
			return IndexEntry{}, false
		}
		size += indexFlagBytes
	}
	if w.version == 4 {
		ok = w.compressedName()
	} else {
		ok = w.paddedName(size)
	}
	if !ok || len(w.name) == 0 {
		return IndexEntry{}, false
	}
	if length := int(flags & indexNameMask); length != indexNameMask && length != len(w.name) {
		return IndexEntry{}, false
	}
	return IndexEntry{Mode: mode, ID: fixed[indexStatBytes : indexStatBytes+w.hashSize], Path: w.name}, true
}

// paddedName reads a name that ends in one to eight NUL bytes, which fill the
// entry up to a multiple of eight.
func (w *indexWalk) paddedName(size int) bool {
	const unit = 8
	length := bytes.IndexByte(w.rest, 0)
	if length < 0 {
		return false
	}
	padded := length + unit - (size+length)%unit
	taken, ok := w.take(padded)
	if !ok || len(bytes.Trim(taken[length:], "\x00")) > 0 {
		return false
	}
	w.name = taken[:length]
	return true
}

// compressedName drops some bytes of the previous name and appends others.
func (w *indexWalk) compressedName() bool {
	drop, ok := w.offset()
	if !ok || drop > len(w.name) {
		return false
	}
	length := bytes.IndexByte(w.rest, 0)
	if length < 0 {
		return false
	}
	suffix, _ := w.take(length + 1)
	w.name = append(w.name[:len(w.name)-drop], suffix[:length]...)
	return true
}

// offset reads git's variable-width integer: seven bits a byte, highest first,
// one added for every further byte.
func (w *indexWalk) offset() (int, bool) {
	const longest = 4 // 28 bits: more than an index may hold
	value := 0
	for n := range longest {
		taken, ok := w.take(1)
		if !ok {
			return 0, false
		}
		if n > 0 {
			value++
		}
		value = value<<7 | int(taken[0]&0x7f)
		if taken[0]&0x80 == 0 {
			return value, true
		}
	}
	return 0, false
}

// extensions skips optional ones, whose names start with a capital letter.
func (w *indexWalk) extensions() error {
	const header = 8
	for len(w.rest) > 0 {
		head, ok := w.take(header)
		if !ok || head[0] < 'A' || head[0] > 'Z' {
			return ErrIndexUnknown
		}
		if _, ok := w.take(int(binary.BigEndian.Uint32(head[4:]))); !ok {
			return ErrIndexUnknown
		}
	}
	return nil
}

// Gitlinks lists the submodules of an index. Its errors are those of WalkIndex.
func Gitlinks(content []byte, hashSize int) (paths []string, err error) {
	err = WalkIndex(content, hashSize, func(e IndexEntry) bool {
		if e.IsSubmodule() {
			paths = append(paths, string(e.Path))
		}
		return true
	})
	return paths, err
}
