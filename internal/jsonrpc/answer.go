package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// answer is a response as this package writes it.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// ErrorObject is the error of a response.
type ErrorObject struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Result is the response to id. A nil id is null.
func Result(id []byte, result any) ([]byte, error) {
	return encode(&answer{Version: "2.0", ID: orNull(id), Result: result})
}

// Failure is the response to id with an error, an object of the caller's.
func Failure(id []byte, object any) ([]byte, error) {
	return encode(&answer{Version: "2.0", ID: orNull(id), Error: object})
}

func orNull(id []byte) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}
