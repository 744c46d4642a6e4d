package record

import (
	"fmt"
	"io"
)

// sink is one place for lines. A torn sink ends in a line that was not written
// whole; the next line then starts on a line of its own, so that one failure
// spoils one record and not two.
type sink struct {
	name string
	out  io.Writer
	torn bool
	// failed is the error of the latest write, nil when it succeeded.
	failed error
}

// write returns how many bytes of the lines were written.
func (s *sink) write(lines []byte) (int, error) {
	if !s.torn {
		return s.put(lines)
	}
	written, err := s.put(append([]byte{'\n'}, lines...))
	return max(0, written-1), err
}

// probe writes the least that leaves every line readable.
func (s *sink) probe() error {
	blank := []byte{' '}
	if s.torn {
		blank[0] = '\n'
	}
	_, err := s.put(blank)
	return err
}

func (s *sink) put(text []byte) (int, error) {
	n, err := s.out.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if n > 0 {
		s.torn = err != nil && text[n-1] != '\n'
	}
	s.failed = nil
	if err != nil {
		s.failed = fmt.Errorf("write record to %s: %w", s.name, err)
	}
	return n, s.failed
}
