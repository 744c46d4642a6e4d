package clients

import (
	"encoding/json"
	"fmt"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
	"policyd/internal/strict"
)

// cursorPayload is what Cursor sends, by its documentation.
type cursorPayload struct {
	Event        string          `json:"hook_event_name"`
	Conversation string          `json:"conversation_id"`
	Roots        []string        `json:"workspace_roots"`
	Cwd          string          `json:"cwd"`
	Command      string          `json:"command"`
	URL          string          `json:"url"`
	File         string          `json:"file_path"`
	Tool         string          `json:"tool_name"`
	Input        json.RawMessage `json:"tool_input"`
	CallID       string          `json:"tool_use_id"`
}

// Events of Cursor's that each describe a call in their own form.
const (
	cursorShell   = "beforeShellExecution"
	cursorRead    = "beforeReadFile"
	cursorTabRead = "beforeTabFileRead"
	cursorMCP     = "beforeMCPExecution"
	cursorTool    = "preToolUse"
)

// readCursor reads the payloads of Cursor. Every one names the roots of the
// workspace, which a person opened.
func readCursor(events *reply.Events, data []byte) (Event, error) {
	p, err := decode[cursorPayload](data)
	if err != nil {
		return Event{}, err
	}
	return p.event(events)
}

func (p *cursorPayload) event(events *reply.Events) (Event, error) {
	out := Event{Name: p.Event, SessionID: p.Conversation, CallID: p.CallID}
	kind, err := kindOf(events, p.Event, p.Tool != "" || p.Command != "" || p.File != "" || len(p.Input) > 0)
	if err != nil {
		return out, err
	}
	out.Kind = kind
	if kind != Other && p.Conversation == "" {
		return out, errNoSession
	}
	for _, root := range p.Roots {
		if root != "" {
			out.Launch = append(out.Launch, root)
		}
	}
	if kind == ToolCall {
		out.Call, err = p.call()
	}
	return out, err
}

func (p *cursorPayload) call() (v1.Call, error) {
	switch p.Event {
	case cursorShell:
		if p.Command == "" {
			return v1.Call{}, fmt.Errorf("the payload of %s names no command", p.Event)
		}
		return textCall("Shell", "command", p.Command, p.Cwd)
	case cursorRead, cursorTabRead:
		if p.File == "" {
			return v1.Call{}, fmt.Errorf("the payload of %s names no file_path", p.Event)
		}
		return textCall("Read", "file_path", p.File, p.Cwd)
	case cursorMCP:
		return p.serverCall()
	}
	tool, ofServer := strings.CutPrefix(p.Tool, "MCP:")
	call, err := callOf(tool, p.Input, p.Cwd)
	if ofServer {
		call.Protocol = protocolMCP
	}
	return call, err
}

func textCall(tool, argument, text, cwd string) (v1.Call, error) {
	args, err := json.Marshal(map[string]string{argument: text})
	if err != nil {
		return v1.Call{}, err
	}
	return v1.Call{Tool: tool, Args: args, Cwd: cwd}, nil
}

// serverCall makes the call of an MCP server's tool. The payload lacks the server's name, so its address or
// command line identifies it: an approval for a tool must not apply to another server's.
func (p *cursorPayload) serverCall() (v1.Call, error) {
	args := p.Input
	if len(args) > 0 && args[0] == '"' {
		var text string
		if err := json.Unmarshal(args, &text); err != nil {
			return v1.Call{}, err
		}
		object, err := strict.DecodeForeign[map[string]json.RawMessage]([]byte(text))
		if err != nil || *object == nil {
			return v1.Call{}, fmt.Errorf("the arguments of the tool %q are a text that holds no object", p.Tool)
		}
		args = json.RawMessage(strings.TrimSpace(text))
	}
	call, err := callOf(p.Tool, args, p.Cwd)
	server := p.URL
	if server == "" {
		server = p.Command
	}
	call.Protocol = protocolMCP
	if server != "" && p.Tool != "" {
		call.Tool = "mcp__" + separatorSafe(server) + "__" + p.Tool
	}
	return call, err
}

// separatorSafe keeps a server's name from ending early, and two names apart.
func separatorSafe(server string) string {
	server = strings.NewReplacer("%", "%25", "__", "_%5F").Replace(server)
	if rest, found := strings.CutSuffix(server, "_"); found {
		return rest + "%5F"
	}
	return server
}
