// Package jsonl reads test data of one JSON value per line.
package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read returns the values of a file. A file without values is an error: a test of it would hold
// nothing.
func Read[T any](name string) ([]T, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read lines: %w", err)
	}
	var values []T
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var value T
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s, value %d: %w", name, len(values)+1, err)
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("read %s: it holds no values", name)
	}
	return values, nil
}
