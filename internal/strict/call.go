package strict

import (
	"strconv"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
)

// Limits of a request.
const (
	MaxSessionID  = 128 // bytes
	MaxBatchCalls = 100
)

// DecodeCall reads the body of POST /v1/decide. The error is an *Error. The
// call shares no memory with data.
func DecodeCall(data []byte) (*v1.Call, error) {
	call, err := decode[v1.Call](data, insideArgs)
	if err != nil {
		return nil, err
	}
	if err := checkCall(call, data, ""); err != nil {
		return nil, err
	}
	return call, nil
}

// DecodeBatch reads the body of POST /v1/decide/batch: 1 to MaxBatchCalls
// calls. One malformed call refuses the whole batch. The error is an *Error.
func DecodeBatch(data []byte) (*v1.BatchRequest, error) {
	batch, err := decode[v1.BatchRequest](data, insideBatchArgs)
	if err != nil {
		return nil, err
	}
	switch count := len(batch.Calls); {
	case count == 0:
		return nil, fault(data, CodeMissing, "/calls", "missing or empty; send 1 to 100 calls")
	case count > MaxBatchCalls:
		return nil, fault(data, CodeTooManyCalls, "/calls", strconv.Itoa(count)+" calls; send at most 100 in one batch")
	}
	for i := range batch.Calls {
		if err := checkCall(&batch.Calls[i], data, "/calls/"+strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

func insideArgs(pointer string) bool { return strings.HasPrefix(pointer, "/args/") }

func insideBatchArgs(pointer string) bool {
	rest, found := strings.CutPrefix(pointer, "/calls/")
	if !found {
		return false
	}
	_, rest, _ = strings.Cut(rest, "/")
	return strings.HasPrefix(rest, "args/")
}

// fault makes an Error whose offset is looked up, which only the way to a
// refusal has to pay for.
func fault(data []byte, code Code, pointer, message string) *Error {
	return &Error{Code: code, Pointer: pointer, Offset: locate(data, pointer), Message: message}
}

// checkCall holds what types can't say. It returns a plain error so that a nil
// *Error never becomes a non-nil error.
func checkCall(call *v1.Call, data []byte, at string) error {
	switch {
	case call.Tool == "":
		return fault(data, CodeMissing, at+"/tool", "missing or empty; name the tool")
	case len(call.Args) == 0:
		return fault(data, CodeMissing, at+"/args", "missing; send the tool's arguments, {} for none")
	case call.Args[0] != '{':
		return fault(data, CodeType, at+"/args", "wrong type: an object belongs here")
	case call.Session.ID == "":
		return fault(data, CodeMissing, at+"/session/id", "missing or empty; name the session")
	}
	switch call.Protocol {
	case "", "acp", "mcp":
	default:
		return fault(data, CodeInvalid, at+"/protocol", quote(call.Protocol)+` is none of "", "acp", "mcp"`)
	}
	for _, field := range [...]struct{ pointer, value string }{{"/tool", call.Tool}, {"/cwd", call.Cwd}} {
		if strings.IndexByte(field.value, 0) >= 0 {
			return fault(data, CodeInvalid, at+field.pointer, holdsNUL)
		}
	}
	return checkSession(&call.Session, data, at+"/session")
}

const holdsNUL = "holds a NUL character; no name or path can"

// checkSession holds what types can't say of a session.
func checkSession(session *v1.Session, data []byte, at string) error {
	if pointer := nulPointer(session); pointer != "" {
		return fault(data, CodeInvalid, at+pointer, holdsNUL)
	}
	for _, id := range [...]struct{ pointer, value string }{{"/id", session.ID}, {"/parent_id", session.ParentID}} {
		if message := SessionIDFault(id.value); message != "" {
			return fault(data, CodeInvalid, at+id.pointer, message)
		}
	}
	return nil
}

// SessionIDFault says what is wrong with a session id, empty for nothing.
func SessionIDFault(id string) string {
	switch {
	case len(id) > MaxSessionID:
		return "longer than 128 bytes"
	case id == "." || id == "..":
		return "means a directory, and clients take it out of an address"
	}
	for _, r := range id {
		if r == '/' || r == '\\' || unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return "holds " + quote(string(r)) + "; slashes, white space, control and invisible characters are not allowed"
		}
	}
	return ""
}

// nulPointer returns the key of the first string that holds NUL. The system
// calls end a path at NUL, so what is checked and what is opened would differ.
func nulPointer(session *v1.Session) string {
	for _, field := range [...]struct{ pointer, value string }{
		{"/agent", session.Agent},
		{"/audience", string(session.Audience)},
		{"/project_dir", session.ProjectDir},
		{"/session_dir", session.SessionDir},
		{"/platform", session.Platform},
		{"/home", session.Home},
		{"/shell", session.Shell},
	} {
		if strings.IndexByte(field.value, 0) >= 0 {
			return field.pointer
		}
	}
	if i := nulIndex(session.ExtraDirs); i >= 0 {
		return "/extra_dirs/" + strconv.Itoa(i)
	}
	if i := nulIndex(session.Tools); i >= 0 {
		return "/tools/" + strconv.Itoa(i)
	}
	for i := range session.Peers {
		peer := &session.Peers[i]
		if strings.IndexByte(peer.ID, 0) >= 0 || nulIndex(peer.Capabilities) >= 0 {
			return "/peers/" + strconv.Itoa(i)
		}
	}
	return ""
}

func nulIndex(values []string) int {
	for i, value := range values {
		if strings.IndexByte(value, 0) >= 0 {
			return i
		}
	}
	return -1
}
