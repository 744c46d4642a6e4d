package record

import (
	"bytes"
	"fmt"
	"io"
)

// backChunk is how much of a file is read at once.
const backChunk = 256 << 10

// backward gives the lines of a file, the last one first. What follows the last line feed is no line yet, or
// was torn, and is left out.
type backward struct {
	file io.ReaderAt
	// left is how much of the file precedes the text that is held.
	left int64
	held []byte
	// ended is true once what is held ends with a line feed.
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

// cut takes the last line from what is held, if all of it is there.
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

// more puts what precedes in front of what is held.
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
