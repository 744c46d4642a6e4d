package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goccy/go-json"

	v1 "policyd/api/v1"
	"policyd/internal/wire"
)

// What a writer does with a record if its buffer is full.
const (
	// OverflowBlock waits for room, and fails the record if there is none in time.
	OverflowBlock = "block"
	// OverflowDrop leaves the record out and counts it.
	OverflowDrop = "drop"
)

// Bounds of the waiting records. The buffer fits some thousand records; a write has to end in much less than
// the patience, or the disk is stuck.
const (
	usualBuffer   = 32 << 20
	usualPatience = 5 * time.Second
	// largestBatch is the size of one write in bytes, unless one record is larger.
	largestBatch = 1 << 20
)

// Options configure where records go. One of File and Stdout has to be set.
type Options struct {
	// File is the decision log; it and its directory are created if they are missing. Only its owner can read
	// it, also if it existed before.
	File string
	// MaxSizeMB is the size in megabytes at which the file is rotated; 0 is 100.
	MaxSizeMB int
	// MaxBackups is how many rotated files are kept; 0 keeps all.
	MaxBackups int
	// MaxAgeDays is how long rotated files are kept; 0 keeps them.
	MaxAgeDays int
	// Required is what Writer.Required answers. No record is then dropped.
	Required bool
	// Stdout writes every line to standard output too.
	Stdout bool
	// Overflow is OverflowBlock, also for "", or OverflowDrop, which Required
	// excludes.
	Overflow string
	// BufferBytes bounds the records that wait to be written; 0 means 32 MiB. One record may always wait,
	// whatever its size.
	BufferBytes int
	// Patience bounds what a caller waits for its record; 0 is 5 seconds.
	Patience time.Duration
	// Service, unless nil, also gets every record. Its failures never fail a record.
	Service *Service
}

// Writer writes records. It may be used concurrently: those who write at once
// share one write to the file, which one of them makes for all.
type Writer struct {
	options Options
	rules   atomic.Pointer[Rules]
	forward *forwarder
	// entries pools unused *entry.
	entries sync.Pool

	mu sync.Mutex // guards the queue
	queue
	counters counters

	// writing is locked while the sinks are written.
	writing sync.Mutex
	sinks   []*sink
	batch   []byte
	// since is when the write that runs began, in nanoseconds; 0 means none.
	since atomic.Int64
}

// New opens the log. It fails if the file can't be written, so that a start fails early and not every later
// decision.
func New(options Options) (*Writer, error) {
	if options.File == "" && !options.Stdout {
		return nil, errors.New("open decision log: neither a file nor standard output is set")
	}
	if options.Required && options.Overflow == OverflowDrop {
		return nil, errors.New("open decision log: records are required, so none can be dropped")
	}
	var sinks []*sink
	if options.File != "" {
		opened, torn, err := openFile(&options)
		if err != nil {
			return nil, fmt.Errorf("open decision log: %w", err)
		}
		sinks = append(sinks, &sink{name: options.File, out: opened, torn: torn})
	}
	if options.Stdout {
		sinks = append(sinks, &sink{name: "standard output", out: os.Stdout})
	}
	writer := newWriter(options, sinks)
	if options.Service != nil {
		writer.forward = startForwarder(options.Service)
	}
	return writer, nil
}

func newWriter(options Options, sinks []*sink) *Writer {
	if options.BufferBytes <= 0 {
		options.BufferBytes = usualBuffer
	}
	if options.Patience <= 0 {
		options.Patience = usualPatience
	}
	return &Writer{
		options: options, sinks: sinks, queue: queue{freed: make(chan struct{})},
		entries: sync.Pool{New: func() any { return newEntry() }},
	}
}

// Required reports whether a decision without a record has to be denied.
func (w *Writer) Required() bool { return w.options.Required }

// SetRules sets the operators' rules for records; they may change at any time.
func (w *Writer) SetRules(rules Rules) { w.rules.Store(&rules) }

