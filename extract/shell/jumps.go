package shell

// What stands behind break, continue, return and exit in a body may not run, so
// that a loop, or a function, also ends in the state in which one of them is
// reached.

// caught walks a body and returns what holds behind it, however it ends.
func (f *flow) caught(body func() (ok, fail *state)) (ok, fail *state) {
	f.jumps = append(f.jumps, nil)
	ok, fail = body()
	last := len(f.jumps) - 1
	left := f.jumps[last]
	f.jumps = f.jumps[:last]
	if left == nil {
		return ok, fail
	}
	return join(ok, left), join(fail, left)
}

// jump notes that the bodies being walked may end here. How many of them one
// jump leaves need not be known: for the others it only adds to what may be.
func (f *flow) jump(st *state) {
	for i, left := range f.jumps {
		if left == nil {
			f.jumps[i] = st
		} else {
			f.jumps[i] = join(left, st)
		}
	}
}
