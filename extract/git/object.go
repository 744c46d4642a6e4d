package git

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"policyd/extract/stat"
)

// Bounds on what is read to find objects.
const (
	maxObjectBytes = 1 << 20
	maxPackIndex   = 8 << 20
	maxPacks       = 64
	maxObjects     = 1024
	// maxInflated bounds all that is unpacked for one answer, maxIndexed the indexes that
	// are read for it.
	maxInflated = 16 << 20
	maxIndexed  = 16 << 20
)

// store reads the objects of one repository to answer one question. Nothing of it
// outlives the answer.
type store struct {
	v     *Verdict
	packs []pack
	graph graph
	// left is how many objects may still be read.
	left int
	// bytes is how much may still be unpacked.
	bytes int
}

// pack is a file of objects, and its index.
type pack struct {
	name  string
	index []byte
}

// objects opens the objects of the verdict's repository. It reports false where git
// may read others in their place: those of another repository, what stands in for
// them, and an index that says of several packs at once where they are.
func (v *Verdict) objects() (*store, bool) {
	s := &store{v: v, left: maxObjects, bytes: maxInflated}
	if v.ForeignObjects || v.replaces() || v.there("info/grafts") || v.there("reftable") ||
		v.there("objects/info/alternates") || v.there("objects/pack/multi-pack-index") || v.there("objects/pack/multi-pack-index.d") {
		return nil, false
	}
	if !s.graph.read(v) {
		return nil, false
	}
	dir, err := disk(v.view, filepath.Join(v.CommonDir, "objects/pack"), true)
	if stat.Missing(err) {
		return s, true
	}
	if err != nil {
		return nil, false
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.idx"))
	if err != nil || len(names) > maxPacks {
		return nil, false
	}
	left := maxIndexed
	for _, name := range names {
		index, _, err := readOrAbsent(name, maxPackIndex)
		if left -= len(index); left < 0 || err != nil || !isPackIndex(index, v.objectSize) {
			return nil, false
		}
		s.packs = append(s.packs, pack{name: strings.TrimSuffix(name, ".idx") + ".pack", index: index})
	}
	return s, true
}

// there reports whether anything lies at a path of the repository, or can't be seen.
func (v *Verdict) there(name string) bool {
	found, ok := v.at(v.CommonDir, name)
	return !ok || found.Present()
}

// object is an object by its id. What is stored more than once has to be what its id
// says each time: which of them git reads is not known.
func (s *store) object(kind, id string) (body []byte, ok bool) {
	if s.left--; s.left < 0 {
		return nil, false
	}
	keep := func(found []byte, readable bool) bool {
		body, ok = found, readable && hex.EncodeToString(objectID(kind, found, s.v.objectSize)) == id
		return ok
	}
	if s.v.there(loosePath(id)) && !keep(s.loose(kind, id)) {
		return nil, false
	}
	raw, err := hex.DecodeString(id)
	if err != nil {
		return nil, false
	}
	for i := range s.packs {
		if offset, there := packOffset(s.packs[i].index, raw); there && !keep(s.whole(&s.packs[i], kind, offset)) {
			return nil, false
		}
	}
	return body, ok
}

func loosePath(id string) string { return filepath.Join("objects", id[:2], id[2:]) }

func (s *store) loose(kind, id string) ([]byte, bool) {
	packed, known := s.v.read(loosePath(id), maxObjectBytes)
	if !known || len(packed) == 0 {
		return nil, false
	}
	whole, ok := s.inflate(bytes.NewReader(packed))
	if !ok {
		return nil, false
	}
	header, body, found := bytes.Cut(whole, []byte{0})
	return body, found && string(header) == kind+" "+strconv.Itoa(len(body))
}

// inflate reads one compressed object within a bound.
func (s *store) inflate(from io.Reader) ([]byte, bool) {
	reader, err := zlib.NewReader(from)
	if err != nil {
		return nil, false
	}
	content, err := io.ReadAll(io.LimitReader(reader, maxObjectBytes+1))
	return content, err == nil && len(content) <= maxObjectBytes && reader.Close() == nil && s.spend(len(content))
}

// spend reports whether that many bytes more may be unpacked: a pack of few bytes can hold
// any number of large differences from each other.
func (s *store) spend(count int) bool {
	s.bytes -= count
	return s.bytes >= 0
}

// escapeGlob makes a directory's name stand for itself in a pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

const (
	packFanout = 8
	packNames  = packFanout + 256*4
)

// packIndexHead is what an index of version 2 begins with.
var packIndexHead = []byte("\xfftOc\x00\x00\x00\x02")

// isPackIndex reports whether a file is the index of a pack, version 2, and whole.
func isPackIndex(index []byte, objectSize int) bool {
	if len(index) < packNames || !bytes.HasPrefix(index, packIndexHead) {
		return false
	}
	before := 0
	for i := range 256 {
		here := fanout(index, i)
		if here < before {
			return false
		}
		before = here
	}
	return before <= (len(index)-packNames)/(objectSize+8)
}

// fanout is how many objects of the index begin with at most a byte.
func fanout(index []byte, first int) int {
	return int(binary.BigEndian.Uint32(index[packFanout+4*first:]))
}

// packOffset finds an object in the index of a pack, as git does. An offset below 0 is
// one that is not read: beyond 2 GiB it stands elsewhere.
func packOffset(index, id []byte) (offset int64, found bool) {
	if !isPackIndex(index, len(id)) {
		return 0, false
	}
	size := len(id)
	offsets := packNames + fanout(index, 255)*(size+4)
	low, high := 0, fanout(index, int(id[0]))
	if id[0] > 0 {
		low = fanout(index, int(id[0])-1)
	}
	for low < high {
		at := (low + high) / 2
		switch c := bytes.Compare(index[packNames+at*size:packNames+(at+1)*size], id); {
		case c == 0:
			value := binary.BigEndian.Uint32(index[offsets+4*at:])
			if value&0x80000000 != 0 {
				return -1, true
			}
			return int64(value), true
		case c < 0:
			low = at + 1
		default:
			high = at
		}
	}
	return 0, false
}
