package reply

import (
	"bytes"
	"encoding/json"
)

// The clients whose hooks are understood, by the name in the address and on the
// command line.
const (
	Claude   = "claude"
	Codex    = "codex"
	Gemini   = "gemini"
	OpenCode = "opencode"
	Copilot  = "copilot"
	Cursor   = "cursor"
)

// Clients returns the names of the clients whose hooks are understood.
func Clients() []string { return []string{Claude, Codex, Gemini, OpenCode, Copilot, Cursor} }

// Reply is what a hook gives its client: one JSON object for standard output,
// and the exit code that belongs to it.
type Reply struct {
	Body []byte
	Exit int
}

// exitDeny is the exit code by which every client's hook blocks.
const exitDeny = 2

// noReason stands where a caller had nothing to say: Codex runs a tool that was
// denied without a reason.
const noReason = "policyd refuses the call"

// shape makes the body of a client's deny.
type shape func(message string) any

// Failure is the client's own deny for a payload, which may be cut, garbage or
// empty, since it is what is said when nothing else can be. message is for the
// person and the model; a stock one stands in for an empty one. It never fails
// and never panics; an unknown client gets a deny that has every client's keys,
// with exit code 2. A session event decides nothing and has no deny: its body is
// the empty object.
func Failure(client string, payload []byte, message string) Reply {
	if message == "" {
		message = noReason
	}
	body, err := encode(denyOf(client, eventOf(payload))(message))
	if err != nil {
		body = []byte(`{"decision":"deny","reason":"` + noReason + `"}`)
	}
	return Reply{Body: body, Exit: exitDeny}
}

// denyOf chooses the shape for a client's event. An event that is not known, or
// that could not be read, is taken for a tool call.
func denyOf(client, event string) shape {
	if sessionEvent(event) {
		return nothing
	}
	switch client {
	case Claude, Codex:
		if event == "PermissionRequest" {
			return refusePermission
		}
		return denyToolUse
	case Gemini, OpenCode:
		return denyDecision
	case Copilot:
		switch event {
		case "permissionRequest", "PermissionRequest":
			return denyBehavior
		case "PreToolUse":
			return denyBoth
		}
		return denyPermission
	case Cursor:
		return denyCursor
	}
	return denyEveryWay
}

// sessionEvent says whether an event of this name starts or ends a session, in
// any client's spelling. No tool waits for its answer.
func sessionEvent(event string) bool {
	switch event {
	case "SessionStart", "SessionEnd", "sessionStart", "sessionEnd", "session.created", "session.deleted":
		return true
	}
	return false
}

func nothing(string) any { return struct{}{} }

// toolUse is the decision of Claude's and Codex' PreToolUse. Codex takes no
// other key, and both run the tool where the event's name is missing.
type toolUse struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

func denyToolUse(message string) any {
	return map[string]toolUse{"hookSpecificOutput": {"PreToolUse", "deny", message}}
}

type behavior struct {
	Behavior string `json:"behavior"`
	Message  string `json:"message"`
}

type permissionRequest struct {
	Event    string   `json:"hookEventName"`
	Decision behavior `json:"decision"`
}

func refusePermission(message string) any {
	return map[string]permissionRequest{"hookSpecificOutput": {"PermissionRequest", behavior{"deny", message}}}
}

func denyDecision(message string) any {
	return map[string]string{"decision": "deny", "reason": message}
}

func denyPermission(message string) any {
	return map[string]string{"permissionDecision": "deny", "permissionDecisionReason": message}
}

func denyBehavior(message string) any { return behavior{"deny", message} }

// denyBoth is for Copilot's PreToolUse, which takes its own shape and Claude's.
func denyBoth(message string) any {
	return map[string]any{
		"hookSpecificOutput": toolUse{"PreToolUse", "deny", message},
		"permissionDecision": "deny", "permissionDecisionReason": message,
	}
}

func denyCursor(message string) any {
	return map[string]any{"permission": "deny", "user_message": message, "agent_message": message}
}

func denyEveryWay(message string) any {
	return map[string]any{
		"decision": "deny", "reason": message,
		"permission": "deny", "user_message": message, "agent_message": message,
		"permissionDecision": "deny", "permissionDecisionReason": message,
		"hookSpecificOutput": toolUse{"PreToolUse", "deny", message},
	}
}

// encode writes one line. Angle brackets stay as they are: the text is read by
// people, and never lands in a page.
func encode(body any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
