package stat

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// What Read refuses.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("file too large")
)

// longestRead is how long Read waits for a file that says it is empty, as those of
// the kernel do, some of which have nothing to read for now.
const longestRead = time.Second

// Read returns the content of a regular file of at most limit bytes, and its stamp,
// taken before the content, so that a later change shows. A pipe, a device or more
// bytes are an error, and nothing of them is read. What is missing is an error for
// which Missing is true.
func Read(path string, limit int64) ([]byte, Stamp, error) {
	// Without O_NONBLOCK opening a named pipe would wait for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Stamp{}, fmt.Errorf("open file: %w", err)
	}
	defer file.Close()
	found, err := Open(file)
	if err != nil {
		return nil, Stamp{}, fmt.Errorf("stat file: %w", err)
	}
	if found.Kind != File {
		return nil, Stamp{}, ErrNotRegular
	}
	if found.Size > limit {
		return nil, Stamp{}, ErrTooLarge
	}
	if found.Size == 0 {
		// Most files can't wait and have no deadline.
		if err := file.SetReadDeadline(time.Now().Add(longestRead)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
			return nil, Stamp{}, fmt.Errorf("read file: %w", err)
		}
	}
	content := make([]byte, 0, found.Size+1)
	content, err = appendAll(content, io.LimitReader(file, limit+1))
	if err != nil {
		return nil, Stamp{}, fmt.Errorf("read file: %w", err)
	}
	if int64(len(content)) > limit {
		return nil, Stamp{}, ErrTooLarge
	}
	return content, found, nil
}

func appendAll(content []byte, from io.Reader) ([]byte, error) {
	for {
		if len(content) == cap(content) {
			content = append(content, 0)[:len(content)]
		}
		n, err := from.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if errors.Is(err, io.EOF) {
			return content, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
