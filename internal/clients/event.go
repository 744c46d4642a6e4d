package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
	"policyd/internal/strict"
)

// Kind is the meaning of a client's event. The zero value can only be denied.
type Kind uint8

// The kinds of events.
const (
	Unknown Kind = iota
	// ToolCall is a tool that is about to run.
	ToolCall
	// Permission is a client that is about to ask its own user about a tool.
	Permission
	// Start and End are those of a session.
	Start
	End
	// Other decides nothing: the tool has run, or there is none.
	Other
)

// Event is one payload of a client's.
type Event struct {
	Kind Kind
	// Name is the client's own name of the event, which its reply has to fit.
	Name string
	// SessionID is the client's, and AgentID that of a sub-agent in it, empty for none.
	SessionID, AgentID string
	// ParentID is the client's session that started this one, empty for none.
	ParentID string
	// CallID is the client's id of the tool call, empty if the payload has none.
	CallID string
	// Call has tool, protocol, arguments and directory, and no session. It is set for ToolCall and
	// Permission, unless a question lacks the tool.
	Call v1.Call
	// Partial is true if the event contains less than the tool will get: it can be denied and never allowed.
	Partial bool
	// Launch are the directories that the launch of the client fixed, the project first; empty if the payload
	// has none that a model can't set (P14).
	Launch []string
}

// errTool and the like state what a payload lacks.
var (
	errNoTool    = errors.New("the payload names no tool")
	errNoSession = errors.New("the payload names no session")
	errNoEvent   = errors.New("the payload names no event")
)

// kindOf returns the meaning of an event. An unknown event with a tool is an error: the client may wait for
// its reply.
func kindOf(events *reply.Events, name string, namesTool bool) (Kind, error) {
	for _, known := range []struct {
		names []string
		kind  Kind
	}{
		{events.Tool, ToolCall}, {events.Permission, Permission}, {events.Start, Start}, {events.End, End}, {events.After, Other},
	} {
		if slices.Contains(known.names, name) {
			return known.kind, nil
		}
	}
	switch {
	case name == "":
		return Unknown, errNoEvent
	case namesTool:
		return Unknown, fmt.Errorf("policyd doesn't know the event %q, and it names a tool", name)
	}
	return Other, nil
}

// snakePayload is what Claude and those that follow it send.
type snakePayload struct {
	Event     string          `json:"hook_event_name"`
	SessionID string          `json:"session_id"`
	AgentID   string          `json:"agent_id"`
	Cwd       string          `json:"cwd"`
	Source    string          `json:"source"`
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	CallID    string          `json:"tool_use_id"`
}

// readSnake reads the payloads of a client that sends only these keys.
func readSnake(events *reply.Events, data []byte) (Event, error) {
	p, err := decode[snakePayload](data)
	if err != nil {
		return Event{}, err
	}
	return p.event(events)
}

// event makes the event of a payload, with what is the same for all clients.
func (p *snakePayload) event(events *reply.Events) (Event, error) {
	out := Event{Name: p.Event, SessionID: p.SessionID, AgentID: p.AgentID, CallID: p.CallID}
	kind, err := kindOf(events, p.Event, p.Tool != "" || len(p.Input) > 0)
	if err != nil {
		return out, err
	}
	out.Kind = kind
	if kind != Other && p.SessionID == "" {
		return out, errNoSession
	}
	switch kind {
	case ToolCall, Permission:
		out.Call, err = callOf(p.Tool, p.Input, p.Cwd)
	case Start:
		if p.Cwd != "" && slices.Contains(events.Launches, p.Source) {
			out.Launch = []string{p.Cwd}
		}
	case Unknown, End, Other:
	}
	return out, err
}

// callOf makes the call of a tool whose arguments are an object.
func callOf(tool string, args json.RawMessage, cwd string) (v1.Call, error) {
	switch {
	case tool == "":
		return v1.Call{}, errNoTool
	case len(args) == 0 || string(args) == "null":
		return v1.Call{}, fmt.Errorf("the payload has no arguments of the tool %q", tool)
	case args[0] != '{':
		return v1.Call{}, fmt.Errorf("the arguments of the tool %q are no object", tool)
	}
	return v1.Call{Tool: tool, Args: args, Cwd: cwd}, nil
}

// decode reads a payload into the keys that are of interest.
func decode[T any](data []byte) (*T, error) {
	payload, err := strict.DecodeForeign[T](data)
	if err != nil {
		return nil, fmt.Errorf("the payload can't be read: %w", err)
	}
	return payload, nil
}
