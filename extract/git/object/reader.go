package object

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"policyd/extract/stat"
)

// Bounds on what is read for one decision, unless a Budget has others: some tens of thousands of
// objects take about half a second.
const (
	MaxObjects = 50_000
	MaxBytes   = 128 << 20
)

// Bounds on the parts of a repository.
const (
	maxObject = 4 << 20
	// maxDelta bounds what a difference makes: few bytes can make many of it.
	maxDelta = 1 << 20
	maxPacks = 512
	// maxBases bounds the objects that are kept for others to differ from.
	maxBases = 16 << 20
)

// beginningCost is what a look for ids that begin alike counts as: it lists a directory.
const beginningCost = 32

// ErrMissing means that an object isn't there. Other errors mean that it can't be read.
var ErrMissing = errors.New("object is missing")

// ErrReplaced means that git may read other objects in the place of those that it is asked for.
var ErrReplaced = errors.New("objects are replaced")

var errObject = errors.New("object can't be read")

// Budget counts what is read for one decision, by one Reader after the other. Its zero value has
// the bounds MaxObjects and MaxBytes.
type Budget struct {
	// Objects and Bytes were read so far.
	Objects, Bytes int
	// MostObjects and MostBytes are other bounds, unless they are 0.
	MostObjects, MostBytes int
}

// Spend counts objects and bytes, and reports whether the bounds allow them.
func (b *Budget) Spend(objects, bytes int) bool {
	b.Objects += objects
	b.Bytes += bytes
	return b.Objects <= cmp.Or(b.MostObjects, MaxObjects) && b.Bytes <= cmp.Or(b.MostBytes, MaxBytes)
}

// Reader reads objects of a repository, and of those that it borrows from. It verifies that each
// matches its id, except for blobs: of these it reads the kind alone, which nothing proves. The
// caller closes it. It may not be used concurrently.
type Reader struct {
	repository *Repository
	budget     *Budget
	dirs       []string
	packs      []*pack
	bases      map[baseKey]Object
	held       int
	input      *bufio.Reader
	inflater   io.ReadCloser
	failed     error
}

type baseKey struct {
	pack   *pack
	offset int64
}

// NewReader returns a Reader that opens no objects before the first read. Where the repository
// replaces objects there is none: what an id names is not what git reads. The error is ErrReplaced.
func NewReader(repository *Repository, budget *Budget) (*Reader, error) {
	if repository.Replaces() {
		return nil, ErrReplaced
	}
	return &Reader{repository: repository, budget: budget, bases: map[baseKey]Object{}}, nil
}

// Close closes the packs.
func (r *Reader) Close() {
	for _, p := range r.packs {
		p.close()
	}
}

// open opens the objects of the repository and of those that it borrows from, at the first read.
func (r *Reader) open() error {
	if r.input == nil {
		r.input = bufio.NewReader(nil)
		r.failed = r.openBelow(filepath.Join(r.repository.CommonDir, "objects"), 0)
	}
	return r.failed
}

