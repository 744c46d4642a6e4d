package git

import "policyd/extract/git/syntax"

// commits lists the commits whose names git prints.
func (s *store) commits(of Commits) ([]string, bool) {
	if len(of.Revisions) > maxRevisions {
		return nil, false
	}
	var all []string
	for _, word := range of.Revisions {
		found, ok := s.word(word, of.Parents)
		if !ok {
			return nil, false
		}
		all = append(all, found...)
	}
	return all, true
}

// word lists the commits of one word: those at both ends of a range, where the ends of
// the range with three dots part, and the parents where they count.
func (s *store) word(word string, parents bool) ([]string, bool) {
	ends, isRange := syntax.CutRange(word)
	if !isRange {
		return s.single(word, parents)
	}
	from, known := s.revision(ends.From)
	to, also := s.revision(ends.To)
	if parents || !known || !also {
		return nil, false
	}
	if !ends.Symmetric {
		return []string{from, to}, true
	}
	bases, ok := s.bases(from, to)
	return append(bases, to), ok
}

func (s *store) single(word string, parents bool) ([]string, bool) {
	id, ok := s.revision(word)
	if !ok || !parents {
		return []string{id}, ok
	}
	if tag, ok := s.named(word); ok && tag != id {
		return nil, false // of a tag git show prints more than names
	}
	c, ok := s.commit(id)
	if !ok {
		return nil, false
	}
	return append([]string{id}, c.parents...), true
}

// Marks of a walk.
const (
	fromOne = 1 << iota
	fromOther
	older
)

// bases lists the best common ancestors of two commits, and maybe more. They are not known
// where the history is cut off or written down elsewhere, or where a parent is younger
// than its child: git may then find another first.
func (s *store) bases(one, other string) ([]string, bool) {
	if s.v.there("shallow") || len(s.graph.ids) > 0 {
		return nil, false
	}
	w := baseWalk{s: s, marks: map[string]int{}, known: map[string]*commit{}}
	if !w.mark(one, fromOne) || !w.mark(other, fromOther) {
		return nil, false
	}
	var found []string
	for w.open() {
		id := w.next()
		marks := w.marks[id]
		if marks&(fromOne|fromOther) == fromOne|fromOther && marks&older == 0 {
			found = append(found, id)
			marks |= older
		}
		for _, parent := range w.known[id].parents {
			if !w.mark(parent, marks) || w.known[parent].date > w.known[id].date {
				return nil, false
			}
		}
	}
	return found, true
}

// baseWalk goes back through two histories, the youngest commits first.
type baseWalk struct {
	s     *store
	marks map[string]int
	known map[string]*commit
	queue []string
}

// mark adds marks to a commit, which is then to be looked at if they are new to it.
func (w *baseWalk) mark(id string, marks int) bool {
	if w.known[id] == nil {
		c, ok := w.s.commit(id)
		if !ok || !c.dated {
			return false
		}
		w.known[id] = c
	}
	if w.marks[id]|marks != w.marks[id] {
		w.marks[id] |= marks
		w.queue = append(w.queue, id)
	}
	return true
}

// open reports whether a commit waits that is not older than a common ancestor.
func (w *baseWalk) open() bool {
	for _, id := range w.queue {
		if w.marks[id]&older == 0 {
			return true
		}
	}
	return false
}

// next takes the youngest commit that waits.
func (w *baseWalk) next() string {
	at := 0
	for i, id := range w.queue {
		if w.known[id].date > w.known[w.queue[at]].date {
			at = i
		}
	}
	id := w.queue[at]
	w.queue = append(w.queue[:at], w.queue[at+1:]...)
	return id
}
