package reply

// copilot is what the Copilot CLI is told: tool calls as seen with 1.0.102,
// permissionRequest by its documentation. Its allow beats the user's own rules,
// so the caller says it only on the person's wish.
func copilot(event string, verdict Verdict, reason string) (body any, known bool) {
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
