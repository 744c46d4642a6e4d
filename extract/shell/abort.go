package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// An expansion that fails (a division by zero, digits that are no number) makes
// bash give up the rest of the line and go on with the next one. What the rest
// would have changed is then as it was.

// aborts notes that the line may end here.
func (f *flow) aborts(st *state) {
	if f.aborted == nil {
		f.aborted = st
	} else {
		f.aborted = join(f.aborted, st)
	}
}

// lines walks the statements of a script. One that begins a line may follow
// on any that was given up before.
func (w *walker) lines(st *state, list []*syntax.Stmt) {
	outer := w.aborted
	defer func() { w.aborted = outer }()
	w.aborted = nil
	last := uint(0)
	for _, stmt := range list {
		if line := stmt.Pos().Line(); w.aborted != nil && line > last {
			st = join(st, w.aborted)
		}
		st = join(w.stmt(st, stmt))
		last = stmt.End().Line()
	}
}
