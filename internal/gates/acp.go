package gates

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
	"policyd/internal/pep"
)

// ACPOptions configure an ACP gate.
type ACPOptions struct {
	Client pep.Transport // required
	// Session is what the sessions of the agent have in common. Its ID is that of this run of the gate;
	// theirs derive from it.
	Session v1.Session
	// Hold is how long a request waits for a person.
	Hold time.Duration
	// Note shows a message to the person who runs the gate.
	Note func(text string)
	// Limit bounds messages, in bytes; MaxLine unless set.
	Limit int
	// Launcher is the command line that runs a decision contained, without the decision's id. If it is empty,
	// the client's terminals stay as they are.
	Launcher []string
}

// ACP is a gate between one ACP client and one agent. It runs once.
type ACP struct {
	relay
	options ACPOptions
	sidecar *pep.Sidecar

	mu sync.Mutex
	// base represents the run before there is a session.
	base *own
	// sessions are the agent's, by its own ids.
	sessions map[string]*own
	// sessionRequests are requests of the client whose responses create a session, by their ids.
	sessionRequests map[string]v1.Session
	// creating are requests of the agent for terminals that the client has, by
	// their ids.
	creating map[string]creation
	// peers are the client, with what it can do.
	peers []v1.Peer
}

// creation is a terminal that was requested.
type creation struct{ session, decision string }

// NewACP returns a gate.
func NewACP(options ACPOptions) (*ACP, error) {
	if options.Client == nil || options.Note == nil || options.Session.ID == "" {
		return nil, errors.New("make gate: a collaborator is missing")
	}
	if options.Limit <= 0 {
		options.Limit = MaxLine
	}
	g := &ACP{
		options: options, sidecar: pep.New(options.Client), sessions: map[string]*own{}, sessionRequests: map[string]v1.Session{},
		creating: map[string]creation{}, peers: []v1.Peer{{ID: clientPeer}},
	}
	g.relay = relay{note: options.Note, limit: options.Limit, fromHost: g.takeFromClient, fromChild: g.takeFromAgent}
	return g, nil
}

// clientPeer is the name of the one client in the sessions of the gate.
const clientPeer = "client"

// Run starts the agent and relays its messages until one side ends or ctx does. It returns the agent's exit status.
func (g *ACP) Run(ctx context.Context, argv []string, streams Streams) (int, error) {
	code, err := g.run(ctx, argv, streams)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, session := range g.sessions {
		session.end(leaving)
	}
	if g.base != nil {
		g.base.end(leaving)
	}
	return code, err
}

// single reads a line with at most one message. ACP has no batches.
func single(line []byte) (*jsonrpc.Message, *jsonrpc.FaultError) {
	messages, batch, err := jsonrpc.Read(line)
	var fault *jsonrpc.FaultError
	switch {
	case errors.As(err, &fault):
		return nil, fault
	case batch:
		return nil, &jsonrpc.FaultError{Code: jsonrpc.CodeInvalidRequest, Message: "ACP has no batches; send one message on a line"}
	case len(messages) == 0:
		return &jsonrpc.Message{}, nil
	}
	return &messages[0], nil
}

// takeFromClient forwards a message of the client. The client is the host, which is trusted: its statements
// about sessions are stored, and its capabilities are cut to those that the policy serves.
func (g *ACP) takeFromClient(ctx context.Context, line []byte) error {
	m, fault := single(line)
	if fault != nil {
		return g.refuse(fault, g.toHost)
	}
	switch {
	case m.Kind == jsonrpc.Request && m.Method == acp.AgentMethodInitialize:
		line = g.advertise(ctx, line, m)
	case m.Kind == jsonrpc.Request:
		g.expectSession(ctx, m)
	case m.Kind == jsonrpc.Response:
		g.noteTerminal(ctx, m)
	}
	if _, err := g.toChild.Write(line); err != nil {
		return fmt.Errorf("pass message on: %w", err)
	}
	return nil
}

// takeFromAgent forwards a message of the agent, unless it is a request to the client that the policy has to
// allow.
func (g *ACP) takeFromAgent(ctx context.Context, line []byte) error {
	m, fault := single(line)
	if fault == nil {
		fault = gatedFault(m)
	}
	switch {
	case fault != nil:
		return g.refuse(fault, g.toChild)
	case m.Kind == jsonrpc.Request && gated(m.Method):
		return g.takeRequest(ctx, line)
	case m.Kind == jsonrpc.Response:
		g.madeSession(ctx, m)
	case m.Method == methodCancelRequest:
		g.held.cancel(cancelledID(m))
	}
	return g.toClient(line)
}

func (g *ACP) toClient(line []byte) error {
	if _, err := g.toHost.Write(line); err != nil {
		return fmt.Errorf("pass message on: %w", err)
	}
	return nil
}
