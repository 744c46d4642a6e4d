package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"policyd/extract/stat"
)

// Bounds on what is read of history for one decision: some tens of thousands of objects take
// about half a second.
const (
	maxPastObjects = 50_000
	maxPastBytes   = 128 << 20
)

// beginningCost is what a look for ids that begin alike counts as: it lists a directory.
const beginningCost = 32

// Budget counts what was read of history for one decision, from zero up to these bounds.
type Budget struct{ objects, bytes int }

// Bounds on the parts of a repository.
const (
	maxPastObject = 4 << 20
	maxPastPacks  = 512
	// maxBases bounds the objects that are kept for others to differ from.
	maxBases = 16 << 20
	// maxBucket is up to what size the ids of an index that begin with one byte are read together.
	maxBucket = 1 << 20
)

var (
	errObject  = errors.New("object can't be read")
	errMissing = errors.New("object is missing")
)

// database reads objects for one answer, wherever the repository keeps them. Other than a
// store it takes the first copy of each, as long as that is what its id says: it looks for
// what git may print, and hands on none of it. The caller closes it.
type database struct {
	v        *Verdict
	dirs     []string
	packs    []*packFile
	budget   *Budget
	bases    map[baseKey]object
	held     int
	input    *bufio.Reader
	inflater io.ReadCloser
	failed   error
}

type baseKey struct {
	pack   *packFile
	offset int64
}

type object struct {
	kind byte
	body []byte
}

func newDatabase(v *Verdict, budget *Budget) *database {
	return &database{v: v, budget: budget, bases: map[baseKey]object{}}
}

// ready opens the objects of the repository and of those that it borrows from, once the first
// is asked for.
func (d *database) ready() error {
	if d.input != nil {
		return d.failed
	}
	d.input = bufio.NewReader(nil)
	d.failed = d.open(filepath.Join(d.v.CommonDir, "objects"), 0)
	return d.failed
}

func (d *database) open(objects string, depth int) error {
	if depth > maxAlternateDepth {
		return errObject
	}
	dir, err := disk(d.v.view, objects, true)
	if err != nil {
		return fmt.Errorf("open objects: %w", err)
	}
	d.dirs = append(d.dirs, dir)
	names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "pack", "*.idx"))
	if err != nil || len(d.packs)+len(names) > maxPastPacks {
		return errObject
	}
	for _, name := range names {
		p, err := openPack(name, d.v.objectSize)
		if err != nil {
			return err
		}
		d.packs = append(d.packs, p)
	}
	content, _, err := readOrAbsent(filepath.Join(dir, "info", "alternates"), maxConfigBytes)
	if err != nil {
		return fmt.Errorf("open objects: %w", err)
	}
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		other, ok := alternate(string(line))
		if !ok {
			continue
		}
		if !filepath.IsAbs(other) {
			other = filepath.Join(objects, other)
		}
		if err := d.open(other, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) close() {
	for _, p := range d.packs {
		p.close()
	}
}

// read is an object by its id: what kind it is, and unless it is a file what it holds.
func (d *database) read(id string) (object, error) {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != d.v.objectSize {
		return object{}, errObject
	}
	return d.readRaw(raw)
}

func (d *database) readRaw(raw []byte) (object, error) {
	if d.budget.objects++; d.budget.objects > maxPastObjects {
		return object{}, errObject
	}
	if err := d.ready(); err != nil {
		return object{}, err
	}
	found, err := d.find(raw)
	if err != nil || found.kind == kindBlob {
		return found, err
	}
	if name, known := kindNames[found.kind]; !known || !bytes.Equal(objectID(name, found.body, d.v.objectSize), raw) {
		return object{}, errObject
	}
	return found, nil
}

func (d *database) find(raw []byte) (object, error) {
	for _, p := range d.packs {
		offset, found, err := p.offset(raw)
		if err != nil {
			return object{}, err
		}
		if found {
			return d.packed(p, offset)
		}
	}
	id := hex.EncodeToString(raw)
	for _, dir := range d.dirs {
		file, err := openRegular(filepath.Join(dir, id[:2], id[2:]))
		if stat.Missing(err) {
			continue
		}
		if err != nil {
			return object{}, err
		}
		defer file.Close()
		return d.loose(file)
	}
	return object{}, errMissing
}

func (d *database) loose(file io.Reader) (object, error) {
	d.input.Reset(file)
	if err := d.reset(); err != nil {
		return object{}, err
	}
	inside := bufio.NewReader(io.LimitReader(d.inflater, maxPastObject))
	header, err := inside.ReadString(0)
	name, digits, spaced := strings.Cut(strings.TrimSuffix(header, "\x00"), " ")
	size, sized := strconv.Atoi(digits)
	kind := packedKinds[name]
	if err != nil || !spaced || sized != nil || kind == 0 {
		return object{}, errObject
	}
	if kind == kindBlob {
		return object{kind: kind}, nil
	}
	body, err := d.body(inside, size)
	return object{kind: kind, body: body}, err
}

