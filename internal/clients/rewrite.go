package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
)

// commandArgument names the command line in the arguments of every client's shell.
const commandArgument = "command"

// Line returns the command line of a call of the client's shell. known is false if there is none, or if
// several arguments could be it.
func (c *Client) Line(event *Event) (line string, known bool) {
	if event.Kind != ToolCall && event.Kind != Permission || event.Call.Protocol != "" ||
		!slices.Contains(c.Rewriting.Tools, event.Call.Tool) {
		return "", false
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(event.Call.Args, &args) != nil {
		return "", false
	}
	text := args[commandArgument]
	if len(text) == 0 || text[0] != '"' || json.Unmarshal(text, &line) != nil {
		return "", false
	}
	return line, line != ""
}

// Rewrites reports whether the client accepts another command line for an event, and whether its shell
// outlives the call.
func (c *Client) Rewrites(event *Event) (rewrites, lasting bool) {
	_, known := c.Line(event)
	return known && event.Kind == ToolCall && !event.Partial && event.Name == c.Rewriting.Event, c.Rewriting.Lasting
}

// Rewritten is the reply to an event whose call may run only with the line of the decision. If the client
// can't rewrite, the reply is a deny: the client would run the call's own line.
func (c *Client) Rewritten(event *Event, decision *v1.Decision, line string) reply.Reply {
	input, err := c.replace(event, decision, line)
	if err != nil {
		return reply.For(c.Name, event.Name, reply.Deny, Refusal("not_rewritten", err.Error()))
	}
	return reply.Rewritten(c.Name, event.Name, input, Explain(decision))
}

// replace is the call's arguments with another command line.
func (c *Client) replace(event *Event, decision *v1.Decision, line string) (json.RawMessage, error) {
	own, known := c.Line(event)
	if rewrites, _ := c.Rewrites(event); !known || !rewrites {
		return nil, fmt.Errorf("the call must run contained, and %s takes no other arguments for it", c.Name)
	}
	if line == "" || !runs(decision, own) {
		return nil, fmt.Errorf("the call must run contained, and its decision is for another command line")
	}
	return c.With(event, line)
}

// With returns the call's arguments with another command line.
func (c *Client) With(event *Event, line string) (json.RawMessage, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(event.Call.Args, &args); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	text, err := plainJSON(line)
	if err != nil {
		return nil, fmt.Errorf("write command line: %w", err)
	}
	args[commandArgument] = text
	return plainJSON(args)
}

// runs reports whether a decision's command runs a line. The changes of directory that the line
// begins with are the caller's, if it enters a directory.
func runs(decision *v1.Decision, line string) bool {
	if len(decision.Run) == 0 {
		return false
	}
	last := decision.Run[len(decision.Run)-1]
	return last == line || decision.Enter != "" && strings.HasSuffix(line, last)
}

// plainJSON keeps angle brackets as they are.
func plainJSON(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
