package jsonrpc

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// BeginningID returns the id in the beginning of a message that is too long to be read, nil if it isn't
// there. Use it for an error response only: the rest of the message is unknown.
func BeginningID(text []byte) []byte {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text))
	if decoder.PeekKind() != '{' {
		return nil
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil
	}
	for {
		name, err := decoder.ReadToken()
		if err != nil || name.Kind() != '"' {
			return nil
		}
		isID := name.String() == "id"
		value, err := decoder.ReadValue()
		if err != nil || decoder.InputOffset() == int64(len(text)) {
			return nil // a number could go on
		}
		var m Message
		if isID {
			if m.take("id", bytes.Clone(value), 0) != "" {
				return nil
			}
			return m.ID
		}
	}
}
