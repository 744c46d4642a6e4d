package clients

import (
	"encoding/json"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
)

// openCodePayload is what policyd's plugin for OpenCode sends: seen with 1.18.33.
// Directory is the plugin's own, which the launch fixed.
type openCodePayload struct {
	Event     string `json:"hook_event_name"`
	Directory string `json:"directory"`
	Input     struct {
		Tool      string `json:"tool"`
		SessionID string `json:"sessionID"`
		CallID    string `json:"callID"`
	} `json:"input"`
	Output struct {
		Args json.RawMessage `json:"args"`
	} `json:"output"`
	Asked struct {
		Properties openCodeProperties `json:"properties"`
	} `json:"event"`
}

// openCodeProperties are those of an event: of a session, or of a question.
type openCodeProperties struct {
	openCodeAsked
	Info struct {
		ID       string `json:"id"`
		ParentID string `json:"parentID"`
	} `json:"info"`
}

// openCodeAsked is OpenCode's question to its user. It names a permission, which
// is mostly the tool's, and less than the tool's arguments.
type openCodeAsked struct {
	SessionID  string          `json:"sessionID"`
	Permission string          `json:"permission"`
	Patterns   []string        `json:"patterns"`
	Metadata   json.RawMessage `json:"metadata"`
	Tool       struct {
		CallID string `json:"callID"`
	} `json:"tool"`
}

// readOpenCode reads what policyd's plugin for OpenCode sends.
func readOpenCode(events *reply.Events, data []byte) (Event, error) {
	p, err := decode[openCodePayload](data)
	if err != nil {
		return Event{}, err
	}
	return p.event(events)
}

func (p *openCodePayload) event(events *reply.Events) (Event, error) {
	out := Event{Name: p.Event, SessionID: p.Input.SessionID, CallID: p.Input.CallID}
	kind, err := kindOf(events, p.Event, p.Input.Tool != "" || p.Asked.Properties.Permission != "")
	if err != nil {
		return out, err
	}
	out.Kind = kind
	switch properties := &p.Asked.Properties; kind {
	case Permission:
		out.SessionID, out.CallID = properties.SessionID, properties.Tool.CallID
	case Start, End:
		out.SessionID, out.ParentID = properties.Info.ID, properties.Info.ParentID
	case Unknown, ToolCall, Other:
	}
	if kind != Other && out.SessionID == "" {
		return out, errNoSession
	}
	if p.Directory != "" {
		out.Launch = []string{p.Directory}
	}
	switch kind {
	case ToolCall:
		out.Call, err = callOf(p.Input.Tool, p.Output.Args, p.Directory)
	case Permission:
		out.Partial = true
		if !openCodeOwn(p.Asked.Properties.Permission) {
			out.Call, err = p.Asked.Properties.call(p.Directory)
		}
	case Unknown, Start, End, Other:
	}
	return out, err
}

// openCodeOwn reports whether a permission is about how a tool is used and names
// none.
func openCodeOwn(permission string) bool {
	return permission == "external_directory" || permission == "doom_loop"
}

// call makes the call from the fields that the question has.
func (a *openCodeAsked) call(directory string) (v1.Call, error) {
	args := map[string]json.RawMessage{}
	if len(a.Metadata) > 0 {
		if err := json.Unmarshal(a.Metadata, &args); err != nil {
			return callOf(a.Permission, a.Metadata, directory)
		}
	}
	switch a.Permission {
	case "read", "edit":
		// The paths that are read are in the patterns alone.
		path, named := args["filepath"]
		if !named && len(a.Patterns) == 1 {
			text, err := json.Marshal(a.Patterns[0])
			if err != nil {
				return v1.Call{}, err
			}
			path = text
		}
		args = map[string]json.RawMessage{"filePath": path}
		if path == nil {
			args = map[string]json.RawMessage{}
		}
	}
	body, err := json.Marshal(args)
	if err != nil {
		return v1.Call{}, err
	}
	return callOf(a.Permission, body, directory)
}
