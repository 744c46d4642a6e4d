package reply

import "slices"

// codex is Codex: seen with 0.169.0. The directory of a call is its working directory and
// follows the call's own argument, so it is never a project (P14).
var codex = Client{
	Name: Codex, Agent: "codex", Allow: Never, Ask: Never,
	Events: Events{
		Tool: []string{"PreToolUse"}, Permission: []string{permissionEvent},
		Start: []string{"SessionStart"}, End: []string{"SessionEnd"}, After: []string{"PostToolUse"},
		Launches: []string{"startup", "resume", "clear"},
	},
	Rewriting:   Rewriting{Event: "PreToolUse", Tools: []string{"Bash"}},
	Shell:       shellUnless(func(named string) bool { return !slices.Contains([]string{"bash", "zsh", "sh", "pwsh"}, named) }),
	SessionMeta: []string{"sessionId", "threadId"},
	answer:      answerCodex, deny: denyLikeClaude, rewrite: rewriteLikeClaude,
}

// answerCodex is the reply to Codex: seen with 0.169.0. For a tool it knows deny alone. An ask, or an allow
// without another command line (see Rewritten), makes the hook fail and the call run, so allow is an empty
// reply.
func answerCodex(event string, verdict Verdict, _ string) (body any, known bool) {
	switch {
	case verdict == Nothing, verdict == Allow && event != permissionEvent:
		return struct{}{}, true
	case verdict == Allow:
		return allowPermission(), true
	}
	return nil, false
}
