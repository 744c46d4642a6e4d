package reply

// gemini is the Gemini CLI: seen with 0.61.0. Its hooks don't fire in ACP mode.
var gemini = Client{
	Name: Gemini, Agent: "gemini-cli", Allow: Always, Ask: Attended,
	Events: Events{
		Tool: []string{"BeforeTool"}, Start: []string{"SessionStart"}, End: []string{"SessionEnd"}, After: []string{"AfterTool"},
		Launches: []string{"startup", "resume", "clear"},
	},
	Rewriting: Rewriting{Event: "BeforeTool", Tools: []string{"run_shell_command"}}, Shell: alwaysBash,
	answer: answerGemini, deny: denyDecision, rewrite: rewriteGemini,
}

// answerGemini is the reply to the Gemini CLI: seen with 0.61.0. Ask blocks forever in an unattended session;
// the caller knows whether it is one. An empty reply runs the tool, so a tool call always gets a decision.
func answerGemini(_ string, verdict Verdict, reason string) (body any, known bool) {
	switch verdict {
	case Allow:
		return decisionWord{Decision: "allow"}, true
	case Ask:
		return decisionWord{Decision: "ask", Reason: reason}, true
	case Deny, Nothing:
	}
	return nil, false
}
