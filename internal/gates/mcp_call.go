package gates

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"policyd/internal/jsonrpc"
)

// Methods of MCP that the gate handles.
const (
	methodCall      = "tools/call"
	methodCancelled = "notifications/cancelled"
)

// The policy sees a server's tool under this name.
const (
	toolPrefix    = "mcp__"
	toolSeparator = "__"
)

// CheckServerName refuses names of servers that could be read as another server's name and the beginning of a
// tool's name.
func CheckServerName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the server has no name")
	case strings.Contains(name, toolSeparator), strings.HasSuffix(name, "_"), strings.HasPrefix(name, "_"):
		return fmt.Errorf("the server's name %q begins or ends with %q or holds %q, which separates it from its tools", name, "_", toolSeparator)
	case strings.ContainsFunc(name, func(r rune) bool { return r == '/' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }):
		return fmt.Errorf("the server's name %q holds slashes, white space or invisible characters", name)
	}
	return nil
}

// called is the tool that a message calls.
type called struct {
	name      string
	arguments json.RawMessage
}

// callParams are the members of a call's params, by whether policy decides by
// them. A member that isn't known could change what the call does.
var callParams = map[string]bool{
	"name": true, "arguments": true, "_meta": false, "task": false, "inputResponses": false, "requestState": false,
}

// toolCall parses a call of a tool, nil for any other message. A message that some server could read as a
// call, and that isn't exactly one, is a fault.
func toolCall(m *jsonrpc.Message) (*called, *jsonrpc.FaultError) {
	if m.Method != methodCall {
		if jsonrpc.Fold(m.Method) == foldedCall {
			return nil, &jsonrpc.FaultError{
				Code: jsonrpc.CodeUnknownMethod, ID: m.ID, Message: fmt.Sprintf("the method %q is nearly %s", m.Method, methodCall),
			}
		}
		return nil, nil
	}
	wrong := func(format string, values ...any) (*called, *jsonrpc.FaultError) {
		return nil, &jsonrpc.FaultError{Code: jsonrpc.CodeInvalidParams, ID: m.ID, Message: methodCall + ": " + fmt.Sprintf(format, values...)}
	}
	if m.Kind != jsonrpc.Request {
		return wrong("the call has no id, so it can't be answered")
	}
	members, err := jsonrpc.Object(m.Params)
	if err != nil {
		return wrong("params are no object")
	}
	out := called{arguments: json.RawMessage("{}")}
	for _, member := range members {
		if _, known := callParams[member.Name]; !known {
			return wrong("params hold %q, which policy doesn't know", member.Name)
		}
		switch member.Name {
		case "name":
			name, ok := jsonrpc.Text(member.Value)
			if !ok {
				return wrong("the tool's name is no text")
			}
			out.name = name
		case "arguments":
			if member.Value[0] != '{' {
				return wrong("arguments are no object")
			}
			out.arguments = member.Value
		}
	}
	if out.name == "" {
		return wrong("no tool is named")
	}
	return &out, nil
}

var foldedCall = jsonrpc.Fold(methodCall)

// cancelledID is the id of the request that a cancellation means, as it was written.
func cancelledID(m *jsonrpc.Message) string {
	members, err := jsonrpc.Object(m.Params)
	if err != nil {
		return ""
	}
	for _, member := range members {
		if member.Name == "requestId" {
			return string(member.Value)
		}
	}
	return ""
}

// toolError answers a call in the form of a failed tool, so that the model reads the reason.
func toolError(id []byte, text string) ([]byte, error) {
	return jsonrpc.Result(id, &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}})
}
