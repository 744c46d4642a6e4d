package clients

import (
	"fmt"
	"net/url"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
)

// Client is one agent program: the form of its payloads, and the replies that it accepts. It may be used
// concurrently.
type Client struct {
	*reply.Client
	decode reader
}

// reader reads the payloads of a client by the names of its events.
type reader func(events *reply.Events, data []byte) (Event, error)

// readers are those of the clients whose payloads don't have the common form.
var readers = map[string]reader{
	reply.Claude: readClaude, reply.Gemini: readGemini, reply.OpenCode: readOpenCode, reply.Copilot: readCopilot, reply.Cursor: readCursor,
}

// ByName returns a client by its name in the address.
func ByName(name string) (*Client, bool) {
	known, found := reply.ByName(name)
	if !found {
		return nil, false
	}
	read, own := readers[name]
	if !own {
		read = readSnake
	}
	return &Client{Client: known, decode: read}, true
}

// Decode reads a payload, without a byte order mark. The error states what is wrong with it, for a person;
// the event then has no kind, and the name that the payload gave it if that could be read.
func (c *Client) Decode(data []byte) (Event, error) {
	event, err := c.decode(&c.Events, data)
	if err != nil {
		event.Kind = Unknown
		return event, err
	}
	return event, nil
}

// Terms are the host's settings for replies to a client.
type Terms struct {
	// AutoApprove is true if the person chose at installation that an allow is sent although it overrides
	// their own rules.
	AutoApprove bool
	// Attended is true if a person is there to answer.
	Attended bool
}

func (t Terms) meets(condition reply.When) bool {
	switch condition {
	case reply.Always:
		return true
	case reply.OnWish:
		return t.AutoApprove
	case reply.Attended:
		return t.Attended
	case reply.Never:
	}
	return false
}

// Holdable reports whether holding an event for an answer is useful. It isn't if the answer would not be
// sent.
func (c *Client) Holdable(event *Event, terms Terms) bool {
	return event.Kind == ToolCall || event.Kind == Permission && terms.AutoApprove
}

// Delegates reports whether the client's own dialog asks about an event that isn't held (A9).
func (c *Client) Delegates(event *Event, terms Terms) bool {
	switch event.Kind {
	case ToolCall:
		return terms.meets(c.Ask)
	case Permission:
		return true
	case Unknown, Start, End, Other:
	}
	return false
}

// Verdict returns the reply for a decided event. The client's dialog handles only a delegated prompt. An
// allow of a partial event is left to the client, since the tool may get more arguments.
func (c *Client) Verdict(event *Event, decision *v1.Decision, terms Terms) reply.Verdict {
	if event.Kind != ToolCall && event.Kind != Permission {
		return reply.Deny
	}
	switch decision.Effect {
	case v1.EffectAllow:
		return c.allowed(event, terms)
	case v1.EffectPrompt:
		delegated := decision.Prompt != nil && decision.Prompt.State == v1.PromptDelegated
		switch {
		case event.Partial, delegated && event.Kind == Permission:
			return reply.Nothing
		case delegated:
			return reply.Ask
		}
	case v1.EffectDeny:
	}
	return reply.Deny
}

// allowed returns the reply for an event that is allowed.
func (c *Client) allowed(event *Event, terms Terms) reply.Verdict {
	condition := c.Allow
	if event.Kind == Permission {
		condition = reply.OnWish
	}
	if !event.Partial && terms.meets(condition) {
		return reply.Allow
	}
	return reply.Nothing
}

// Settled returns the reply to a question about a call that was decided before with the given effect, whole.
func (c *Client) Settled(event *Event, effect v1.Effect, terms Terms) reply.Verdict {
	whole := *event
	whole.Partial = false
	prompt := &v1.Prompt{State: v1.PromptDelegated}
	return c.Verdict(&whole, &v1.Decision{Effect: effect, Prompt: prompt}, terms)
}

// SessionID builds the name of a client's session, or of a sub-agent in it. The name is valid in an address,
// and no two sessions share one.
func (c *Client) SessionID(event *Event) string {
	return c.Agent + ":" + url.QueryEscape(event.SessionID)
}

// ChildID is SessionID for the sub-agent of an event, empty for none.
func (c *Client) ChildID(event *Event) string {
	if event.AgentID == "" {
		return ""
	}
	return fmt.Sprintf("%s:%s", c.SessionID(event), url.QueryEscape(event.AgentID))
}
