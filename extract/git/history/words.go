package history

import (
	"bytes"
	"slices"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// maxAlike is up to how many objects whose ids begin alike, and hashes in one word, are looked at.
const maxAlike = 16

// starts are where git begins.
type starts struct {
	*source

	of Query
	// walked is true if git goes on to what came before, whatever the words are.
	walked bool
	// from are commits that count with all before them, without those that don't, only those
	// that count with what they changed, and ends those of which only what they hold counts.
	from, without, only, ends []string
	// trees count as they are.
	trees []string
	// lost is true if contents are named whose path isn't known: those of a file that was added and
	// never committed, and those of a tree that no commit leads to.
	lost bool
}

// find finds what the words of the query name.
func (s *starts) find() bool {
	all, logs := s.of.All, s.of.Logs
	s.walked, s.of.Walks = s.of.Walks, s.of.Walks || !s.of.Alone && slices.ContainsFunc(s.of.Revisions, syntax.Excludes)
	for _, word := range s.of.Revisions {
		if s.word(word) {
			continue
		}
		if !s.pieces(word, s.piece) {
			return false
		}
		if !s.of.Contents || strings.Contains(word, "$(") { // what the shell makes may be any hash
			all, logs = true, true
		}
	}
	if all || logs {
		// git may walk from all that the words name, whichever end of a range it is.
		s.from = slices.Concat(s.from, s.without, s.ends, s.only)
		s.without, s.of.Count = nil, 0
		return (&tips{repository: s.repository, logs: logs, visit: s.tip}).walk()
	}
	return true
}

// word notes what one word names. It reports false if that is not known.
func (s *starts) word(text string) bool {
	if name, excluded := strings.CutPrefix(text, "^"); excluded {
		id, ok := s.commitOf(name)
		if ok {
			s.without, s.ends = append(s.without, id), append(s.ends, id)
		}
		if ok && !s.walked && !s.of.Alone {
			s.only = append(s.only, id) // git diff-tree shows a lone commit, even so
		}
		return ok
	}
	ends, ranged := syntax.CutRange(text)
	if !ranged {
		return s.single(text)
	}
	one, ok := s.commitOf(ends.From)
	other, also := s.commitOf(ends.To)
	if !ok || !also {
		return false
	}
	s.ends = append(s.ends, one, other)
	if !s.of.Alone {
		s.from = append(s.from, other)
	}
	switch {
	case ends.Symmetric:
		return s.parted(one, other)
	case !s.of.Alone:
		s.without = append(s.without, one)
	}
	return true
}

// parted begins at two commits and leaves out what is before both; where they part counts, too.
func (s *starts) parted(one, other string) bool {
	if !s.of.Alone {
		s.from = append(s.from, one)
	}
	parted, ok := bases(s.source, one, other, false)
	s.without, s.ends = append(s.without, parted...), append(s.ends, parted...)
	return ok
}

func (s *starts) single(text string) bool {
	id, ok := s.revision(text)
	if !ok {
		return false
	}
	found, err := s.object(id)
	if err != nil {
		return false
	}
	switch {
	case found.Kind == object.KindBlob:
		s.lost = s.lost || !s.inIndex(id)
	case s.of.Contents:
	case found.Kind == object.KindTree:
		s.lone(id, found)
	case found.Kind != object.KindCommit:
		return false
	case s.of.Walks:
		s.from = append(s.from, id)
	case s.of.Alone:
		s.ends = append(s.ends, id)
	default:
		s.only = append(s.only, id)
	}
	return true
}

// lone begins at a tree that is named itself. Nothing tells which directory of the repository it is
// of, so the paths of its files aren't known.
func (s *starts) lone(id string, tree object.Object) {
	s.trees = append(s.trees, id)
	s.lost = s.lost || len(tree.Body) > 0
}

// pieces visits all that a word may name of which the whole isn't known: no ref may lead there. It reports false if
// visit does, or that can't be known.
func (s *source) pieces(word string, visit func(id string) bool) bool {
	all := syntax.Hashes(word)
	if len(all) > maxAlike {
		return false
	}
	for _, digits := range all {
		if len(digits) > 2*s.repository.HashSize {
			continue
		}
		ids, ok := s.reader.Beginning(strings.ToLower(digits), maxAlike)
		if !ok || len(ids) == maxAlike || slices.ContainsFunc(ids, func(id string) bool { return !visit(id) }) {
			return false
		}
	}
	for side := range strings.SplitSeq(word, "..") {
		side = strings.TrimLeft(side, "^.")
		if end := strings.IndexAny(side, "^~@:"); end > 0 {
			side = side[:end]
		}
		if id, ok := s.named(side); ok && !visit(id) {
			return false
		}
	}
	return true
}

func (s *starts) piece(id string) bool {
	at, found, err := s.peel(id)
	if err == nil && found.Kind == object.KindBlob {
		return s.inIndex(at)
	}
	return s.of.Contents || s.tip(id)
}

// inIndex reports whether the index has a file with such contents.
func (s *starts) inIndex(id string) bool {
	raw, ok := hashOf(id)
	found := false
	err := walkIndex(s.repository, func(e object.IndexEntry) bool {
		found = bytes.Equal(e.ID, raw[:s.repository.HashSize])
		return !found
	})
	return ok && err == nil && found
}
