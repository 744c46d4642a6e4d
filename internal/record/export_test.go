package record

import (
	"bytes"
	"io"

	v1 "policyd/api/v1"
)

// NewTo returns a writer whose only sink is out.
func NewTo(out io.Writer) *Writer { return NewWith(Options{}, out) }

// NewWith is NewTo with options.
func NewWith(options Options, out io.Writer) *Writer {
	return newWriter(options, []*sink{{name: "test", out: out}})
}

// Encode is the line of a record.
func Encode(record *v1.Record) ([]byte, error) {
	e := newEntry()
	err := e.encode(record)
	return bytes.Clone(e.line.Bytes()), err
}
