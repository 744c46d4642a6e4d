package clients

import "policyd/internal/clients/reply"

// codex reads the payloads of Codex: seen with 0.169.0. The directory of a call
// is its working directory and follows the call's own argument, so it is never a
// project (P14).
func codex() *Client {
	known := &names{
		tool: []string{"PreToolUse"}, permission: []string{"PermissionRequest"},
		start: []string{"SessionStart"}, end: []string{"SessionEnd"}, after: []string{"PostToolUse"},
		launches: []string{"startup", "resume", "clear"},
	}
	return &Client{
		Name: reply.Codex, Agent: "codex", allow: never, ask: never,
		rewriting: rewriting{event: "PreToolUse", tools: []string{"Bash"}},
		decode: func(data []byte) (Event, error) {
			p, err := decode[snakePayload](data)
			if err != nil {
				return Event{}, err
			}
			return p.event(known)
		},
	}
}
