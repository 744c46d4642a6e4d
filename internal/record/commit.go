package record

import (
	"bytes"
	"errors"
	"slices"
	"time"
)

// entry is one record on its way into the sinks.
type entry struct {
	line []byte
	// notices receives the result of the record, and that nobody writes. Each is sent once at most, and the
	// buffer fits both, so senders never wait.
	notices chan notice
	timer   *time.Timer
	// queued is true while the entry waits; the writer's mu guards it.
	queued bool
	// batch and outcomes are room for what its caller writes.
	batch    []*entry
	outcomes []error
}

// notice is what a waiting caller receives: the result of its record, or that nobody writes, so that it may.
type notice struct {
	idle bool
	err  error
}

func newEntry() *entry {
	e := &entry{notices: make(chan notice, 2), timer: time.NewTimer(time.Hour)}
	e.timer.Stop()
	return e
}

// keptLine is how large a buffer may be that is kept for the next record. A line of as many
// commands as are looked at has a record of 57 to 76 KiB, and its buffer grows beyond 64 KiB.
const keptLine = 256 << 10

func (w *Writer) release(e *entry) {
	if cap(e.line) <= keptLine {
		w.entries.Put(e)
	}
}

// queue contains the waiting entries. While it is led, a caller writes. When that caller ends, it wakes the
// first waiting one; whichever caller is first then writes all that has gathered, in order. So a lone caller
// writes at once, no timer is needed, and waiting entries don't depend on a sleeping goroutine.
type queue struct {
	led     bool
	waiting []*entry
	bytes   int
	// blocked counts the callers that wait for room; freed is closed when there is some.
	blocked int
	freed   chan struct{}
}

// Errors of records that did not get into the log in time.
var (
	errNoRoom = errors.New("write record: too many records wait to be written")
	errLate   = errors.New("write record: the write did not end in time")
)

// commit returns when the entry's line is in the sinks. mine is false if another caller still uses the entry,
// so it can't be reused.
func (w *Writer) commit(e *entry) (err error, mine bool) { //nolint:revive // the error matters
	w.mu.Lock()
	if w.led || len(w.waiting) > 0 { // or nobody else waits, and there is room
		e.timer.Reset(w.options.Patience)
		defer e.timer.Stop()
	}
	if w.full(e) && !w.awaitRoom(e) {
		defer w.mu.Unlock()
		if w.options.Overflow == OverflowDrop {
			w.counters.dropped++
			return nil, true
		}
		w.counters.failed++
		return errNoRoom, true
	}
	lead := w.enqueue(e)
	w.mu.Unlock()
	if lead {
		return w.lead(e), true
	}
	return w.await(e)
}

// enqueue appends the entry, and reports whether its caller has to lead: nobody does, and the entry is in the
// next batch. w.mu is held.
func (w *Writer) enqueue(e *entry) (lead bool) {
	w.waiting = append(w.waiting, e)
	w.bytes += len(e.line)
	e.queued = true
	lead = !w.led && w.isNext(e)
	w.led = w.led || lead
	return lead
}

// isNext reports whether a waiting entry is in the next batch for certain. w.mu is held.
func (w *Writer) isNext(e *entry) bool { return w.waiting[0] == e || w.bytes <= largestBatch }

// full reports whether the entry has to wait for room; w.mu is held.
func (w *Writer) full(e *entry) bool {
	return len(w.waiting) > 0 && w.bytes+len(e.line) > w.options.BufferBytes
}

// awaitRoom reports whether there is room for the entry in time. w.mu is held when it is called and when it
// returns.
func (w *Writer) awaitRoom(e *entry) bool {
	if w.options.Overflow == OverflowDrop {
		return false
	}
	w.blocked++
	defer func() { w.blocked-- }()
	for w.full(e) {
		freed := w.freed
		w.mu.Unlock()
		select {
		case <-freed:
			w.mu.Lock()
		case <-e.timer.C:
			w.mu.Lock()
			return false
		}
	}
	return true
}

// await waits until the entry is written, or writes it if nobody does.
func (w *Writer) await(e *entry) (err error, mine bool) { //nolint:revive // as commit
	for {
		select {
		case said := <-e.notices:
			if done, err := w.heed(e, said); done {
				return err, true
			}
		case <-e.timer.C:
			return w.giveUp(e)
		}
	}
}

