package clients

import "policyd/internal/clients/reply"

// readGemini reads the payloads of the Gemini CLI: seen with 0.61.0.
func readGemini(events *reply.Events, data []byte) (Event, error) {
	type payload struct {
		snakePayload
		Server *struct {
			Name string `json:"server_name"`
		} `json:"mcp_context"`
	}
	p, err := decode[payload](data)
	if err != nil {
		return Event{}, err
	}
	event, err := p.event(events)
	if p.Server != nil {
		event.Call.Protocol = serverTool(event.Call.Tool, "mcp_")
	}
	return event, err
}
