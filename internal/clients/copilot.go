package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"policyd/internal/clients/reply"
	"policyd/internal/strict"
)

// copilotPayload is what the Copilot CLI sends in both of its spellings: seen with
// 1.0.102.
type copilotPayload struct {
	snakePayload
	HookName       string          `json:"hookName"`
	CamelSession   string          `json:"sessionId"`
	CamelAgent     string          `json:"agentId"`
	CamelParent    string          `json:"parentAgentId"`
	Parent         string          `json:"parent_agent_id"`
	CamelTool      string          `json:"toolName"`
	CamelArgs      json.RawMessage `json:"toolArgs"`
	CamelInput     json.RawMessage `json:"toolInput"`
	CamelResult    json.RawMessage `json:"toolResult"`
	Reason         string          `json:"reason"`
	InitialPrompts json.RawMessage `json:"initialPrompt"`
}

// readCopilot reads the payloads of the Copilot CLI.
func readCopilot(events *reply.Events, data []byte) (Event, error) {
	p, err := decode[copilotPayload](data)
	if err != nil {
		return Event{}, err
	}
	if err := p.join(); err != nil {
		return Event{Name: p.Event}, err
	}
	event, err := p.event(events)
	p.descend(&event)
	return event, err
}

// errSpellings: of two spellings of one thing Copilot would go by one, and policyd
// perhaps by the other.
var errSpellings = errors.New("the payload says one thing in two spellings")

// join maps the camel-case spelling to the other one.
func (p *copilotPayload) join() error {
	for _, pair := range []struct{ snake, camel *string }{
		{&p.Event, &p.HookName},
		{&p.SessionID, &p.CamelSession},
		{&p.Tool, &p.CamelTool},
		{&p.AgentID, &p.CamelAgent},
		{&p.Parent, &p.CamelParent},
	} {
		switch {
		case *pair.snake != "" && *pair.camel != "":
			return errSpellings
		case *pair.snake == "":
			*pair.snake = *pair.camel
		}
	}
	for _, args := range []json.RawMessage{p.CamelArgs, p.CamelInput} {
		switch {
		case len(args) == 0:
		case len(p.Input) > 0:
			return errSpellings
		default:
			p.Input = args
		}
	}
	if p.Event == "" {
		p.Event = p.guess()
	}
	// A question of the permission service has a slash between server and tool if the tool call has a dash.
	p.Tool = strings.Replace(p.Tool, "/", "-", 1)
	return p.unwrap()
}

// descend makes a sub-agent a session below the one that began it. A tool call of a sub-agent has the
// sub-agent's id as its session id. A question of the permission service has the root's. The ids of the
// sub-agent and of its parent are the same in both.
func (p *copilotPayload) descend(event *Event) {
	switch {
	case p.AgentID == "":
	case p.Parent != "" && p.Parent != p.AgentID:
		event.SessionID, event.AgentID, event.ParentID = p.AgentID, "", p.Parent
	case p.AgentID == event.SessionID:
		event.AgentID = "" // the payload doesn't contain its parent
	}
}

// guess names the event of a camel-case payload, which carries no name.
func (p *copilotPayload) guess() string {
	switch {
	case len(p.CamelResult) > 0:
		return "postToolUse"
	case p.Tool != "" || len(p.Input) > 0:
		return "preToolUse"
	case p.Source != "":
		return "sessionStart"
	case p.Reason != "":
		return "sessionEnd"
	}
	return ""
}

// unwrap decodes arguments that are an object inside a string, as older versions send them, or a text of
// their own. A tool without arguments may have none.
func (p *copilotPayload) unwrap() error {
	if p.Tool != "" && (len(p.Input) == 0 || string(p.Input) == "null") {
		p.Input = json.RawMessage("{}")
	}
	if len(p.Input) == 0 || p.Input[0] != '"' {
		return nil
	}
	var text string
	if err := json.Unmarshal(p.Input, &text); err != nil {
		return fmt.Errorf("the arguments of the tool %q can't be read: %w", p.Tool, err)
	}
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	args, err := strict.DecodeForeign[map[string]json.RawMessage]([]byte(text))
	switch argument := copilotFreeform[p.Tool]; {
	case err == nil && *args != nil:
		p.Input = json.RawMessage(strings.TrimSpace(text))
		return nil
	case argument != "":
		p.Input, err = json.Marshal(map[string]json.RawMessage{argument: p.Input})
		return err
	}
	return fmt.Errorf("the arguments of the tool %q are a text that holds no object", p.Tool)
}

// copilotFreeform are the tools that some models, those of GPT, call with a text in the place of arguments,
// and the argument that the text is.
var copilotFreeform = map[string]string{"apply_patch": "input"}