// heed handles a notice of an entry. done is false if another caller writes it.
func (w *Writer) heed(e *entry, said notice) (done bool, err error) {
	if !said.idle {
		return true, said.err
	}
	w.mu.Lock()
	lead := w.resume(e)
	w.mu.Unlock()
	if !lead {
		return false, nil
	}
	return true, w.lead(e)
}

// resume reports whether the caller of a waiting entry has to lead. w.mu is held.
func (w *Writer) resume(e *entry) (lead bool) {
	lead = e.queued && !w.led && w.isNext(e)
	w.led = w.led || lead
	return lead
}

// giveUp withdraws an entry that waited too long, unless it can be written now, or just was.
func (w *Writer) giveUp(e *entry) (err error, mine bool) { //nolint:revive // as commit
	w.mu.Lock()
	if w.resume(e) {
		for len(e.notices) > 0 {
			<-e.notices // drain the notice that nobody writes; the entry's next record must not receive it
		}
		w.mu.Unlock()
		return w.lead(e), true
	}
	defer w.mu.Unlock()
	for len(e.notices) > 0 { // nobody else receives from it
		if said := <-e.notices; !said.idle {
			return said.err, true
		}
	}
	w.counters.failed++
	if !e.queued {
		return errLate, false
	}
	e.queued = false
	at := slices.Index(w.waiting, e)
	w.waiting = slices.Delete(w.waiting, at, at+1)
	w.freeRoom(len(e.line))
	return errLate, true
}

// lead writes a batch that contains e, and wakes the first of those who arrived meanwhile. A batch never
// exceeds one write, so that nobody leads for long.
func (w *Writer) lead(e *entry) error {
	w.writing.Lock()
	w.since.Store(time.Now().UnixNano())
	w.mu.Lock()
	batch := w.take(e.batch[:0])
	w.mu.Unlock()
	outcomes := w.put(batch, e.outcomes[:0])
	rotation := w.stale()
	w.since.Store(0)
	w.writing.Unlock()

	w.mu.Lock()
	w.count(outcomes, rotation)
	w.led = false
	if len(w.waiting) > 0 {
		// Another entry was first before, and this one gets its notice once.
		w.waiting[0].notices <- notice{idle: true}
	}
	w.mu.Unlock()
	own := errLate // or e would not be in the batch
	for i, other := range batch {
		if other == e {
			own = outcomes[i]
			continue
		}
		other.notices <- notice{err: outcomes[i]}
	}
	clear(batch)
	clear(outcomes)
	e.batch, e.outcomes = batch, outcomes
	return own
}

// take removes the next batch from the queue. isNext reports which entries are certain to be in it.
func (w *Writer) take(batch []*entry) []*entry {
	end, size := 0, 0
	for end < len(w.waiting) && (end == 0 || size+len(w.waiting[end].line) <= largestBatch) {
		size += len(w.waiting[end].line)
		w.waiting[end].queued = false
		end++
	}
	batch = append(batch, w.waiting[:end]...)
	w.waiting = slices.Delete(w.waiting, 0, end)
	w.freeRoom(size)
	return batch
}

// freeRoom wakes those who wait for room; w.mu is held.
func (w *Writer) freeRoom(bytes int) {
	w.bytes -= bytes
	if w.blocked > 0 {
		close(w.freed)
		w.freed = make(chan struct{})
	}
}

// stale is the reason why the file could not be rotated; w.writing is held.
func (w *Writer) stale() error {
	if len(w.sinks) > 0 {
		if file, is := w.sinks[0].out.(*logFile); is {
			return file.stale
		}
	}
	return nil
}

// put writes the lines of a batch to every sink, in one write each, and returns for each line the error of a
// sink that lacks it. w.writing is held.
func (w *Writer) put(batch []*entry, outcomes []error) []error {
	lines := batch[0].line
	if len(batch) > 1 {
		w.batch = w.batch[:0]
		for _, e := range batch {
			w.batch = append(w.batch, e.line...)
		}
		lines = w.batch
	}
	outcomes = append(outcomes, make([]error, len(batch))...)
	for _, target := range w.sinks {
		written, err := target.write(lines)
		if err == nil {
			continue
		}
		end := 0
		for i, e := range batch {
			if end += len(e.line); end > written {
				outcomes[i] = errors.Join(outcomes[i], err)
			}
		}
	}
	if w.forward != nil {
		for i, e := range batch {
			if outcomes[i] == nil {
				w.forward.add(bytes.Clone(e.line))
			}
		}
	}
	return outcomes
}
