package gates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
	"policyd/internal/pep"
)

// MCPOptions configure an MCP gate and its server.
type MCPOptions struct {
	Client pep.Transport // required
	// Server is the name that approvals of its tools are kept by; see CheckServerName.
	Server string
	// Session is the session of the calls. A Joined one belongs to another program; any other is registered,
	// and archived when the gate ends.
	Session v1.Session
	Joined  bool
	// Cwd is the directory that the server runs in.
	Cwd string
	// Hold is how long a call waits for a person.
	Hold time.Duration
	// Note shows a message to the person who runs the gate.
	Note func(text string)
	// Limit bounds messages, in bytes; MaxLine unless set.
	Limit int
}

// MCP is a gate before one MCP server. It runs once.
type MCP struct {
	relay
	options MCPOptions
	sidecar *pep.Sidecar
	session *own
}

// NewMCP returns a gate.
func NewMCP(options MCPOptions) (*MCP, error) {
	if options.Client == nil || options.Note == nil {
		return nil, errors.New("make gate: a collaborator is missing")
	}
	if err := CheckServerName(options.Server); err != nil {
		return nil, err
	}
	if options.Limit <= 0 {
		options.Limit = MaxLine
	}
	side := pep.New(options.Client)
	g := &MCP{
		options: options, sidecar: side,
		session: &own{sidecar: side, session: options.Session, joined: options.Joined, note: options.Note},
	}
	g.relay = relay{note: options.Note, limit: options.Limit, fromHost: g.take}
	return g, nil
}

// Run starts the server and precedes it until one side ends or ctx does. It returns the server's exit status.
func (g *MCP) Run(ctx context.Context, argv []string, streams Streams) (int, error) {
	code, err := g.run(ctx, argv, streams)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	g.session.end(leaving)
	return code, err
}

// take forwards a line of the client, unless it is a tool call that isn't allowed.
func (g *MCP) take(ctx context.Context, line []byte) error {
	messages, batch, err := jsonrpc.Read(line)
	var fault *jsonrpc.FaultError
	if errors.As(err, &fault) {
		return g.refuse(fault, g.toHost)
	}
	if batch {
		return g.takeBatch(ctx, line, messages)
	}
	for i := range messages { // one, or none on a blank line
		called, fault := toolCall(&messages[i])
		switch {
		case fault != nil:
			return g.refuse(fault, g.toHost)
		case called != nil:
			return g.takeCall(ctx, line, messages[i].ID, called)
		case messages[i].Method == methodCancelled:
			g.held.cancel(cancelledID(&messages[i]))
		}
	}
	return g.pass(line)
}

func (g *MCP) pass(line []byte) error {
	if _, err := g.toChild.Write(line); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("pass message on: %w", err)
	}
	return nil
}

// takeCall decides one call. A call that has to wait for a person is set aside, so that it doesn't block
// those after it.
func (g *MCP) takeCall(ctx context.Context, line, id []byte, called *called) error {
	call, decision, err := g.decide(ctx, called)
	if err == nil && decision.Effect == v1.EffectPrompt && g.options.Hold > 0 {
		// The line is only lent.
		line, id, call.Args = clone(line), clone(id), clone(call.Args)
		g.held.start(ctx, string(id), func(ctx context.Context, request *waiting) {
			decision, err := g.sidecar.Await(ctx, call, decision, g.options.Hold)
			err = g.held.finish(request, func() error { return g.conclude(line, id, decision, err) })
			if err != nil {
				g.note(fmt.Sprintf("a call could not be answered: %v", err))
			}
		})
		return nil
	}
	return g.conclude(line, id, decision, err)
}

func clone(text []byte) []byte { return append([]byte{}, text...) }

// conclude passes a call on that was allowed, and answers any other.
func (g *MCP) conclude(line, id []byte, decision *v1.Decision, err error) error {
	if err == nil && decision.Effect == v1.EffectAllow {
		return g.pass(line)
	}
	text := ""
	if err != nil {
		text = because(err)
	} else {
		text = explain(decision)
	}
	answer, err := toolError(id, text)
	if err != nil {
		return err
	}
	return g.toHost.Put(answer)
}

// decide asks for one call without waiting for a person.
func (g *MCP) decide(ctx context.Context, called *called) (*v1.Call, *v1.Decision, error) {
	session, err := g.session.current(ctx)
	if err != nil {
		return nil, nil, err
	}
	call := &v1.Call{
		Tool: toolPrefix + g.options.Server + toolSeparator + called.name, Protocol: "mcp",
		Args: called.arguments, Cwd: g.options.Cwd, Session: session,
	}
	decision, err := g.sidecar.Decide(ctx, call)
	return call, decision, err
}
