package reply

import "encoding/json"

// Rewritten is the reply that lets a tool run with other arguments. A client that isn't known to accept them
// gets a deny: it would run the tool with its own.
func Rewritten(client, event string, input json.RawMessage, reason string) Reply {
	known, found := ByName(client)
	if found && known.Rewrites() && event == known.Rewriting.Event && len(input) > 0 && input[0] == '{' {
		if body, err := encode(known.rewrite(input, reason)); err == nil {
			return Reply{Body: body}
		}
	}
	return For(client, event, Deny, "policyd: the call must run contained, and can't be rewritten for this client")
}

// rewriteLikeClaude is for Claude and Codex.
func rewriteLikeClaude(input json.RawMessage, reason string) any {
	type output struct {
		toolUse
		Input json.RawMessage `json:"updatedInput"`
	}
	return map[string]output{"hookSpecificOutput": {toolUse{"PreToolUse", "allow", reason}, input}}
}

func rewriteGemini(input json.RawMessage, _ string) any {
	type output struct {
		Event string          `json:"hookEventName"`
		Input json.RawMessage `json:"tool_input"`
	}
	return struct {
		decisionWord
		Output output `json:"hookSpecificOutput"`
	}{decisionWord{Decision: "allow"}, output{"BeforeTool", input}}
}

func rewriteCopilot(input json.RawMessage, reason string) any {
	return struct {
		Decision string          `json:"permissionDecision"`
		Reason   string          `json:"permissionDecisionReason"`
		Args     json.RawMessage `json:"modifiedArgs"`
	}{"allow", reason, input}
}

func rewriteOpenCode(input json.RawMessage, _ string) any {
	return struct {
		decisionWord
		Args json.RawMessage `json:"args"`
	}{decisionWord{Decision: "allow"}, input}
}
