package reply

// claude is Claude Code: seen with 2.1.328.
var claude = Client{
	Name: Claude, Agent: "claude-code", Allow: OnWish, Ask: Always,
	Events: Events{
		Tool: []string{"PreToolUse"}, Permission: []string{permissionEvent},
		Start: []string{"SessionStart"}, End: []string{"SessionEnd"},
		After:    []string{"PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionDenied"},
		Launches: []string{"startup", "resume"},
	},
	Rewriting: Rewriting{Event: "PreToolUse", Tools: []string{"Bash"}, Lasting: true},
	Shell:     claudeShell, SessionVariables: []string{"CLAUDE_CODE_SESSION_ID"}, ProjectVariables: []string{"CLAUDE_PROJECT_DIR"},
	answer: answerClaude, deny: denyLikeClaude, rewrite: rewriteLikeClaude,
}

// permissionEvent is the event that Claude and Codex send before they show their own dialog.
const permissionEvent = "PermissionRequest"

// answerClaude is the reply to Claude: seen with 2.1.328. The user's own rules override an allow of
// PreToolUse, but not one of PermissionRequest. An empty reply leaves the call to Claude.
func answerClaude(event string, verdict Verdict, reason string) (body any, known bool) {
	switch {
	case verdict == Nothing:
		return struct{}{}, true
	case verdict == Allow && event == permissionEvent:
		return allowPermission(), true
	case verdict == Allow:
		return map[string]toolUse{"hookSpecificOutput": {"PreToolUse", "allow", reason}}, true
	case verdict == Ask && event != permissionEvent:
		return map[string]toolUse{"hookSpecificOutput": {"PreToolUse", "ask", reason}}, true
	}
	return nil, false
}

// allowPermission answers the dialog of Claude and Codex with yes, this once.
func allowPermission() any {
	type allowed struct {
		Behavior string `json:"behavior"`
	}
	type output struct {
		Event    string  `json:"hookEventName"`
		Decision allowed `json:"decision"`
	}
	return map[string]output{"hookSpecificOutput": {permissionEvent, allowed{"allow"}}}
}
