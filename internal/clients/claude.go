package clients

import "policyd/internal/clients/reply"

// readClaude reads the payloads of Claude Code, from a command or an HTTP hook: seen with 2.1.328. The
// directory of a call follows the agent's `cd`. Only the directory of a session start is the launch's, and
// the hook program has CLAUDE_PROJECT_DIR.
func readClaude(events *reply.Events, data []byte) (Event, error) {
	type payload struct {
		snakePayload
		Server *struct {
			Name string `json:"name"`
		} `json:"mcp_server"`
	}
	p, err := decode[payload](data)
	if err != nil {
		return Event{}, err
	}
	event, err := p.event(events)
	if p.Server != nil {
		event.Call.Protocol = serverTool(event.Call.Tool, "mcp__")
	}
	return event, err
}
