package reply

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The supported clients, by their name in the address and on the command line.
const (
	Claude   = "claude"
	Codex    = "codex"
	Gemini   = "gemini"
	OpenCode = "opencode"
	Copilot  = "copilot"
	Cursor   = "cursor"
)

// Reply is the output of a hook: one JSON object for standard output, and the exit code.
type Reply struct {
	Body []byte
	Exit int
}

// exitDeny is the exit code by which every client's hook blocks.
const exitDeny = 2

// noReason replaces an empty reason: Codex runs a tool that was denied without a reason.
const noReason = "policyd refuses the call"

// Failure is the client's own deny for a payload, which may be cut off, garbage or empty: it is the last
// resort. message is for the person and the model; a default replaces an empty one. It never fails and never
// panics; an unknown client gets a deny that has every client's keys, with exit code
// 2. A session event decides nothing and has no deny: its body is the empty object.
func Failure(client string, payload []byte, message string) Reply {
	if message == "" {
		message = noReason
	}
	body, err := encode(denyOf(client, eventOf(payload), message))
	if err != nil {
		body = []byte(`{"decision":"deny","reason":"` + noReason + `"}`)
	}
	return Reply{Body: body, Exit: exitDeny}
}

// denyOf is the body of a client's deny. An unknown or unreadable event counts as a tool call.
func denyOf(client, event, message string) any {
	if sessionEvent(event) {
		return struct{}{}
	}
	if known, found := ByName(client); found {
		return known.deny(event, message)
	}
	return denyEveryWay(message)
}

// sessionEvent states whether an event of this name starts or ends a session, in any client's spelling. No
// tool waits for its answer.
func sessionEvent(event string) bool {
	for i := range registry {
		events := &registry[i].Events
		if slices.Contains(events.Start, event) || slices.Contains(events.End, event) {
			return true
		}
	}
	return false
}

// toolUse is the decision of PreToolUse for Claude and Codex. Codex accepts no other key, and both run the
// tool if the event's name is missing.
type toolUse struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

// denyLikeClaude is the deny of Claude and Codex.
func denyLikeClaude(event, message string) any {
	if event == permissionEvent {
		return map[string]permissionRequest{"hookSpecificOutput": {permissionEvent, behavior{"deny", message}}}
	}
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

func denyDecision(_, message string) any {
	return map[string]string{"decision": "deny", "reason": message}
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
