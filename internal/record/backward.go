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
	// left is how much of the file precedes the buffered text.
	left int64
	held []byte
	// ended is true once the buffered text ends with a line feed.
	ended bool
	// chunk is how much is read at least.
	chunk int
}

func newBackward(file io.ReaderAt, size int64) *backward {
	return &backward{file: file, left: size, chunk: backChunk}
}

// next returns a line without its line feed, or io.EOF. The line is overwritten
// by what is read later.
func (b *backward) next() ([]byte, error) {
	for {
		if line, found := b.cut(); found {
			return line, nil
		}
		if b.left == 0 {
			line := b.held
			b.held = nil
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
		end := bytes.LastIndexByte(b.held, '\n')
		if end < 0 {
			b.held = b.held[:0]
			return nil, false
		}
		b.held, b.ended = b.held[:end+1], true
	}
	start := bytes.LastIndexByte(b.held[:len(b.held)-1], '\n') + 1
	if start == 0 {
		return nil, false
	}
	line := b.held[start : len(b.held)-1]
	b.held = b.held[:start]
	return line, true
}

// more prepends the text before the buffered one.
func (b *backward) more() error {
	// A long line is read in ever larger parts, so that it is not copied too often.
	size := min(b.left, int64(max(b.chunk, len(b.held))))
	grown := make([]byte, int(size)+len(b.held))
	copy(grown[size:], b.held)
	n, err := b.file.ReadAt(grown[:size], b.left-size)
	if int64(n) < size {
		return fmt.Errorf("read decision log: %w", err)
	}
	b.left -= size
	b.held = grown
	return nil
}
