package gates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/coder/acp-go-sdk"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
	"policyd/internal/strict"
)

// texts are the members of an object that are texts.
func texts(object []byte) map[string]string {
	out := map[string]string{}
	members, err := jsonrpc.Object(object)
	if err != nil {
		return out
	}
	for _, member := range members {
		if text, ok := jsonrpc.Text(member.Value); ok {
			out[member.Name] = text
		}
	}
	return out
}

// expectSession stores a session that the client requests. Its directory is the project: the client is the
// host (P14).
func (g *ACP) expectSession(ctx context.Context, m *jsonrpc.Message) {
	params := texts(m.Params)
	template := g.template(params["cwd"])
	switch m.Method {
	case acp.AgentMethodSessionNew, acp.AgentMethodSessionFork:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.sessionRequests[string(m.ID)] = template
	case acp.AgentMethodSessionLoad, acp.AgentMethodSessionResume:
		// The agent may send requests before it responds.
		g.begin(ctx, params["sessionId"], template)
	case acp.AgentMethodSessionClose:
		g.mu.Lock()
		session := g.sessions[params["sessionId"]]
		delete(g.sessions, params["sessionId"])
		g.mu.Unlock()
		if session != nil {
			session.end(ctx)
		}
	}
}

// template is a session in a directory, without its id. The directory must be absolute.
func (g *ACP) template(cwd string) v1.Session {
	session := g.options.Session
	if filepath.IsAbs(cwd) {
		session.ProjectDir = cwd
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	session.Peers = g.peers
	return session
}

// madeSession registers the session in an agent's response, if the client requested one.
func (g *ACP) madeSession(ctx context.Context, m *jsonrpc.Message) {
	g.mu.Lock()
	template, asked := g.sessionRequests[string(m.ID)]
	delete(g.sessionRequests, string(m.ID))
	g.mu.Unlock()
	if !asked || m.Result == nil {
		return
	}
	g.begin(ctx, texts(m.Result)["sessionId"], template)
}

// begin stores and registers a session. The agent chooses the id: an id that it used before keeps its
// session.
func (g *ACP) begin(ctx context.Context, id string, template v1.Session) {
	if id == "" {
		return
	}
	g.mu.Lock()
	session, known := g.sessions[id]
	if !known {
		template.ID = sessionID(g.options.Session.ID, id)
		session = &own{sidecar: g.sidecar, session: template, note: g.note}
		g.sessions[id] = session
	}
	g.mu.Unlock()
	if _, err := session.current(ctx); err != nil {
		g.note(fmt.Sprintf("session %s: %v", id, err))
	}
}

// sessionID is policyd's id of an agent's session. It contains the id of the gate's run, so an agent can't
// choose the id of another session.
func sessionID(run, id string) string {
	whole := run + ":" + id
	if strict.SessionIDFault(whole) == "" {
		return whole
	}
	sum := sha256.Sum256([]byte(id))
	return run + ":" + hex.EncodeToString(sum[:16])
}

// sessionOf is the session of a request of the agent, nil if it isn't known.
func (g *ACP) sessionOf(params []byte) *own {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[texts(params)["sessionId"]]
}

// noteTerminal reports the client's name of a terminal to policyd, before the agent can use it (N5).
func (g *ACP) noteTerminal(ctx context.Context, m *jsonrpc.Message) {
	g.mu.Lock()
	made, asked := g.creating[string(m.ID)]
	delete(g.creating, string(m.ID))
	g.mu.Unlock()
	terminal := texts(m.Result)["terminalId"]
	if !asked || terminal == "" {
		return
	}
	report := v1.TerminalReport{TerminalID: terminal, DecisionID: made.decision, Peer: clientPeer}
	if err := g.sidecar.ReportTerminal(ctx, made.session, report); err != nil {
		g.note(fmt.Sprintf("terminal %s can't be used: %v", terminal, err))
	}
}
