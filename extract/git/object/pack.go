package object

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// Where the parts of an index of a pack begin.
const (
	packFanout = 8
	packIDs    = packFanout + 256*4
)

// maxBucket is up to what size the ids of an index that begin with one byte are read together.
const maxBucket = 1 << 20

// packIndexHead is what an index of version 2 begins with.
var packIndexHead = []byte("\xfftOc\x00\x00\x00\x02")

// pack is a pack and its index, both open.
type pack struct {
	hashSize int
	// index is what file holds.
	index      io.ReaderAt
	file, data *os.File
	// before counts the objects whose ids begin with at most a byte, buckets are these ids if
	// they were read together.
	before  [256]int64
	buckets [256][]byte
}

// openPack opens a pack by the name of its index.
func openPack(name string, hashSize int) (*pack, error) {
	p := &pack{hashSize: hashSize}
	var size int64
	var err error
	if p.file, err = openRegular(name); err == nil {
		p.index = p.file
		p.data, err = openRegular(strings.TrimSuffix(name, ".idx") + ".pack")
	}
	if err == nil {
		size, err = p.file.Seek(0, io.SeekEnd)
	}
	if err == nil {
		err = p.readFanout(size)
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("open pack: %w", err)
	}
	return p, nil
}

// close closes what was opened, which was only read.
func (p *pack) close() {
	_ = p.file.Close()
	_ = p.data.Close()
}

func (p *pack) readFanout(size int64) error {
	head := make([]byte, packIDs)
	if _, err := p.index.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, packIndexHead) {
		return errObject
	}
	for i := range p.before {
		p.before[i] = int64(binary.BigEndian.Uint32(head[packFanout+4*i:]))
		if i > 0 && p.before[i] < p.before[i-1] {
			return errObject
		}
	}
	if p.before[255] > (size-packIDs)/int64(p.hashSize+8) {
		return errObject
	}
	return nil
}

// begin is the place in the index of the first id that begins with a byte.
func (p *pack) begin(first byte) int64 {
	if first == 0 {
		return 0
	}
	return p.before[first-1]
}

// search is the place in the index of an id, or of the first that is not less than the beginning
// of one, among those that begin with the same byte. It takes the steps that git takes: of an
// index that names an id twice, or isn't sorted, it finds what git finds.
func (p *pack) search(id []byte) (at int64, err error) {
	low, high := p.begin(id[0]), p.before[id[0]]
	for low < high {
		at := (low + high) / 2
		here, err := p.idAt(at, id[0])
		if err != nil {
			return 0, err
		}
		switch c := bytes.Compare(here[:min(len(id), len(here))], id); {
		case c == 0 && len(id) == p.hashSize:
			return at, nil
		case c < 0:
			low = at + 1
		default:
			high = at
		}
	}
	return low, nil
}

// idAt is the id at a place in the index, which begins with a byte. Those that do are read
// together, unless they are very many.
func (p *pack) idAt(at int64, first byte) ([]byte, error) {
	begin, size := p.begin(first), int64(p.hashSize)
	if length := (p.before[first] - begin) * size; p.buckets[first] == nil && length <= maxBucket {
		ids := make([]byte, length)
		if _, err := p.index.ReadAt(ids, packIDs+begin*size); err != nil {
			return nil, errObject
		}
		p.buckets[first] = ids
	}
	if ids := p.buckets[first]; ids != nil {
		return ids[(at-begin)*size : (at-begin+1)*size], nil
	}
	id := make([]byte, size)
	if _, err := p.index.ReadAt(id, packIDs+at*size); err != nil {
		return nil, errObject
	}
	return id, nil
}

// offset is where in the pack an object lies.
func (p *pack) offset(id []byte) (offset int64, found bool, err error) {
	at, err := p.search(id)
	if err != nil || at >= p.before[id[0]] {
		return 0, false, err
	}
	here, err := p.idAt(at, id[0])
	if err != nil || !bytes.Equal(here, id) {
		return 0, false, err
	}
	all, word := p.before[255], make([]byte, 8)
	offsets := packIDs + all*int64(p.hashSize+4)
	if _, err := p.index.ReadAt(word[:4], offsets+4*at); err != nil {
		return 0, false, errObject
	}
	value := binary.BigEndian.Uint32(word)
	if value&0x80000000 == 0 {
		return int64(value), true, nil
	}
	// Offsets beyond 2 GiB are in a table of their own.
	if _, err := p.index.ReadAt(word, offsets+4*all+8*int64(value&0x7fffffff)); err != nil {
		return 0, false, errObject
	}
	far := binary.BigEndian.Uint64(word)
	return int64(far & (1<<63 - 1)), far < 1<<63, nil
}

// beginning lists the ids in the index that begin with some digits, up to a number of them; low
// are the whole bytes of the digits.
func (p *pack) beginning(digits string, low []byte, most int) (ids []string, err error) {
	at, err := p.search(low)
	for ; err == nil && at < p.before[low[0]] && len(ids) < most; at++ {
		var id []byte
		if id, err = p.idAt(at, low[0]); err != nil || !bytes.HasPrefix(id, low) {
			break
		}
		if text := hex.EncodeToString(id); strings.HasPrefix(text, digits) {
			ids = append(ids, text)
		}
	}
	return ids, err
}
