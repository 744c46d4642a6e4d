package git

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"policyd/extract/stat"
)

// Bounds on what is read to find one object.
const (
	maxObjectBytes = 1 << 20
	maxPackIndex   = 8 << 20
	maxPacks       = 64
)

// object is a commit or a tree by its id. Only one that is what its id says,
// stored whole, is read.
func (v *Verdict) object(kind, id string) ([]byte, bool) {
	body, ok := v.loose(kind, id)
	if !ok {
		body, ok = v.packed(kind, id)
	}
	return body, ok && hex.EncodeToString(objectID(kind, body, v.objectSize)) == id
}

// treeOf is the id of the tree that a commit holds.
func (v *Verdict) treeOf(commit string) (string, bool) {
	body, ok := v.object("commit", commit)
	if !ok {
		return "", false
	}
	line, _, _ := strings.Cut(string(body), "\n")
	tree, ok := strings.CutPrefix(line, "tree ")
	if !ok {
		return "", false
	}
	return v.id(tree)
}

func (v *Verdict) loose(kind, id string) ([]byte, bool) {
	packed, known := v.read(filepath.Join("objects", id[:2], id[2:]), maxObjectBytes)
	if !known || len(packed) == 0 {
		return nil, false
	}
	whole, ok := inflate(bytes.NewReader(packed))
	if !ok {
		return nil, false
	}
	header, body, found := bytes.Cut(whole, []byte{0})
	return body, found && string(header) == kind+" "+strconv.Itoa(len(body))
}

// inflate reads one compressed object within a bound.
func inflate(from io.Reader) ([]byte, bool) {
	reader, err := zlib.NewReader(from)
	if err != nil {
		return nil, false
	}
	content, err := io.ReadAll(io.LimitReader(reader, maxObjectBytes+1))
	return content, err == nil && len(content) <= maxObjectBytes && reader.Close() == nil
}

// packed looks for an object in the packs. One that is stored as its difference
// from another is not read.
func (v *Verdict) packed(kind, text string) ([]byte, bool) {
	id, err := hex.DecodeString(text)
	if err != nil {
		return nil, false
	}
	dir, err := disk(v.view, filepath.Join(v.CommonDir, "objects/pack"), true)
	if err != nil {
		return nil, false
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "pack-*.idx"))
	if err != nil || len(names) > maxPacks {
		return nil, false
	}
	for _, name := range names {
		index, _, err := readBounded(name, maxPackIndex)
		if err != nil {
			return nil, false
		}
		if offset, found := packOffset(index, id); found {
			return packEntry(strings.TrimSuffix(name, ".idx")+".pack", offset, packedKinds[kind])
		}
	}
	return nil, false
}

// escapeGlob makes a directory's name stand for itself in a pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

const (
	packFanout = 8
	packNames  = packFanout + 256*4
)

// packOffset finds an object in the index of a pack, version 2.
func packOffset(index, id []byte) (offset int64, found bool) {
	if len(index) < packNames || !bytes.HasPrefix(index, []byte("\xfftOc\x00\x00\x00\x02")) {
		return 0, false
	}
	fanout := func(i int) int { return int(binary.BigEndian.Uint32(index[packFanout+4*i:])) }
	total, size := fanout(255), len(id)
	from, to := 0, fanout(int(id[0]))
	if id[0] > 0 {
		from = fanout(int(id[0]) - 1)
	}
	offsets := packNames + total*(size+4)
	if total < 0 || from < 0 || from > to || to > total || total > len(index)/(size+8) || offsets+4*total > len(index) {
		return 0, false
	}
	at := from
	for low, high := from, to; low < high; {
		at = (low + high) / 2
		switch c := bytes.Compare(index[packNames+at*size:packNames+(at+1)*size], id); {
		case c == 0:
			value := binary.BigEndian.Uint32(index[offsets+4*at:])
			return int64(value), value&0x80000000 == 0 // beyond 2 GiB it stands elsewhere
		case c < 0:
			low = at + 1
		default:
			high = at
		}
	}
	return 0, false
}

var errNotWhole = errors.New("object is not whole, or of another kind")

// packedKinds are the numbers by which packs tell kinds of whole objects apart.
var packedKinds = map[string]byte{"commit": 1, "tree": 2}

// packEntry reads the object at an offset of a pack.
func packEntry(name string, offset int64, kind byte) ([]byte, bool) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	if found, err := stat.Open(file); err != nil || found.Kind != stat.File {
		return nil, false
	}
	entry := io.NewSectionReader(file, offset, maxObjectBytes)
	size, err := entryHeader(entry, kind)
	if err != nil {
		return nil, false
	}
	body, ok := inflate(entry)
	return body, ok && len(body) == size
}

// entryHeader reads what stands in front of a whole object: its size, seven
// bits in each byte but the first, which has four and the kind.
func entryHeader(from io.Reader, kind byte) (size int, err error) {
	one := make([]byte, 1)
	for shift := 0; shift < 32; {
		if _, err := io.ReadFull(from, one); err != nil {
			return 0, errNotWhole
		}
		switch {
		case shift == 0 && one[0]>>4&7 != kind:
			return 0, errNotWhole
		case shift == 0:
			size, shift = int(one[0]&15), 4
		default:
			size, shift = size|int(one[0]&0x7f)<<shift, shift+7
		}
		if one[0]&0x80 == 0 {
			return size, nil
		}
	}
	return 0, errNotWhole
}
