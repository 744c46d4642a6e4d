package strict

import (
	"strconv"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
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

// fault makes an Error and computes its offset, which only a refusal has to pay for.
func fault(data []byte, code Code, pointer, message string) *Error {
	return &Error{Code: code, Pointer: pointer, Offset: locate(data, pointer), Message: message}
}

// checkCall checks what types can't express. It returns a plain error so that a nil *Error never becomes a
// non-nil error.
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
	if message := nameFault(call.Tool); message != "" {
		return fault(data, CodeInvalid, at+"/tool", message)
	}
	if message := textFault(call.Cwd); message != "" {
		return fault(data, CodeInvalid, at+"/cwd", message)
	}
	if err := checkArgs(call.Args, data, at); err != nil {
		return err
	}
	return checkSession(&call.Session, data, at+"/session")
}

// textFault states what is wrong with a name or path, empty for nothing. The system calls end a path at NUL,
// so what is checked and what is opened would differ.
func textFault(text string) string {
	switch {
	case strings.IndexByte(text, 0) >= 0:
		return "holds a NUL character; no name or path can"
	case len(text) > MaxPathBytes:
		return "longer than " + strconv.Itoa(MaxPathBytes) + " bytes; no path can be"
	}
	return ""
}

// nameFault is textFault for a text that isn't a path. Names are stored for longer than a call.
func nameFault(text string) string {
	if message := textFault(text); message != "" || len(text) <= MaxNameBytes {
		return message
	}
	return "longer than " + strconv.Itoa(MaxNameBytes) + " bytes; no name can be"
}

// checkSession checks what types can't express of a session.
func checkSession(session *v1.Session, data []byte, at string) error {
	if err := checkContents(session, data, at); err != nil {
		return err
	}
	for _, id := range [...]struct{ pointer, value string }{{"/id", session.ID}, {"/parent_id", session.ParentID}} {
		if message := SessionIDFault(id.value); message != "" {
			return fault(data, CodeInvalid, at+id.pointer, message)
		}
	}
	return nil
}

// checkContents applies the limits to everything of a session but its ids.
func checkContents(session *v1.Session, data []byte, at string) error {
	if err := checkLists(session, data, at); err != nil {
		return err
	}
	if pointer, message := textPointer(session); message != "" {
		return fault(data, CodeInvalid, at+pointer, message)
	}
	return nil
}

// SessionIDFault states what is wrong with a session id, empty for nothing.
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

// textPointer returns the key of the first text that can be no name or path, and what is
// wrong with it.
func textPointer(session *v1.Session) (pointer, message string) {
	for _, field := range [...]struct {
		pointer, value string
		fault          func(string) string
	}{
		{"/agent", session.Agent, nameFault},
		{"/audience", string(session.Audience), nameFault},
		{"/project_dir", session.ProjectDir, textFault},
		{"/session_dir", session.SessionDir, textFault},
		{"/platform", session.Platform, nameFault},
		{"/home", session.Home, textFault},
		{"/shell", session.Shell, nameFault},
	} {
		if message := field.fault(field.value); message != "" {
			return field.pointer, message
		}
	}
	if i, message := firstFault(session.ExtraDirs, textFault); message != "" {
		return "/extra_dirs/" + strconv.Itoa(i), message
	}
	if i, message := firstFault(session.Tools, nameFault); message != "" {
		return "/tools/" + strconv.Itoa(i), message
	}
	for i, kind := range session.Enforces {
		if kind != v1.ObligationContain {
			return "/enforces/" + strconv.Itoa(i), "no kind of obligation: known is " + v1.ObligationContain
		}
	}
	for i := range session.Peers {
		peer := &session.Peers[i]
		message := nameFault(peer.ID)
		if message == "" {
			_, message = firstFault(peer.Capabilities, nameFault)
		}
		if message != "" {
			return "/peers/" + strconv.Itoa(i), message
		}
	}
	return "", ""
}

func firstFault(values []string, fault func(string) string) (index int, message string) {
	for i, value := range values {
		if message := fault(value); message != "" {
			return i, message
		}
	}
	return -1, ""
}
