package strict

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// kindName names a JSON value for people.
func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{', '}':
		return "an object"
	case '[', ']':
		return "an array"
	default:
		return "a value"
	}
}

// wanted names the JSON value that a Go type is read from.
func wanted(goType reflect.Type) string {
	switch goType.Kind() { //nolint:exhaustive // the contract uses no other kinds
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "another type"
}
