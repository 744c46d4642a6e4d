package reply

// copilot is the Copilot CLI: seen with 1.0.102.
var copilot = Client{
	Name: Copilot, Agent: "copilot-cli", Allow: OnWish, Ask: Always,
	Events: Events{
		Tool: []string{"preToolUse", "PreToolUse"}, Permission: []string{"permissionRequest", permissionEvent},
		Start: []string{"sessionStart", "SessionStart"}, End: []string{"sessionEnd", "SessionEnd"},
		After:    []string{"postToolUse", "PostToolUse", "postToolUseFailure", "PostToolUseFailure"},
		Launches: []string{"startup", "resume", "new"},
	},
	Rewriting: Rewriting{Event: "preToolUse", Tools: []string{"bash"}}, Shell: alwaysBash,
	answer: answerCopilot, deny: denyCopilot, rewrite: rewriteCopilot,
}

// answerCopilot is the reply to the Copilot CLI: tool calls as seen with 1.0.102, permissionRequest by its
// documentation. Its allow overrides the user's own rules, so the caller sends it only if the person chose
// so.
func answerCopilot(event string, verdict Verdict, reason string) (body any, known bool) {
	type answer struct {
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
	permission := event == "permissionRequest" || event == permissionEvent
	switch {
	case verdict == Nothing:
		return struct{}{}, true
	case verdict == Allow && permission:
		return map[string]string{"behavior": "allow"}, true
	case verdict == Allow:
		return answer{"allow", reason}, true
	case verdict == Ask && !permission:
		return answer{"ask", reason}, true
	}
	return nil, false
}

// denyCopilot also has the members of Claude's PreToolUse: Copilot accepts both.
func denyCopilot(event, message string) any {
	switch event {
	case "permissionRequest", permissionEvent:
		return behavior{"deny", message}
	case "PreToolUse":
		return map[string]any{
			"hookSpecificOutput": toolUse{"PreToolUse", "deny", message},
			"permissionDecision": "deny", "permissionDecisionReason": message,
		}
	}
	return map[string]string{"permissionDecision": "deny", "permissionDecisionReason": message}
}
