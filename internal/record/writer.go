package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/goccy/go-json"
	"gopkg.in/natefinch/lumberjack.v2"

	v1 "policyd/api/v1"
)

// Options say where records go. One of File and Stdout has to be set.
type Options struct {
	// File is the decision log; it and its directory are made if they are
	// missing. It is made readable by its owner alone, also where it existed.
	File string
	// MaxSizeMB is the size in megabytes at which the file is rotated; 0 is 100.
	MaxSizeMB int
	// MaxBackups is how many rotated files are kept; 0 keeps all.
	MaxBackups int
	// MaxAgeDays is how long rotated files are kept; 0 keeps them.
	MaxAgeDays int
	// Required is what Writer.Required answers.
	Required bool
	// Stdout writes every line to standard output too.
	Stdout bool
}

// Writer writes records. It may be used concurrently.
type Writer struct {
	required bool

	mu    sync.Mutex
	sinks []*sink
}

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

// New opens the log. It fails when the file can't be written, so that a start
// stops where every later decision would be denied.
func New(options Options) (*Writer, error) {
	writer := &Writer{required: options.Required}
	if options.File == "" && !options.Stdout {
		return nil, errors.New("open decision log: neither a file nor standard output is set")
	}
	if options.File != "" {
		if err := prepare(options.File); err != nil {
			return nil, fmt.Errorf("open decision log: %w", err)
		}
		writer.sinks = append(writer.sinks, &sink{name: options.File, out: &lumberjack.Logger{
			Filename: options.File, MaxSize: options.MaxSizeMB, MaxBackups: options.MaxBackups, MaxAge: options.MaxAgeDays,
		}})
	}
	if options.Stdout {
		writer.sinks = append(writer.sinks, &sink{name: "standard output", out: os.Stdout})
	}
	return writer, nil
}

// prepare makes the file with its final mode; the rotation keeps that mode.
func prepare(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	opened, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return fmt.Errorf("look at file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	if err := opened.Chmod(0o600); err != nil {
		return fmt.Errorf("restrict file: %w", err)
	}
	return nil
}

// Required reports whether a decision without a record has to be denied.
func (w *Writer) Required() bool { return w.required }

// Write hands the record to every sink as one whole line, and returns when that
// is done. An error means that at least one sink lacks the line. The context is
// not looked at: a record is written also for a caller who went away.
func (w *Writer) Write(_ context.Context, record *v1.Record) error {
	line, err := encode(record)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var failed error
	for _, target := range w.sinks {
		failed = errors.Join(failed, target.write(line))
	}
	return failed
}

// Check returns nil when the latest record was written. After a failure it
// tries again, with a blank that the next line may begin with: where nobody
// asks a server that isn't ready, no record would ever show that it recovered.
func (w *Writer) Check() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var failed error
	for _, target := range w.sinks {
		if target.failed != nil {
			failed = errors.Join(failed, target.probe())
		}
	}
	return failed
}

// encode returns the record as a line with its line feed.
func encode(record *v1.Record) ([]byte, error) {
	line, err := json.MarshalWithOption(record, json.DisableHTMLEscape())
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return append(line, '\n'), nil
}

func (s *sink) write(line []byte) error {
	if s.torn {
		line = append([]byte{'\n'}, line...)
	}
	return s.put(line)
}

// probe writes the least that leaves every line readable.
func (s *sink) probe() error {
	if s.torn {
		return s.put([]byte{'\n'})
	}
	return s.put([]byte{' '})
}

func (s *sink) put(text []byte) error {
	n, err := s.out.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if n > 0 {
		s.torn = err != nil
	}
	s.failed = nil
	if err != nil {
		s.failed = fmt.Errorf("write record to %s: %w", s.name, err)
	}
	return s.failed
}

// Close closes the file. A later Write opens it again.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, target := range w.sinks {
		if closer, ok := target.out.(io.Closer); ok && target.out != io.Writer(os.Stdout) {
			if err := closer.Close(); err != nil {
				return fmt.Errorf("close decision log: %w", err)
			}
		}
	}
	return nil
}
