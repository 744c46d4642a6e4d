package git

import (
	"container/heap"
	"slices"
)

// walk goes back through a history, the youngest commits first, as git does.
type walk struct {
	h     *history
	marks map[string]int
	queue youngest
	waits map[string]bool
	// open counts those that wait and are before none that are left out.
	open int
}

type dated struct {
	id   string
	date int64
}

func newWalk(h *history) *walk {
	return &walk{h: h, marks: map[string]int{}, waits: map[string]bool{}}
}

// mark adds marks to a commit, which is then to be looked at if they are new to it.
func (w *walk) mark(id string, marks int) bool {
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
	c, ok := w.h.commit(id)
	if !ok || len(w.marks) > maxPastCommits {
		return false
	}
	heap.Push(&w.queue, dated{id, c.date})
	w.waits[id] = true
	if after&older == 0 {
		w.open++
	}
	return true
}

// next takes the youngest commit that waits.
func (w *walk) next() (id string, marks int) {
	id = heap.Pop(&w.queue).(dated).id //nolint:forcetypeassert // it holds nothing else
	w.waits[id] = false
	if marks = w.marks[id]; marks&older == 0 {
		w.open--
	}
	return id, marks
}

// parents marks what is right before a commit as the commit is.
func (w *walk) parents(c *commit, marks int) bool {
	return !slices.ContainsFunc(c.parents, func(parent string) bool { return !w.mark(parent, marks) })
}

// youngest is a heap of commits.
type youngest []dated

func (y youngest) Len() int           { return len(y) }
func (y youngest) Less(i, j int) bool { return y[i].date > y[j].date }
func (y youngest) Swap(i, j int)      { y[i], y[j] = y[j], y[i] }
func (y *youngest) Push(x any)        { *y = append(*y, x.(dated)) } //nolint:forcetypeassert // as above
func (y *youngest) Pop() any {
	last := len(*y) - 1
	popped := (*y)[last]
	*y = (*y)[:last]
	return popped
}
