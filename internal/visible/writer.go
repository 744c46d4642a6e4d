package visible

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer passes text to another writer, and writes everything that Whole would escape as an escape of
// JSON ("\u001b"). JSON that passes through it keeps its meaning. Lines and tabs stay.
//
// It is the last step before a terminal: a command that prints what others wrote can't forget it. It
// may be used concurrently.
type Writer struct {
	to io.Writer

	mu sync.Mutex
	// rest is the beginning of a character that isn't complete yet.
	rest []byte
}

var _ io.Writer = (*Writer)(nil)

// NewWriter returns a writer that writes to another one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Raw is the writer that a Writer writes to, and any other writer itself. It is for protocols and for
// views that draw on a terminal and escape each text themselves.
func Raw(w io.Writer) io.Writer {
	if made, ok := w.(*Writer); ok {
		return made.to
	}
	return w
}

// Write writes all of text or returns an error. A partial character is kept until the rest follows.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := text
	if len(w.rest) > 0 {
		all = slices.Concat(w.rest, text)
	}
	end := complete(all)
	out := all[:end]
	if bytes.IndexFunc(out, hidden) >= 0 || !utf8.Valid(out) {
		out = escaped(out)
	}
	rest := bytes.Clone(all[end:])
	if len(out) > 0 {
		if _, err := w.to.Write(out); err != nil {
			return 0, fmt.Errorf("write: %w", err)
		}
	}
	w.rest = rest
	return len(text), nil
}

// Flush writes what is left of a character that nothing completed.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := escaped(w.rest)
	w.rest = nil
	if len(out) == 0 {
		return nil
	}
	if _, err := w.to.Write(out); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// complete is where the last whole character of text ends.
func complete(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		at := len(text) - back
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// escaped is text with an escape of JSON for each hidden character. A byte that begins no character
// is shown as the replacement character.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1, r != utf8.RuneError && hidden(r):
			out = appendEscape(out, r)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

func appendEscape(out []byte, r rune) []byte {
	if first, second := utf16.EncodeRune(r); first != utf8.RuneError {
		return fmt.Appendf(out, `\u%04x\u%04x`, first, second)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
