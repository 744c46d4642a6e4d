package clients

import "policyd/internal/clients/reply"

// claude reads the payloads of Claude Code, from a command or an HTTP hook: seen
// with 2.1.328. The directory of a call follows the agent's `cd`; only the one of
// a session's start is the launch's, and the hook program knows
// CLAUDE_PROJECT_DIR.
func claude() *Client {
	known := &names{
		tool: []string{"PreToolUse"}, permission: []string{"PermissionRequest"},
		start: []string{"SessionStart"}, end: []string{"SessionEnd"},
		after:    []string{"PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionDenied"},
		launches: []string{"startup", "resume"},
	}
	type payload struct {
		snakePayload
		Server *struct {
			Name string `json:"name"`
		} `json:"mcp_server"`
	}
	return &Client{
		Name: reply.Claude, Agent: "claude-code", allow: onWish, ask: always,
		rewriting: rewriting{event: "PreToolUse", tools: []string{"Bash"}, lasting: true},
		decode: func(data []byte) (Event, error) {
			p, err := decode[payload](data)
			if err != nil {
				return Event{}, err
			}
			event, err := p.event(known)
			if p.Server != nil {
				event.Call.Protocol = serverTool(event.Call.Tool, "mcp__")
			}
			return event, err
		},
	}
}
