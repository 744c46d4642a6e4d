package history

import (
	"container/heap"
	"slices"

	"policyd/extract/git/object"
)

// Marks of a walk.
const (
	fromOne = 1 << iota
	fromOther
	older
)

// walk goes back through a history, the youngest commits first, as git does.
type walk struct {
	source *source
	marks  map[string]int
	queue  youngest
	waits  map[string]bool
	// open counts those that wait and are before none that are left out.
	open int
}

type datedID struct {
	id   string
	date int64
}

func newWalk(s *source) *walk {
	return &walk{source: s, marks: map[string]int{}, waits: map[string]bool{}}
}

// mark adds marks to commits, which are then to be looked at if they are new to them. It reports
// false if one can't be read, or the bound is reached.
func (w *walk) mark(marks int, ids ...string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return !w.markOne(id, marks) })
}

func (w *walk) markOne(id string, marks int) bool {
	before, seen := w.marks[id]
	after := before | marks
	if seen && after == before {
		return true
	}
	w.marks[id] = after
	if w.waits[id] {
		if before&older == 0 && after&older != 0 {
			w.open--
		}
		return true
	}
	c, ok := w.source.commit(id)
	if !ok || len(w.marks) > maxPastCommits {
		return false
	}
	heap.Push(&w.queue, datedID{id, c.Date})
	w.waits[id] = true
	if after&older == 0 {
		w.open++
	}
	return true
}

// next takes the youngest commit that waits.
func (w *walk) next() (id string, marks int) {
	id = heap.Pop(&w.queue).(datedID).id //nolint:forcetypeassert // it holds nothing else
	w.waits[id] = false
	if marks = w.marks[id]; marks&older == 0 {
		w.open--
	}
	return id, marks
}

// bases lists the best common ancestors of two commits, and maybe more. With dated, they are not
// known if a commit has no date or a parent is younger than its child: git may then find another
// one first.
func bases(s *source, one, other string, dated bool) (found []string, known bool) {
	w := newWalk(s)
	if !w.mark(fromOne, one) || !w.mark(fromOther, other) {
		return nil, false
	}
	for w.open > 0 {
		id, marks := w.next()
		if marks == fromOne|fromOther {
			found = append(found, id)
			marks |= older
		}
		c, ok := s.commit(id)
		if !ok || !w.mark(marks, c.Parents...) || dated && !ordered(s, c) {
			return nil, false
		}
	}
	return found, true
}

// ordered reports whether a commit and its parents have dates, none after its own.
func ordered(s *source, c *object.Commit) bool {
	return c.Dated && !slices.ContainsFunc(c.Parents, func(id string) bool {
		parent, ok := s.commit(id)
		return !ok || !parent.Dated || parent.Date > c.Date
	})
}

// youngest is a heap of commits.
type youngest []datedID

func (y youngest) Len() int           { return len(y) }
func (y youngest) Less(i, j int) bool { return y[i].date > y[j].date }
func (y youngest) Swap(i, j int)      { y[i], y[j] = y[j], y[i] }
func (y *youngest) Push(x any)        { *y = append(*y, x.(datedID)) } //nolint:forcetypeassert // as above
func (y *youngest) Pop() any {
	last := len(*y) - 1
	popped := (*y)[last]
	*y = (*y)[:last]
	return popped
}
