package strict

import (
	"github.com/go-json-experiment/json"

	v1 "policyd/api/v1"
)

// DecodeForeign decodes a body that another project designs and may extend: it ignores a key that T doesn't
// have, and treats null as a missing key. It refuses what two readers could parse differently, like the other
// decoders: a key that occurs twice, invalid Unicode, text after the object. The error is an *Error.
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

// CheckCall applies the checks of DecodeCall to a call that was made elsewhere. The error is an *Error.
func CheckCall(call *v1.Call) error { return checkCall(call, nil, "") }

// CheckDirectories applies the limits of lists and paths to a session that was made elsewhere. The error is
// an *Error.
func CheckDirectories(session *v1.Session) error { return checkContents(session, nil, "") }
