package reply

// gemini is what the Gemini CLI is told: seen with 0.61.0. It hangs on ask where
// nobody is there, which the caller knows. What is not said runs the tool, so
// silence is no answer to a tool call.
func gemini(verdict Verdict, reason string) (body any, known bool) {
	switch verdict {
	case Allow:
		return decisionWord{Decision: "allow"}, true
	case Ask:
		return decisionWord{Decision: "ask", Reason: reason}, true
	case Deny, Nothing:
	}
	return nil, false
}
