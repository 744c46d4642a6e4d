package clients

import "policyd/internal/clients/reply"

// gemini reads the payloads of the Gemini CLI: seen with 0.61.0. Its hooks don't
// fire in ACP mode.
func gemini() *Client {
	known := &names{
		tool: []string{"BeforeTool"}, start: []string{"SessionStart"}, end: []string{"SessionEnd"}, after: []string{"AfterTool"},
		launches: []string{"startup", "resume", "clear"},
	}
	type payload struct {
		snakePayload
		Server *struct {
			Name string `json:"server_name"`
		} `json:"mcp_context"`
	}
	return &Client{
		Name: reply.Gemini, Agent: "gemini-cli", allow: always, ask: attended,
		rewriting: rewriting{event: "BeforeTool", tools: []string{"run_shell_command"}},
		decode: func(data []byte) (Event, error) {
			p, err := decode[payload](data)
			if err != nil {
				return Event{}, err
			}
			event, err := p.event(known)
			if p.Server != nil {
				event.Call.Protocol = serverTool(event.Call.Tool, "mcp_")
			}
			return event, err
		},
	}
}
