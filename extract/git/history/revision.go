package history

import (
	"errors"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// ErrRevisionUnknown means that it can't be known which names commits hold.
var ErrRevisionUnknown = errors.New("revision is not known")

// Bounds on how far a revision leads.
const (
	maxTags      = 5
	maxRevisions = 16
)

// commitOf is the commit that a revision names.
func (s *source) commitOf(text string) (string, bool) {
	id, ok := s.revision(text)
	if !ok {
		return "", false
	}
	_, ok = s.commit(id)
	return id, ok
}

// revision is the object that a revision names, behind tags.
func (s *source) revision(text string) (string, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "^{}"), "^{commit}")
	name, steps, ok := syntax.CutSteps(text)
	if !ok {
		return "", false
	}
	id, ok := s.named(name)
	if !ok {
		return "", false
	}
	id, _, err := s.peel(id)
	ok = err == nil
	for _, next := range steps {
		number, times := 1, next.Count
		if next.ToParent {
			number, times = next.Count, 1
		}
		for ; ok && times > 0; times-- {
			id, ok = s.parent(id, number)
		}
	}
	return id, ok
}

// parent is the parent of a commit by its number; 0 is the commit itself.
func (s *source) parent(id string, number int) (string, bool) {
	c, ok := s.commit(id)
	if !ok || number > len(c.Parents) {
		return "", false
	}
	if number == 0 {
		return id, true
	}
	return c.Parents[number-1], true
}

// peel is the object that an id names itself or through tags.
func (s *source) peel(id string) (string, object.Object, error) {
	for range maxTags {
		found, err := s.object(id)
		if err != nil || found.Kind != object.KindTag {
			return id, found, err
		}
		var ok bool
		if id, ok = found.Target(); !ok {
			break
		}
	}
	return "", object.Object{}, ErrRevisionUnknown
}

// named is the object that a name means: a ref, or the beginning of a hash. One that means
// several is not known.
func (s *source) named(name string) (string, bool) {
	if name == "HEAD" || name == "@" {
		return s.repository.Head()
	}
	isHash := syntax.IsHash(name)
	if isHash && len(name) == 2*s.repository.HashSize {
		return strings.ToLower(name), true
	}
	if !syntax.IsRefName(name) {
		return "", false
	}
	found, count := "", 0
	for _, ref := range syntax.RefPlaces(name) {
		id, there, known := s.repository.Ref(ref)
		if !known {
			return "", false
		}
		if there {
			found, count = id, count+1
		}
	}
	if count == 0 && isHash {
		ids, ok := s.reader.Beginning(strings.ToLower(name), 2)
		return strings.Join(ids, ""), ok && len(ids) == 1
	}
	return found, count == 1
}
