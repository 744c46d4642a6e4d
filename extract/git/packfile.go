package git

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
)

// packFile is a pack and its index, both open.
type packFile struct {
	index io.ReaderAt
	data  *os.File
	files []*os.File
	// before counts the objects whose ids begin with at most a byte, buckets are these ids where
	// they were read together.
	before  [256]int64
	buckets [256][]byte
}

func openPack(name string, objectSize int) (*packFile, error) {
	p := &packFile{}
	index, size, err := p.open(name)
	if err == nil {
		p.data, _, err = p.open(strings.TrimSuffix(name, ".idx") + ".pack")
	}
	if err == nil {
		p.index = index
		err = p.readFanout(size, objectSize)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *packFile) open(name string) (*os.File, int64, error) {
	file, err := openRegular(name)
	if err != nil {
		return nil, 0, err
	}
	p.files = append(p.files, file)
	found, err := file.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("open pack: %w", err)
	}
	return file, found.Size(), nil
}

func (p *packFile) close() {
	for _, file := range p.files {
		_ = file.Close() // it was only read
	}
}

func (p *packFile) readFanout(size int64, objectSize int) error {
	head := make([]byte, packNames)
	if _, err := p.index.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, packIndexHead) {
		return errObject
	}
	for i := range p.before {
		p.before[i] = int64(fanout(head, i))
		if i > 0 && p.before[i] < p.before[i-1] {
			return errObject
		}
	}
	if p.before[255] > (size-packNames)/int64(objectSize+8) {
		return errObject
	}
	return nil
}

// begin is the place in the index of the first id that begins with a byte.
func (p *packFile) begin(first byte) int64 {
	if first == 0 {
		return 0
	}
	return p.before[first-1]
}

// search is the first place in the index whose id is not less than one, or the beginning of one,
// among those that begin with the same byte.
func (p *packFile) search(id []byte, objectSize int) (at int64, err error) {
	low, high := p.begin(id[0]), p.before[id[0]]
	for low < high {
		at := (low + high) / 2
		here, err := p.idAt(at, id[0], objectSize)
		if err != nil {
			return 0, err
		}
		if bytes.Compare(here[:min(len(id), len(here))], id) < 0 {
			low = at + 1
		} else {
			high = at
		}
	}
	return low, nil
}

// idAt is the id at a place in the index, which begins with a byte. Those that do are read
// together, unless they are very many.
func (p *packFile) idAt(at int64, first byte, objectSize int) ([]byte, error) {
	begin, size := p.begin(first), int64(objectSize)
	if length := (p.before[first] - begin) * size; p.buckets[first] == nil && length <= maxBucket {
		ids := make([]byte, length)
		if _, err := p.index.ReadAt(ids, packNames+begin*size); err != nil {
			return nil, errObject
		}
		p.buckets[first] = ids
	}
	if ids := p.buckets[first]; ids != nil {
		return ids[(at-begin)*size : (at-begin+1)*size], nil
	}
	id := make([]byte, size)
	if _, err := p.index.ReadAt(id, packNames+at*size); err != nil {
		return nil, errObject
	}
	return id, nil
}

// offset finds an object in the pack.
func (p *packFile) offset(id []byte) (offset int64, found bool, err error) {
	size := len(id)
	at, err := p.search(id, size)
	if err != nil || at >= p.before[id[0]] {
		return 0, false, err
	}
	here, err := p.idAt(at, id[0], size)
	if err != nil || !bytes.Equal(here, id) {
		return 0, false, err
	}
	all, word := p.before[255], make([]byte, 8)
	offsets := packNames + all*int64(size+4)
	if _, err := p.index.ReadAt(word[:4], offsets+4*at); err != nil {
		return 0, false, errObject
	}
	value := binary.BigEndian.Uint32(word)
	if value&0x80000000 == 0 {
		return int64(value), true, nil
	}
	// Beyond 2 GiB it stands in a table of its own.
	if _, err := p.index.ReadAt(word, offsets+4*all+8*int64(value&0x7fffffff)); err != nil {
		return 0, false, errObject
	}
	far := binary.BigEndian.Uint64(word)
	return int64(far & (1<<63 - 1)), far < 1<<63, nil
}
