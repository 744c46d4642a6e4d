package reply

import "encoding/json"

// Rewritten is the reply that lets a tool run with other arguments than its own. A client
// that isn't known to take them is denied: it would run the tool with its own.
func Rewritten(client, event string, input json.RawMessage, reason string) Reply {
	var made any
	switch {
	case (client == Claude || client == Codex) && event == "PreToolUse":
		type output struct {
			toolUse
			Input json.RawMessage `json:"updatedInput"`
		}
		made = map[string]output{"hookSpecificOutput": {toolUse{"PreToolUse", "allow", reason}, input}}
	case client == Gemini && event == "BeforeTool":
		type output struct {
			Event string          `json:"hookEventName"`
			Input json.RawMessage `json:"tool_input"`
		}
		made = struct {
			decisionWord
			Output output `json:"hookSpecificOutput"`
		}{decisionWord{Decision: "allow"}, output{"BeforeTool", input}}
	case client == Copilot && event == "preToolUse":
		made = struct {
			Decision string          `json:"permissionDecision"`
			Reason   string          `json:"permissionDecisionReason"`
			Args     json.RawMessage `json:"modifiedArgs"`
		}{"allow", reason, input}
	case client == OpenCode && event == "tool.execute.before":
		made = struct {
			decisionWord
			Args json.RawMessage `json:"args"`
		}{decisionWord{Decision: "allow"}, input}
	}
	if body, err := encode(made); err == nil && made != nil && len(input) > 0 && input[0] == '{' {
		return Reply{Body: body}
	}
	return For(client, event, Deny, "policyd: the call must run contained, and can't be rewritten for this client")
}
