package jsonrpc

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is one member of an object. Its value is as it was written.
type Member struct {
	Name  string
	Value []byte
	// At is where the value begins in the text of the object.
	At int
}

// Object reads the members of an object that Read has passed as part of a message.
func Object(text []byte) ([]Member, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text))
	if decoder.PeekKind() != '{' {
		return nil, fmt.Errorf("read object: no object")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	members := []Member{}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		key := name.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		end := int(decoder.InputOffset())
		members = append(members, Member{Name: key, Value: text[end-len(value) : end : end], At: end - len(value)})
	}
	return members, nil
}

// Text reads a string value. ok is false for any other value.
func Text(value []byte) (text string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	unquoted, err := jsontext.AppendUnquote(nil, value)
	return string(unquoted), err == nil
}