// Write writes the record to every sink as one whole line, and returns when that is done. An error means that
// at least one sink lacks the line, or that it was not there in time. A cancelled context doesn't matter: a
// record is also written for a caller that is gone. Under OverflowDrop a record without room is counted, and
// not an error.
func (w *Writer) Write(ctx context.Context, record *v1.Record) error {
	e, err := w.prepare(ctx, nil, record)
	if e == nil || err != nil {
		return err
	}
	err, mine := w.commit(e)
	if mine {
		w.release(e)
	}
	return err
}

// prepare encodes the record into an entry; nil if rules drop it. before is the record that it amends, nil
// for none.
func (w *Writer) prepare(ctx context.Context, before, record *v1.Record) (*entry, error) {
	e := w.entries.Get().(*entry)
	dropped, err := false, error(nil)
	if rules := w.rules.Load(); rules != nil && (*rules).Any() {
		dropped, err = w.masked(ctx, *rules, before, record, e)
	} else {
		err = e.encode(record)
	}
	if dropped || err != nil {
		w.release(e)
		return nil, err
	}
	return e, nil
}

// Amend writes a record with the final answer, after a record of the same decision that differs. Write may
// have failed for the earlier one although it is in the log, or will be when a slow write ends. Amend doesn't
// wait for the write, so its record follows as soon as one can be written. It is lost if the process ends
// before, or if there is no room for it. Of two records of one decision the later one applies. Rules drop it
// only if they drop the earlier one, too.
func (w *Writer) Amend(ctx context.Context, before, record *v1.Record) {
	e, err := w.prepare(ctx, before, record)
	if e == nil && err == nil {
		return // counted as dropped by rules
	}
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.counters.failed++
		return
	}
	w.mu.Lock()
	if w.full(e) {
		w.counters.failed++
		w.mu.Unlock()
		w.release(e)
		return
	}
	lead := w.enqueue(e)
	w.mu.Unlock()
	go func() {
		if lead {
			_ = w.lead(e) // it is counted
		}
		for done := lead; !done; {
			done, _ = w.heed(e, <-e.notices)
		}
		w.release(e)
	}()
}

// Check returns nil if the latest record was written. After a failure it tries again, with a blank that the
// next line may begin with: a server that isn't ready gets no requests, so no record would ever show that it
// recovered. It doesn't wait for a running write; one that takes long is an error.
func (w *Writer) Check() error {
	if !w.writing.TryLock() {
		if began := w.since.Load(); began != 0 && time.Since(time.Unix(0, began)) > w.options.Patience {
			return errStuck
		}
		return nil
	}
	defer w.writing.Unlock()
	var failed error
	for _, target := range w.sinks {
		if target.failed != nil {
			failed = errors.Join(failed, target.probe())
		}
	}
	return failed
}

var errStuck = errors.New("write record: a write that began long ago has not ended")

// Close closes the file, and tries to send what the service doesn't have yet. A later Write opens the file
// again.
func (w *Writer) Close() error {
	if w.forward != nil {
		w.forward.close()
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	for _, target := range w.sinks {
		if closer, ok := target.out.(io.Closer); ok && target.out != io.Writer(os.Stdout) {
			if err := closer.Close(); err != nil {
				return fmt.Errorf("close decision log: %w", err)
			}
		}
	}
	return nil
}

// encode encodes the record into the entry, as a line with its line feed.
func (e *entry) encode(record *v1.Record) error {
	line, err := wire.AppendRecord(e.line[:0], record)
	return e.end(line, err)
}

// encodeDocument encodes a masked record into the entry.
func (e *entry) encodeDocument(made *document) error {
	line, err := json.MarshalWithOption(made, json.DisableHTMLEscape())
	return e.end(line, err)
}

func (e *entry) end(line []byte, err error) error {
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	line = append(line, '\n')
	e.line = line
	return nil
}
