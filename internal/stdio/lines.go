package stdio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Lines reads lines with their ends. It is used by one goroutine.
type Lines struct {
	from  *bufio.Reader
	limit int
	line  []byte
}

// NewLines returns a reader of lines of at most limit bytes, their ends included.
func NewLines(from io.Reader, limit int) *Lines {
	return &Lines{from: bufio.NewReaderSize(from, 64<<10), limit: limit}
}

// Next returns the next line with its end, which the last one may lack, and io.EOF after it. For a line
// beyond the limit it returns the beginning and whole is false; the rest is read and dropped. The line is
// valid until the next call.
func (l *Lines) Next() (line []byte, whole bool, err error) {
	l.line = l.line[:0]
	whole, ended := true, false
	for !ended {
		part, err := l.from.ReadSlice('\n')
		ended = err == nil
		if room := l.limit - len(l.line); len(part) > room {
			part, whole = part[:room], false
		}
		l.line = append(l.line, part...)
		if err == nil || errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !errors.Is(err, io.EOF) {
			return nil, false, fmt.Errorf("read line: %w", err)
		}
		if len(l.line) == 0 {
			return nil, false, io.EOF
		}
		ended = true
	}
	return l.line, whole, nil
}
