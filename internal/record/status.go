package record

// counters count since the start.
type counters struct {
	written, failed, dropped, batches    uint64
	ruleDropped, dropRefused, ruleFailed uint64
	// rotation is why the file could not be rotated.
	rotation error
}

// Status counts the outcomes of records since the writer was made.
type Status struct {
	// Written counts records that are in every sink, Failed those that a sink lacks or that were too late,
	// Dropped those without room.
	Written, Failed, Dropped uint64
	// Batches counts writes; Written is larger if callers shared them.
	Batches uint64
	// Waiting counts records that wait to be written, WaitingBytes their size.
	Waiting, WaitingBytes int
	// RuleDropped counts records that the rule drop removed, DropRefused those that were written anyway since
	// records are required, and RuleFailed those for which a rule had no usable result.
	RuleDropped, DropRefused, RuleFailed uint64
	// Rotation is why the file could not be rotated, nil when it could.
	Rotation error
	// Forward is nil if records are not forwarded.
	Forward *ForwardStatus
}

// Status returns the current counts. It never waits for a disk.
func (w *Writer) Status() Status {
	w.mu.Lock()
	status := Status{
		Written: w.counters.written, Failed: w.counters.failed, Dropped: w.counters.dropped, Batches: w.counters.batches,
		Waiting: len(w.waiting), WaitingBytes: w.bytes,
		RuleDropped: w.counters.ruleDropped, DropRefused: w.counters.dropRefused, RuleFailed: w.counters.ruleFailed,
		Rotation: w.counters.rotation,
	}
	w.mu.Unlock()
	if w.forward != nil {
		forward := w.forward.status()
		status.Forward = &forward
	}
	return status
}

// count adds the outcomes of a batch; w.mu is held.
func (w *Writer) count(outcomes []error, rotation error) {
	w.counters.batches++
	w.counters.rotation = rotation
	for _, err := range outcomes {
		if err != nil {
			w.counters.failed++
		} else {
			w.counters.written++
		}
	}
}

func (w *Writer) countRule(counter *uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*counter++
}
