package strict

import "strconv"

// Code classifies a malformed request. Codes are stable.
type Code string

// The codes of an Error.
const (
	CodeSyntax       Code = "malformed_json"
	CodeTrailing     Code = "trailing_text"
	CodeDuplicate    Code = "duplicate_key"
	CodeUnknown      Code = "unknown_key"
	CodeType         Code = "wrong_type"
	CodeNull         Code = "null_value"
	CodeMissing      Code = "missing_key"
	CodeInvalid      Code = "invalid_value"
	CodeTooDeep      Code = "nesting_too_deep"
	CodeInvalidUTF8  Code = "invalid_utf8"
	CodeTooManyCalls Code = "too_many_calls"
	CodeTooManyDirs  Code = "too_many_extra_dirs"
	CodeTooManyKeys  Code = "too_many_argument_keys"
	CodeTooManyPaths Code = "too_many_paths"
	CodeTooManyTools Code = "too_many_tools"
	CodeTooManyPeers Code = "too_many_peers"
)

// Error is a refused request. Pointer is the JSON pointer (RFC 6901) of the key, empty for the body as a
// whole; Offset counts bytes from 0 and is on or just after the offending text.
type Error struct {
	Code    Code
	Pointer string
	Offset  int64
	Message string
}

// Error names the key, the byte and what is allowed.
func (e *Error) Error() string {
	where := "body"
	if e.Pointer != "" {
		where = "key " + e.Pointer
	}
	return where + " (byte " + strconv.FormatInt(e.Offset, 10) + "): " + e.Message
}

var _ error = (*Error)(nil)
