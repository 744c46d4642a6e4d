package shell

// What stands behind break, continue, return and exit in a body may not run, so
// that a loop, or a function, also ends in the state in which one of them is
// reached.

// caught walks a body and returns what holds behind it, however it ends.
func (w *walker) caught(body func() (ok, fail *state)) (ok, fail *state) {
	w.jumps = append(w.jumps, nil)
	ok, fail = body()
	last := len(w.jumps) - 1
	left := w.jumps[last]
	w.jumps = w.jumps[:last]
	if left == nil {
		return ok, fail
	}
	return join(ok, left), join(fail, left)
}

// jump notes that the bodies being walked may end here. How many of them one
// jump leaves need not be known: for the others it only adds to what may be.
func (w *walker) jump(st *state) {
	for i, left := range w.jumps {
		if left == nil {
			w.jumps[i] = st
		} else {
			w.jumps[i] = join(left, st)
		}
	}
}
