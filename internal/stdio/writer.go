package stdio

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// LineWriter forwards one stream of lines into which callers insert lines of their own. It may be used
// concurrently.
type LineWriter struct {
	mu      sync.Mutex
	to      io.Writer
	torn    bool // the stream is within a line
	waiting [][]byte
}

// NewLineWriter returns a writer to a stream that is at the start of a line.
func NewLineWriter(to io.Writer) *LineWriter { return &LineWriter{to: to} }

// Write implements io.Writer: it passes a piece of the stream on as it is. A piece
// may end within a line.
func (w *LineWriter) Write(piece []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	written := 0
	// Waiting lines are inserted at the last line end in the piece.
	if end := bytes.LastIndexByte(piece, '\n') + 1; end > 0 && len(w.waiting) > 0 {
		var err error
		if written, err = w.pass(piece[:end]); err != nil {
			return written, err
		}
		if err := w.flush(); err != nil {
			return written, err
		}
	}
	rest, err := w.pass(piece[written:])
	return written + rest, err
}

func (w *LineWriter) pass(piece []byte) (int, error) {
	if len(piece) == 0 {
		return 0, nil
	}
	written, err := w.to.Write(piece)
	if err != nil {
		return written, fmt.Errorf("pass on: %w", err)
	}
	w.torn = piece[len(piece)-1] != '\n'
	return written, nil
}

// Put inserts a whole line, given without its end, between the lines of the stream. It waits while the stream
// is within a line.
func (w *LineWriter) Put(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := append(append(make([]byte, 0, len(line)+1), line...), '\n')
	w.waiting = append(w.waiting, ended)
	if w.torn {
		return nil
	}
	return w.flush()
}

// End writes what still waits, after the stream has ended.
func (w *LineWriter) End() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.torn && len(w.waiting) > 0 {
		w.waiting = append([][]byte{{'\n'}}, w.waiting...)
	}
	return w.flush()
}

func (w *LineWriter) flush() error {
	for len(w.waiting) > 0 {
		line := w.waiting[0]
		w.waiting = w.waiting[1:]
		if _, err := w.to.Write(line); err != nil {
			return fmt.Errorf("put line: %w", err)
		}
	}
	return nil
}

var _ io.Writer = (*LineWriter)(nil)
