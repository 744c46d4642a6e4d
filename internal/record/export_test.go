package record

import (
	"io"

	v1 "policyd/api/v1"
)

// NewTo returns a writer whose only sink is out.
func NewTo(out io.Writer) *Writer { return &Writer{sinks: []*sink{{name: "test", out: out}}} }

// Encode is the line of a record.
func Encode(record *v1.Record) ([]byte, error) { return encode(record) }
