package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/strict"
)

// Capabilities state what a host may advertise in a session. It is called concurrently.
type Capabilities interface {
	// without are modes that the asking host does not implement: a method in one of
	// them is not served to its agent.
	Capabilities(ctx context.Context, session *v1.Session, without ...string) v1.Capabilities
}

// Terminals know the owners of sessions' terminals. An error that wraps a *v1.CodedError is an answer to the
// caller. They are called concurrently.
type Terminals interface {
	Report(session string, report v1.TerminalReport, peers []v1.Peer) (v1.Terminal, error)
}

// capabilities states what a host may advertise to the agent of a session.
func (s *Server) capabilities(c echo.Context) error {
	query := readQuery(c.Request().URL)
	id := query.text("session")
	without := query.text("without", "self_handle", "single_pass_through", "collaborative", "unsafe_debug")
	if err := query.done(); err != nil {
		return err
	}
	if id == "" {
		return newProblem(http.StatusBadRequest, "invalid_request", "name the session: /v1/capabilities?session=…")
	}
	info, err := s.activeSession(c, id)
	if err != nil {
		return err
	}
	var capabilities v1.Capabilities
	if s.options.Capabilities != nil {
		capabilities = s.options.Capabilities.Capabilities(c.Request().Context(), &info.Session, without)
	}
	return answer(c, &capabilities)
}

// activeSession is a session of the caller's that has not ended.
func (s *Server) activeSession(c echo.Context, id string) (v1.SessionInfo, error) {
	info, err := s.options.Sessions.Session(c.Request().Context(), id, callerOf(c))
	if err != nil {
		return info, refused(err)
	}
	if info.State != v1.SessionActive {
		return info, newProblem(http.StatusGone, "session_archived", "session "+quoted(id)+" has ended; register it again")
	}
	return info, nil
}

// reportTerminal handles the name that a peer gave a terminal.
func (s *Server) reportTerminal(c echo.Context) error {
	id, err := sessionID(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	report, err := readBody(s, c, strict.Decode[v1.TerminalReport])
	if err != nil {
		return err
	}
	if report.TerminalID == "" || report.DecisionID == "" {
		return newProblem(http.StatusBadRequest, "invalid_value", "send terminal_id and decision_id, neither of them empty")
	}
	info, err := s.activeSession(c, id)
	if err != nil {
		return err
	}
	if s.options.Terminals == nil {
		return newProblem(http.StatusNotFound, "not_found", "no terminals are kept here")
	}
	terminal, err := s.options.Terminals.Report(id, *report, info.Peers)
	if err != nil {
		return refused(err)
	}
	return answerWith(c, http.StatusCreated, &terminal)
}
