// Package events publishes events to watchers: prompts, sessions, approvals, policies and decisions, in one
// order, with ids to resume from.
//
// A publisher never waits for a watcher. A watcher that is too slow, or that resumes too late, gets an event
// that requires it to read everything again.
package events

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Kinds of events (contract). A prompt that ends without an answer has the kind "prompt." and its state.
const (
	PromptCreated    = "prompt.created"
	PromptEnded      = "prompt." // followed by the state
	SessionUpdated   = "session.updated"
	ApprovalsChanged = "approvals.changed"
	PolicyActivated  = "policy.activated"
	Decision         = "decision"
	// Resync means that events were missed: everything has to be read again.
	Resync = "resync"
)

// Event is one thing that happened.
type Event struct {
	ID   string
	Kind string
	// Data is JSON on one line.
	Data []byte
}

// kept bounds how many events a watcher may be behind, and keptBytes their size: an event can contain as much
// text as a call.
const (
	kept      = 4096
	keptBytes = 8 << 20
)

// Broker keeps the last events. It may be used concurrently.
type Broker struct {
	// epoch distinguishes the ids of this process from those of the one before it.
	epoch    string
	watchers atomic.Int32

	mu   sync.Mutex
	ring [kept]Event
	// first is the number of the oldest event that is kept, next that of the next event.
	first, next uint64
	// bytes is how long the events are that are kept.
	bytes int
	// changed is closed and replaced with each event.
	changed chan struct{}
}

// New returns a broker. epoch differs from process to process and contains no "-".
func New(epoch string) *Broker {
	return &Broker{epoch: epoch, changed: make(chan struct{})}
}

// Watched reports whether there is a watcher, so that callers can skip events without one.
func (b *Broker) Watched() bool { return b.watchers.Load() > 0 }

// Publish publishes an event. Data that can't be encoded is left out.
func (b *Broker) Publish(kind string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte("{}")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.first < b.next && (b.next-b.first >= kept || b.bytes+len(text) > keptBytes) {
		oldest := &b.ring[b.first%kept]
		b.bytes -= len(oldest.Data)
		*oldest = Event{}
		b.first++
	}
	b.bytes += len(text)
	b.ring[b.next%kept] = Event{ID: b.id(b.next), Kind: kind, Data: text}
	b.next++
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Broker) id(number uint64) string { return b.epoch + "-" + strconv.FormatUint(number, 10) }

// Last is the id of the last event, empty before the first. A watcher that resumes from it misses no event
// after the call.
func (b *Broker) Last() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == 0 {
		return ""
	}
	return b.id(b.next - 1)
}

// Watcher reads events in order. It is used by one goroutine, and closed.
type Watcher struct {
	broker *Broker
	at     uint64
	// missed is true if events before at were lost.
	missed bool
}

// Watch returns a watcher of what happens from now on or, with the id of an
// event, of what happened since.
func (b *Broker) Watch(after string) *Watcher {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers.Add(1)
	watcher := &Watcher{broker: b, at: b.next}
	if after == "" {
		return watcher
	}
	number, err := b.number(after)
	if err != nil || number >= b.next || number < b.first {
		watcher.missed = true
		return watcher
	}
	watcher.at = number + 1
	return watcher
}

func (b *Broker) number(id string) (uint64, error) {
	epoch, text, found := strings.Cut(id, "-")
	if !found || epoch != b.epoch {
		return 0, fmt.Errorf("read event id: %q is of another process", id)
	}
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read event id: %w", err)
	}
	return number, nil
}

// Next returns the events that have happened, and a channel that is closed when
// there are more. Both are never empty at once.
func (w *Watcher) Next() (list []Event, more <-chan struct{}) {
	b := w.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.at < b.first {
		w.missed, w.at = true, b.next
	}
	if w.missed {
		w.missed = false
		last := b.id(w.at - 1)
		if w.at == 0 {
			last = ""
		}
		list = append(list, Event{ID: last, Kind: Resync, Data: []byte("{}")})
	}
	for ; w.at < b.next; w.at++ {
		list = append(list, b.ring[w.at%kept])
	}
	return list, b.changed
}

// Close ends the watch.
func (w *Watcher) Close() { w.broker.watchers.Add(-1) }
