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
	if pointer := nulPointer(call); pointer != "" {
		return fault(data, CodeInvalid, at+pointer, "holds a NUL character; no name or path can")
	}
	for _, id := range [...]struct{ pointer, value string }{
		{"/session/id", call.Session.ID}, {"/session/parent_id", call.Session.ParentID},
	} {
		if message := sessionIDFault(id.value); message != "" {
			return fault(data, CodeInvalid, at+id.pointer, message)
		}
	}
	return nil
}

func sessionIDFault(id string) string {
	if len(id) > MaxSessionID {
		return "longer than 128 bytes"
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
func nulPointer(call *v1.Call) string {
	session := &call.Session
	for _, field := range [...]struct{ pointer, value string }{
		{"/tool", call.Tool},
		{"/cwd", call.Cwd},
		{"/session/agent", session.Agent},
		{"/session/audience", string(session.Audience)},
		{"/session/project_dir", session.ProjectDir},
		{"/session/session_dir", session.SessionDir},
		{"/session/platform", session.Platform},
		{"/session/home", session.Home},
		{"/session/shell", session.Shell},
	} {
		if strings.IndexByte(field.value, 0) >= 0 {
			return field.pointer
		}
	}
	if i := nulIndex(session.ExtraDirs); i >= 0 {
		return "/session/extra_dirs/" + strconv.Itoa(i)
	}
	if i := nulIndex(session.Tools); i >= 0 {
		return "/session/tools/" + strconv.Itoa(i)
	}
	for i := range session.Peers {
		peer := &session.Peers[i]
		if strings.IndexByte(peer.ID, 0) >= 0 || nulIndex(peer.Capabilities) >= 0 {
			return "/session/peers/" + strconv.Itoa(i)
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
