package shell

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