// packed is the object at an offset of a pack, and what it is made of.
func (d *database) packed(p *packFile, offset int64) (object, error) {
	var deltas [][]byte
	var places []int64
	held := 0
	for range maxDeltaChain {
		found, base, err := d.entry(p, offset)
		if held += len(found.body); err == nil && held > 2*maxPastObject {
			err = errObject
		}
		if err != nil {
			return object{}, err
		}
		if base > 0 {
			deltas, places, offset = append(deltas, found.body), append(places, offset), base
			continue
		}
		if found.kind == kindBlob {
			return found, nil
		}
		for i := len(deltas) - 1; i >= 0; i-- {
			body, ok := applyDelta(found.body, deltas[i])
			if !ok || !d.spend(len(body)) {
				return object{}, errObject
			}
			found.body = body
			d.keep(baseKey{p, places[i]}, found)
		}
		return found, nil
	}
	return object{}, errObject
}

// entry reads one entry of a pack; base is where the one lies that it differs from. Of what
// comes from a file nothing is unpacked, and nothing of it differs.
func (d *database) entry(p *packFile, offset int64) (found object, base int64, err error) {
	if held, ok := d.bases[baseKey{p, offset}]; ok {
		return held, 0, nil
	}
	d.input.Reset(io.NewSectionReader(p.data, offset, 1<<62-offset))
	kind, size, err := entryHeader(d.input)
	if err != nil {
		return found, 0, err
	}
	found.kind = kind
	switch kind {
	case kindBlob:
		return found, 0, nil
	case packedOffsetDelta:
		base, err = baseDistance(d.input, offset)
	case packedNamedDelta:
		id := make([]byte, d.v.objectSize)
		if _, err = io.ReadFull(d.input, id); err == nil {
			var there bool
			if base, there, err = p.offset(id); !there {
				err = errObject
			}
		}
	}
	if err == nil {
		err = d.reset()
	}
	if err == nil {
		found.body, err = d.body(d.inflater, size)
	}
	if err == nil && base == 0 {
		d.keep(baseKey{p, offset}, found)
	}
	return found, base, err
}

// reset begins to unpack what comes next.
func (d *database) reset() (err error) {
	if d.inflater == nil {
		d.inflater, err = zlib.NewReader(d.input)
	} else {
		err = d.inflater.(zlib.Resetter).Reset(d.input, nil)
	}
	if err != nil {
		return fmt.Errorf("unpack object: %w", err)
	}
	return nil
}

func (d *database) body(from io.Reader, size int) ([]byte, error) {
	if size < 0 || size > maxPastObject || !d.spend(size) {
		return nil, errObject
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(from, body); err != nil {
		return nil, fmt.Errorf("unpack object: %w", err)
	}
	return body, nil
}

// keep holds an object for those that differ from it; when there are too many, all go.
func (d *database) keep(key baseKey, found object) {
	if d.held += len(found.body); d.held > maxBases {
		clear(d.bases)
		d.held = len(found.body)
	}
	d.bases[key] = found
}

func (d *database) spend(count int) bool {
	d.budget.bytes += count
	return d.budget.bytes <= maxPastBytes
}

// abbreviated is the one object whose id begins with some digits.
func (d *database) abbreviated(digits string) (string, bool) {
	if len(digits) == 2*d.v.objectSize {
		return digits, true
	}
	ids, ok := d.beginning(digits, 2)
	if !ok || len(ids) != 1 {
		return "", false
	}
	return ids[0], true
}

// beginning lists objects whose ids begin with some digits, up to a number of them.
func (d *database) beginning(digits string, most int) ([]string, bool) {
	if d.budget.objects += beginningCost; d.budget.objects > maxPastObjects || d.ready() != nil {
		return nil, false
	}
	found := map[string]bool{}
	low, err := hex.DecodeString(digits[:len(digits)&^1])
	for i := 0; err == nil && i < len(d.packs); i++ {
		p := d.packs[i]
		var at int64
		at, err = p.search(low, d.v.objectSize)
		for ; err == nil && at < p.before[low[0]] && len(found) < most; at++ {
			var id []byte
			if id, err = p.idAt(at, low[0], d.v.objectSize); err != nil || !bytes.HasPrefix(id, low) {
				break
			}
			if text := hex.EncodeToString(id); strings.HasPrefix(text, digits) {
				found[text] = true
			}
		}
	}
	for _, dir := range d.dirs {
		names, globErr := filepath.Glob(filepath.Join(escapeGlob(dir), digits[:2], digits[2:]+"*"))
		err = errors.Join(err, globErr)
		for _, name := range names {
			id := digits[:2] + filepath.Base(name)
			if len(id) != 2*d.v.objectSize {
				return nil, false
			}
			found[id] = true
		}
	}
	ids := slices.Sorted(maps.Keys(found))
	return ids[:min(len(ids), most)], err == nil
}
