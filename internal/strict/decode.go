package strict

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decode decodes one JSON value into a new T. Values below a key for which opaque reports true may be null;
// they have been checked for everything else.
func decode[T any](data []byte, opaque func(pointer string) bool) (*T, error) {
	mayHoldNull, err := scan(data)
	if err != nil {
		return nil, err
	}
	value := new(T)
	if err := json.Unmarshal(data, value, json.RejectUnknownMembers(true)); err != nil {
		return nil, explain(data, err)
	}
	if mayHoldNull {
		if err := refuseNull(data, opaque); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// refuseNull walks the tokens of a body that decoded well. The decoder treats null as "left out", but a
// person or another reader may not.
func refuseNull(data []byte, opaque func(pointer string) bool) error {
	tokens := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		token, err := tokens.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // the end: the body has decoded once
		}
		if token.Kind() != 'n' {
			continue
		}
		pointer := string(tokens.StackPointer())
		if opaque(pointer) {
			continue
		}
		return &Error{
			Code: CodeNull, Pointer: pointer, Offset: tokens.InputOffset() - int64(len("null")),
			Message: "null is not a value here; leave an optional key out",
		}
	}
}

// locate returns the byte offset of the value at pointer, or of the deepest enclosing value if there is no
// such key.
func locate(data []byte, pointer string) int64 {
	tokens := jsontext.NewDecoder(bytes.NewReader(data))
	found := int64(0)
	for {
		start := tokens.InputOffset()
		token, err := tokens.ReadToken()
		if err != nil {
			return found
		}
		if token.Kind() == '}' || token.Kind() == ']' {
			continue
		}
		at := string(tokens.StackPointer())
		if at == pointer || (at != "" && strings.HasPrefix(pointer, at+"/")) {
			found = start + int64(len(data[start:])-len(bytes.TrimLeft(data[start:], " \t\r\n:,")))
		}
	}
}

// explain turns an error of the JSON package into an Error.
func explain(data []byte, err error) error {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return explainSyntax(data, syntactic)
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return explainMeaning(semantic)
	}
	return &Error{Code: CodeSyntax, Message: err.Error()}
}

func explainSyntax(data []byte, err *jsontext.SyntacticError) error {
	refused := &Error{
		Code: CodeSyntax, Pointer: string(err.JSONPointer), Offset: err.ByteOffset, Message: "not JSON: " + err.Err.Error(),
	}
	text := err.Err.Error()
	switch {
	case errors.Is(err.Err, jsontext.ErrDuplicateName):
		refused.Code, refused.Message = CodeDuplicate, "the key is repeated; send it once"
	case strings.Contains(text, "UTF-8") || strings.Contains(text, "surrogate"):
		refused.Code, refused.Message = CodeInvalidUTF8, "text is not valid Unicode (UTF-8, no lone surrogates)"
	case strings.Contains(text, "after top-level value"):
		refused.Code, refused.Message = CodeTrailing, "text follows the request; send one JSON object and nothing else"
	case len(bytes.TrimSpace(data)) == 0:
		refused.Message = "the body is empty; send one JSON object"
	}
	return refused
}

func explainMeaning(err *json.SemanticError) error {
	pointer := string(err.JSONPointer)
	if errors.Is(err.Err, json.ErrUnknownName) {
		return &Error{
			Code: CodeUnknown, Pointer: pointer, Offset: err.ByteOffset,
			Message: "not a known key (case counts); GET /openapi.json lists the keys",
		}
	}
	message := "wrong type: " + kindName(err.JSONKind)
	if err.GoType != nil {
		message += " where " + wanted(err.GoType) + " belongs"
	}
	return &Error{Code: CodeType, Pointer: pointer, Offset: err.ByteOffset, Message: message}
}

func quote(text string) string { return strconv.QuoteToGraphic(text) }
