package reply

// openCode is what policyd's plugin for OpenCode is told; the shape is policyd's
// own. Of a tool call: allow returns, deny throws with the reason, and ask returns
// only where OpenCode will ask its user by itself. Of permission.asked: allow
// answers once, deny rejects, and ask leaves the dialog to the user.
func openCode(verdict Verdict, reason string) (body any, known bool) {
	switch verdict {
	case Allow:
		return decisionWord{Decision: "allow"}, true
	case Ask, Nothing:
		return decisionWord{Decision: "ask", Reason: reason}, true
	case Deny:
	}
	return nil, false
}
