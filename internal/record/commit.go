package record

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/goccy/go-json"
)

// entry is one record on its way into the sinks.
type entry struct {
	line    bytes.Buffer
	encoder *json.Encoder
	// told hears how the record fared, or that its caller has to write the next
	// batch. It has room for one word, so that nobody waits to say it.
	told  chan notice
	timer *time.Timer
}

// notice is what a waiting caller is told.
type notice struct {
	lead bool
	err  error
}

func newEntry() *entry {
	e := &entry{told: make(chan notice, 1), timer: time.NewTimer(time.Hour)}
	e.timer.Stop()
	e.encoder = json.NewEncoder(&e.line)
	return e
}

// keptLine is how large a buffer may be that is kept for the next record.
const keptLine = 64 << 10

func (w *Writer) release(e *entry) {
	if e.line.Cap() <= keptLine {
		w.entries.Put(e)
	}
}

// queue holds the entries that wait. While it is led somebody writes, and takes
// what has gathered meanwhile or tells one of those who wait to do so: a lone
// caller writes at once, and nobody waits for a clock.
type queue struct {
	led     bool
	waiting []*entry
	bytes   int
	// blocked counts those who wait for room; freed is closed when there is some.
	blocked int
	freed   chan struct{}
}

// Errors of records that did not get into the log in time.
var (
	errNoRoom = errors.New("write record: too many records wait to be written")
	errLate   = errors.New("write record: the write did not end in time")
)

// commit returns when the entry's line is in the sinks. mine is false where the
// entry is still somebody's who writes, and can't be used again.
func (w *Writer) commit(e *entry) (err error, mine bool) { //nolint:revive // the error is what counts
	w.mu.Lock()
	if w.led { // or nobody else waits, and there is room
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

// enqueue puts the entry last, and reports whether its caller has to lead. w.mu is held.
func (w *Writer) enqueue(e *entry) (lead bool) {
	w.waiting = append(w.waiting, e)
	w.bytes += e.line.Len()
	lead = !w.led
	w.led = true
	return lead
}

// full reports whether the entry has to wait for room; w.mu is held.
func (w *Writer) full(e *entry) bool {
	return len(w.waiting) > 0 && w.bytes+e.line.Len() > w.options.BufferBytes
}

// awaitRoom reports whether there is room for the entry in time. w.mu is held when
// it is called and when it returns.
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

// await waits until somebody has written the entry, or leads where it is told to.
func (w *Writer) await(e *entry) (err error, mine bool) { //nolint:revive // as commit
	select {
	case said := <-e.told:
		return w.heed(e, said), true
	case <-e.timer.C:
	}
	w.mu.Lock()
	select {
	case said := <-e.told: // just now
		w.mu.Unlock()
		return w.heed(e, said), true
	default:
	}
	defer w.mu.Unlock()
	w.counters.failed++
	if at := slices.Index(w.waiting, e); at >= 0 {
		w.waiting = slices.Delete(w.waiting, at, at+1)
		w.freeRoom(e.line.Len())
		return errLate, true
	}
	return errLate, false
}

func (w *Writer) heed(e *entry, said notice) error {
	if said.lead {
		return w.lead(e)
	}
	return said.err
}

// lead writes a batch of which e is one, and hands the lead on. A batch is never
// larger than one write may be, so that nobody leads for long.
func (w *Writer) lead(e *entry) error {
	w.writing.Lock()
	w.since.Store(time.Now().UnixNano())
	w.mu.Lock()
	batch := w.take()
	w.mu.Unlock()
	outcomes, rotation := w.put(batch), w.stale()
	w.since.Store(0)
	w.writing.Unlock()

	w.mu.Lock()
	w.count(outcomes, rotation)
	if len(w.waiting) > 0 {
		w.waiting[0].told <- notice{lead: true}
	} else {
		w.led = false
	}
	w.mu.Unlock()
	var own error
	for i, other := range batch {
		if other == e {
			own = outcomes[i]
			continue
		}
		other.told <- notice{err: outcomes[i]}
	}
	return own
}

// take removes the next batch from the queue. Who leads stands first in it: the
// lead begins with an empty queue, and is handed to the first.
func (w *Writer) take() []*entry {
	end, size := 0, 0
	for end < len(w.waiting) && (end == 0 || size+w.waiting[end].line.Len() <= largestBatch) {
		size += w.waiting[end].line.Len()
		end++
	}
	batch := slices.Clone(w.waiting[:end])
	w.waiting = slices.Delete(w.waiting, 0, end)
	w.freeRoom(size)
	return batch
}

// freeRoom tells those who wait for room that there is some; w.mu is held.
func (w *Writer) freeRoom(bytes int) {
	w.bytes -= bytes
	if w.blocked > 0 {
		close(w.freed)
		w.freed = make(chan struct{})
	}
}

// stale is why the file could not be rotated; w.writing is held.
func (w *Writer) stale() error {
	if len(w.sinks) > 0 {
		if file, is := w.sinks[0].out.(*logFile); is {
			return file.stale
		}
	}
	return nil
}

// put writes the lines of a batch to every sink, in one write each, and returns
// for each line why it is missing somewhere. w.writing is held.
func (w *Writer) put(batch []*entry) []error {
	lines := batch[0].line.Bytes()
	if len(batch) > 1 {
		w.batch = w.batch[:0]
		for _, e := range batch {
			w.batch = append(w.batch, e.line.Bytes()...)
		}
		lines = w.batch
	}
	outcomes := make([]error, len(batch))
	for _, target := range w.sinks {
		written, err := target.write(lines)
		if err == nil {
			continue
		}
		end := 0
		for i, e := range batch {
			if end += e.line.Len(); end > written {
				outcomes[i] = errors.Join(outcomes[i], err)
			}
		}
	}
	if w.forward != nil {
		for i, e := range batch {
			if outcomes[i] == nil {
				w.forward.add(bytes.Clone(e.line.Bytes()))
			}
		}
	}
	return outcomes
}
