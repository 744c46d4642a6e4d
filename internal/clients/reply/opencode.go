package reply

import "slices"

// openCode is OpenCode, by policyd's plugin.
var openCode = Client{
	Name: OpenCode, Agent: "opencode", Allow: Always, Ask: Always, AsksLater: true,
	Events: Events{
		Tool:       []string{"tool.execute.before"},
		Permission: []string{"permission.asked", "event-permission.asked", "permission.asked(bridge)"},
		Start:      []string{"session.created"}, End: []string{"session.deleted"}, After: []string{"tool.execute.after"},
	},
	Rewriting:   Rewriting{Event: "tool.execute.before", Tools: []string{"bash"}},
	Shell:       shellUnless(func(named string) bool { return slices.Contains([]string{"", "fish", "nu"}, named) }),
	SessionMeta: []string{"sessionID"},
	answer:      answerOpenCode, deny: denyDecision, rewrite: rewriteOpenCode,
}

// answerOpenCode is the reply to policyd's plugin for OpenCode, in policyd's own form. For a tool call, allow
// returns, deny throws with the reason, and ask returns only if OpenCode itself will ask its user. For
// permission.asked, allow answers once, deny rejects, and ask leaves the dialog to the user.
func answerOpenCode(_ string, verdict Verdict, reason string) (body any, known bool) {
	switch verdict {
	case Allow:
		return decisionWord{Decision: "allow"}, true
	case Ask, Nothing:
		return decisionWord{Decision: "ask", Reason: reason}, true
	case Deny:
	}
	return nil, false
}
