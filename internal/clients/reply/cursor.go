package reply

// cursor is Cursor, by its documentation.
var cursor = Client{
	Name: Cursor, Agent: "cursor", Allow: Always, Ask: Never,
	Events: Events{
		Tool: []string{
			"beforeShellExecution", "beforeReadFile", "beforeTabFileRead", "beforeMCPExecution", "preToolUse",
		},
		Start: []string{"sessionStart"}, End: []string{"sessionEnd"},
		After: []string{"postToolUse", "postToolUseFailure", "afterMCPExecution", "afterShellExecution", "afterFileEdit"},
	},
	exits: true, answer: answerCursor, deny: denyCursor,
}

// answerCursor is the reply to Cursor, by its documentation. It never asks, since Cursor obeys ask only for
// some events.
func answerCursor(_ string, verdict Verdict, _ string) (body any, known bool) {
	if verdict == Allow {
		return map[string]string{"permission": "allow"}, true
	}
	return nil, false
}

func denyCursor(_, message string) any {
	return map[string]any{"permission": "deny", "user_message": message, "agent_message": message}
}
