package strict

import (
	"github.com/go-json-experiment/json"

	v1 "policyd/api/v1"
)

// DecodeForeign reads a body that somebody else designs and may add to: a key that T doesn't name is passed
// over, and null is a key that is left out. What two readers could take for two things is refused as
// anywhere: a key that occurs twice, text that is no Unicode, what follows the object. The error is an
// *Error.
func DecodeForeign[T any](data []byte) (*T, error) {
	if _, err := scan(data); err != nil {
		return nil, err
	}
	value := new(T)
	if err := json.Unmarshal(data, value); err != nil {
		return nil, explain(data, err)
	}
	return value, nil
}

// CheckCall holds of a call that was made elsewhere what DecodeCall holds of one
// that was read. The error is an *Error.
func CheckCall(call *v1.Call) error { return checkCall(call, nil, "") }

// CheckDirectories applies to a session that was made elsewhere the limits of what its
// lists and paths may hold. The error is an *Error.
func CheckDirectories(session *v1.Session) error { return checkContents(session, nil, "") }