func (r *Reader) openBelow(objects string, depth int) error {
	if depth > MaxAlternateDepth {
		return errObject
	}
	dir, err := OnDisk(r.repository.View, objects, true)
	if err != nil {
		return fmt.Errorf("open objects: %w", err)
	}
	r.dirs = append(r.dirs, dir)
	names, err := Names(filepath.Join(dir, "pack"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".idx") {
			continue
		}
		p, err := openPack(filepath.Join(dir, "pack", name), r.repository.HashSize)
		if err != nil {
			return err
		}
		if r.packs = append(r.packs, p); len(r.packs) > maxPacks {
			return errObject
		}
	}
	content, _, err := ReadFile(filepath.Join(dir, "info", "alternates"), MaxAlternatesBytes)
	if err != nil {
		return fmt.Errorf("open objects: %w", err)
	}
	for _, other := range Alternates(content) {
		if !filepath.IsAbs(other) {
			other = filepath.Join(objects, other)
		}
		if err := r.openBelow(other, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Read reads an object.
func (r *Reader) Read(id string) (Object, error) {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return Object{}, errObject
	}
	return r.ReadRaw(raw)
}

// ReadRaw is Read by the bytes of the id.
func (r *Reader) ReadRaw(id []byte) (found Object, err error) {
	if len(id) != r.repository.HashSize || !r.budget.Spend(1, 0) {
		return Object{}, errObject
	}
	if err := r.open(); err != nil {
		return Object{}, err
	}
	found, err = r.copy(id)
	if err == nil && found.Kind != KindBlob && !bytes.Equal(HashOf(found.Kind, found.Body, len(id)), id) {
		err = errObject
	}
	return found, err
}

// copy is the first copy of an object.
func (r *Reader) copy(id []byte) (Object, error) {
	for _, p := range r.packs {
		offset, there, err := p.offset(id)
		if err != nil {
			return Object{}, err
		}
		if there {
			return r.packed(p, offset)
		}
	}
	name := hex.EncodeToString(id)
	for _, dir := range r.dirs {
		found, err := r.loose(filepath.Join(dir, name[:2], name[2:]))
		if !stat.Missing(err) {
			return found, err
		}
	}
	return Object{}, ErrMissing
}

func (r *Reader) loose(path string) (Object, error) {
	file, err := openRegular(path)
	if err != nil {
		return Object{}, err
	}
	defer file.Close()
	r.input.Reset(file)
	if err := r.inflate(); err != nil {
		return Object{}, err
	}
	inside := bufio.NewReader(r.inflater)
	header, err := inside.ReadString(0)
	name, digits, spaced := strings.Cut(strings.TrimSuffix(header, "\x00"), " ")
	size, sized := strconv.Atoi(digits)
	kind, known := kinds[name]
	if err != nil || !spaced || sized != nil || !known {
		return Object{}, errObject
	}
	if kind == KindBlob {
		return Object{Kind: kind}, nil
	}
	body, err := r.body(inside, size)
	return Object{Kind: kind, Body: body}, err
}

// packed is the object at an offset of a pack, and what it is made of.
func (r *Reader) packed(p *pack, offset int64) (Object, error) {
	var deltas [][]byte
	var places []int64
	held := 0
	for range maxDeltaChain {
		found, base, err := r.entry(p, offset)
		if held += len(found.Body); err == nil && held > 2*maxObject {
			err = errObject
		}
		if err != nil {
			return Object{}, err
		}
		if base > 0 {
			deltas, places, offset = append(deltas, found.Body), append(places, offset), base
			continue
		}
		if found.Kind == KindBlob {
			return found, nil
		}
		for i := len(deltas) - 1; i >= 0; i-- {
			body, ok := applyDelta(found.Body, deltas[i])
			if !ok || !r.budget.Spend(0, len(body)) {
				return Object{}, errObject
			}
			found.Body = body
			r.keep(baseKey{p, places[i]}, found)
		}
		return found, nil
	}
	return Object{}, errObject
}

// entry reads one entry of a pack; base is where the one lies that it differs from. Of what
// comes from a file nothing is unpacked, and nothing of it differs.
func (r *Reader) entry(p *pack, offset int64) (found Object, base int64, err error) {
	if held, ok := r.bases[baseKey{p, offset}]; ok {
		return held, 0, nil
	}
	r.input.Reset(io.NewSectionReader(p.data, offset, 1<<62-offset))
	kind, size, err := entryHeader(r.input)
	if err != nil {
		return found, 0, err
	}
	found.Kind = kind
	switch kind {
	case KindBlob:
		return found, 0, nil
	case kindOffsetDelta:
		base, err = baseOffset(r.input, offset)
	case kindNamedDelta:
		id := make([]byte, p.hashSize)
		if _, err = io.ReadFull(r.input, id); err == nil {
			var there bool
			if base, there, err = p.offset(id); !there {
				err = errObject
			}
		}
	default:
	}
	if err == nil {
		err = r.inflate()
	}
	if err == nil {
		found.Body, err = r.body(r.inflater, size)
	}
	if err == nil && base == 0 {
		r.keep(baseKey{p, offset}, found)
	}
	return found, base, err
}

// inflate begins to unpack what comes next.
func (r *Reader) inflate() (err error) {
	if r.inflater == nil {
		r.inflater, err = zlib.NewReader(r.input)
	} else {
		err = r.inflater.(zlib.Resetter).Reset(r.input, nil)
	}
	if err != nil {
		return fmt.Errorf("unpack object: %w", err)
	}
	return nil
}

// body reads what is unpacked, which ends there and has the checksum that follows.
func (r *Reader) body(from io.Reader, size int) ([]byte, error) {
	if size < 0 || size > maxObject || !r.budget.Spend(0, size) {
		return nil, errObject
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(from, body); err != nil {
		return nil, fmt.Errorf("unpack object: %w", err)
	}
	if _, err := io.ReadFull(from, make([]byte, 1)); !errors.Is(err, io.EOF) {
		return nil, errObject
	}
	return body, nil
}

// keep holds an object for those that differ from it; when there are too many, all go.
func (r *Reader) keep(key baseKey, found Object) {
	if r.held += len(found.Body); r.held > maxBases {
		clear(r.bases)
		r.held = len(found.Body)
	}
	r.bases[key] = found
}

// Beginning lists objects whose ids begin with some digits, in lower case: up to most of them,
// which is at least 1.
func (r *Reader) Beginning(digits string, most int) ([]string, bool) {
	if !r.budget.Spend(beginningCost, 0) || r.open() != nil {
		return nil, false
	}
	low, err := hex.DecodeString(digits[:len(digits)&^1])
	if err != nil {
		return nil, false
	}
	var ids []string
	for _, p := range r.packs {
		found, err := p.beginning(digits, low, most)
		if err != nil {
			return nil, false
		}
		ids = append(ids, found...)
	}
	for _, dir := range r.dirs {
		names, err := Names(filepath.Join(dir, digits[:2]))
		if err != nil {
			return nil, false
		}
		for _, name := range names {
			if !strings.HasPrefix(name, digits[2:]) {
				continue
			}
			if len(name)+2 != 2*r.repository.HashSize {
				return nil, false
			}
			ids = append(ids, digits[:2]+name)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), most)], true
}
