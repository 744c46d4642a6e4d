package record

import (
	"bytes"
	"fmt"
	"io"
)

// backChunk is how much of a file is read at once.
const backChunk = 256 << 10

// backward reads the lines of a file, the last one first. It leaves out what follows the last line feed: an
// incomplete line.
type backward struct {
	file io.ReaderAt
	// remaining is how much of the file precedes the buffered text.
	remaining int64
	buffered  []byte
	// ended is true once the buffered text ends with a line feed.
	ended bool
	// chunk is how much is read at least.
	chunk int
}

func newBackward(file io.ReaderAt, size int64) *backward {
	return &backward{file: file, remaining: size, chunk: backChunk}
}

// next returns a line without its line feed, or io.EOF. The line is overwritten
// by what is read later.
func (b *backward) next() ([]byte, error) {
	for {
		if line, found := b.cut(); found {
			return line, nil
		}
		if b.remaining == 0 {
			line := b.buffered
			b.buffered = nil
			if !b.ended || len(line) == 0 {
				return nil, io.EOF
			}
			b.ended = false
			return bytes.TrimSuffix(line, []byte{'\n'}), nil
		}
		if err := b.more(); err != nil {
			return nil, err
		}
	}
}

// cut removes the last line from the buffered text, if it is complete.
func (b *backward) cut() ([]byte, bool) {
	if !b.ended {
		end := bytes.LastIndexByte(b.buffered, '\n')
		if end < 0 {
			b.buffered = b.buffered[:0]
			return nil, false
		}
		b.buffered, b.ended = b.buffered[:end+1], true
	}
	start := bytes.LastIndexByte(b.buffered[:len(b.buffered)-1], '\n') + 1
	if start == 0 {
		return nil, false
	}
	line := b.buffered[start : len(b.buffered)-1]
	b.buffered = b.buffered[:start]
	return line, true
}

// more prepends the text before the buffered one.
func (b *backward) more() error {
	// A long line is read in ever larger parts, so that it is not copied too often.
	size := min(b.remaining, int64(max(b.chunk, len(b.buffered))))
	grown := make([]byte, int(size)+len(b.buffered))
	copy(grown[size:], b.buffered)
	n, err := b.file.ReadAt(grown[:size], b.remaining-size)
	if int64(n) < size {
		return fmt.Errorf("read decision log: %w", err)
	}
	b.remaining -= size
	b.buffered = grown
	return nil
}
