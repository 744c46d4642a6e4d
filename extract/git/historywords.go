package git

import (
	"bytes"
	"slices"
	"strings"

	"policyd/extract/git/syntax"
)

// pieces begins at all that a word may name of which the whole isn't known: no ref may lead there.
func (h *history) pieces(word string) bool {
	all := syntax.Hashes(word)
	if len(all) > maxAlike {
		return false
	}
	for _, digits := range all {
		if len(digits) > 2*h.v.objectSize {
			continue
		}
		ids, ok := h.d.beginning(strings.ToLower(digits), maxAlike)
		if !ok || len(ids) == maxAlike || slices.ContainsFunc(ids, func(id string) bool { return !h.piece(id) }) {
			return false
		}
	}
	for side := range strings.SplitSeq(word, "..") {
		side = strings.TrimLeft(side, "^.")
		if end := strings.IndexAny(side, "^~@:"); end > 0 {
			side = side[:end]
		}
		if id, ok := h.named(side); ok && !h.piece(id) {
			return false
		}
	}
	return true
}

// maxAlike is up to how many objects whose ids begin alike, and hashes in one word, are looked at.
const maxAlike = 16

func (h *history) piece(id string) bool {
	at, found, err := h.behindTags(id)
	if err == nil && found.kind == kindBlob {
		return h.inIndex(at)
	}
	return h.of.Contents || h.tip(id)
}

// word notes what one word names. It reports false where that is not known.
func (h *history) word(text string) bool {
	if name, excluded := strings.CutPrefix(text, "^"); excluded {
		id, ok := h.commitOf(name)
		if ok {
			h.without, h.ends = append(h.without, id), append(h.ends, id)
		}
		if ok && !h.walked && !h.of.Alone {
			h.only = append(h.only, id) // git diff-tree shows a lone commit, even so
		}
		return ok
	}
	ends, ranged := syntax.CutRange(text)
	if !ranged {
		return h.single(text)
	}
	one, ok := h.commitOf(ends.From)
	other, also := h.commitOf(ends.To)
	if !ok || !also {
		return false
	}
	h.ends = append(h.ends, one, other)
	if !h.of.Alone {
		h.from = append(h.from, other)
	}
	switch {
	case ends.Symmetric:
		return h.part(one, other)
	case !h.of.Alone:
		h.without = append(h.without, one)
	}
	return true
}

// part begins at two commits and leaves out what is before both; where they part counts, too.
func (h *history) part(one, other string) bool {
	if !h.of.Alone {
		h.from = append(h.from, one)
	}
	w := newWalk(h)
	if !w.mark(one, fromOne) || !w.mark(other, fromOther) {
		return false
	}
	for w.open > 0 {
		id, marks := w.next()
		if marks&(fromOne|fromOther) == fromOne|fromOther && marks&older == 0 {
			h.without, h.ends = append(h.without, id), append(h.ends, id)
			marks |= older
		}
		c, ok := h.commit(id)
		if !ok || !w.parents(c, marks) {
			return false
		}
	}
	return true
}

func (h *history) single(text string) bool {
	name, alone := strings.CutSuffix(text, "^!")
	id, ok := h.revision(name)
	if !ok {
		return false
	}
	found := object{kind: kindCommit}
	if _, known := h.past.commit(id); !known {
		var err error
		if found, err = h.d.read(id); err != nil {
			return false
		}
	}
	switch {
	case found.kind == kindBlob:
		h.lost = h.lost || !h.inIndex(id)
	case h.of.Contents:
	case found.kind == kindTree:
		h.trees = append(h.trees, id)
	case found.kind != kindCommit:
		return false
	case alone && !h.of.Alone:
		return h.apart(id)
	case h.of.Walks:
		h.from = append(h.from, id)
	case h.of.Alone && !alone:
		h.ends = append(h.ends, id)
	default:
		h.only = append(h.only, id)
	}
	return true
}

// apart begins at a commit and leaves out what is before it.
func (h *history) apart(id string) bool {
	c, ok := h.commit(id)
	if ok {
		h.from, h.without = append(h.from, id), append(h.without, c.parents...)
	}
	return ok
}

// inIndex reports whether the index has a file with such contents.
func (h *history) inIndex(id string) bool {
	content, err := h.v.index()
	raw, ok := hashOf(id)
	if err != nil || content == nil || !ok {
		return false
	}
	found := false
	err = walkIndex(content, h.v.objectSize, func(e indexEntry) bool {
		found = bytes.Equal(e.object, raw[:h.v.objectSize])
		return !found
	})
	return err == nil && found
}

// commitOf is the commit that a revision names.
func (h *history) commitOf(text string) (string, bool) {
	id, ok := h.revision(text)
	if !ok {
		return "", false
	}
	_, ok = h.commit(id)
	return id, ok
}

// revision is what a revision names, behind tags.
func (h *history) revision(text string) (string, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "^{}"), "^{commit}")
	name, steps, ok := syntax.CutSteps(text)
	if !ok {
		return "", false
	}
	id, ok := h.named(name)
	if ok {
		var err error
		id, _, err = h.behindTags(id)
		ok = err == nil
	}
	if !ok {
		return "", false
	}
	return walkBack(id, steps, h.parent)
}

// named is the object that a name means: a ref, or the beginning of a hash.
func (h *history) named(name string) (string, bool) {
	if name == "HEAD" || name == "@" {
		return h.v.head()
	}
	hash := syntax.IsHash(name)
	if hash && len(name) == 2*h.v.objectSize {
		return strings.ToLower(name), true
	}
	if !syntax.IsRefName(name) {
		return "", false
	}
	found, count := "", 0
	for _, place := range syntax.RefPlaces(name) {
		id, there, known := h.v.ref(place, 0)
		if !known {
			return "", false
		}
		if there {
			found, count = id, count+1
		}
	}
	if count == 0 && hash {
		return h.d.abbreviated(strings.ToLower(name))
	}
	return found, count == 1
}

// behindTags is the object that an id names itself or through tags.
func (h *history) behindTags(id string) (string, object, error) {
	for range maxTags {
		if _, known := h.past.commit(id); known {
			return id, object{kind: kindCommit}, nil
		}
		found, err := h.d.read(id)
		if err != nil || found.kind != kindTag {
			return id, found, err
		}
		line, _, _ := strings.Cut(string(found.body), "\n")
		id = strings.TrimPrefix(line, "object ")
	}
	return "", object{}, errObject
}

func (h *history) parent(id string, number int) (string, bool) {
	c, ok := h.commit(id)
	if !ok || number > len(c.parents) {
		return "", false
	}
	if number == 0 {
		return id, true
	}
	return c.parents[number-1], true
}
