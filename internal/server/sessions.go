package server

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/strict"
)

// sessionID reads the id in the path of a request.
func sessionID(c echo.Context) (string, error) {
	id, err := pathValue(c, "id")
	if err != nil {
		return "", err
	}
	if fault := strict.SessionIDFault(id); fault != "" || id == "" {
		if id == "" {
			fault = "empty"
		}
		return "", newProblem(http.StatusBadRequest, "invalid_session_id", "the session id "+quoted(id)+" can't be one: "+fault)
	}
	return id, nil
}

// pathValue reads a segment of the path as it was meant.
func pathValue(c echo.Context, name string) (string, error) {
	raw := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return raw, nil // it is decoded already
	}
	value, err := url.PathUnescape(raw)
	if err != nil {
		return "", newProblem(http.StatusBadRequest, "malformed_path", "the path holds "+quoted(raw)+", which can't be read")
	}
	return value, nil
}

// putSession registers a session. The body may leave its id out.
func (s *Server) putSession(c echo.Context) error {
	id, err := sessionID(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	session, err := readBody(s, c, strict.DecodeSession)
	if err != nil {
		return err
	}
	if session.ID != "" && session.ID != id {
		return newProblem(http.StatusBadRequest, "invalid_value", "key /id: the body names "+quoted(session.ID)+" and the path "+quoted(id)+"; name one session")
	}
	session.ID = id
	info, created, err := s.options.Sessions.Register(c.Request().Context(), session, callerOf(c))
	if err != nil {
		return refused(err)
	}
	if created {
		return answerWith(c, http.StatusCreated, &info)
	}
	return answer(c, &info)
}

// listSessions shows an operator every session, and an agent its own.
func (s *Server) listSessions(c echo.Context) error {
	query := readQuery(c.Request().URL)
	after, limit := query.page()
	if err := query.done(); err != nil {
		return err
	}
	ctx, caller := c.Request().Context(), callerOf(c)
	list, next, err := s.options.Sessions.List(ctx, after, limit)
	if err != nil {
		return refused(err)
	}
	if !caller.Operator {
		list = slices.DeleteFunc(list, func(info v1.SessionInfo) bool {
			_, err := s.options.Sessions.Session(ctx, info.ID, caller)
			return err != nil
		})
	}
	return answer(c, &v1.SessionList{Sessions: list, Next: next})
}

func (s *Server) getSession(c echo.Context) error {
	id, err := sessionID(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	info, err := s.options.Sessions.Session(c.Request().Context(), id, callerOf(c))
	if err != nil {
		return refused(err)
	}
	return answer(c, &info)
}

func (s *Server) patchSession(c echo.Context) error {
	id, err := sessionID(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	patch, err := readBody(s, c, strict.Decode[v1.SessionPatch])
	if err != nil {
		return err
	}
	ctx, caller := c.Request().Context(), callerOf(c)
	switch {
	case (patch.AddDir == "") == (patch.ReadPaths == nil):
		return newProblem(http.StatusBadRequest, "invalid_value", "send one of add_dir and read_paths")
	case patch.AddDir != "":
		return s.addDirectory(c, id, patch.AddDir)
	}
	info, err := s.options.Sessions.KeepGrants(ctx, id, *patch.ReadPaths, caller)
	if err != nil {
		return refused(err)
	}
	return answer(c, &info)
}

func (s *Server) addDirectory(c echo.Context, id, dir string) error {
	response, err := s.options.Sessions.AddDirectory(c.Request().Context(), id, dir, callerOf(c))
	if err != nil {
		return refused(err)
	}
	if response.Prompt != nil {
		return answerWith(c, http.StatusAccepted, &response)
	}
	return answer(c, &response)
}

func (s *Server) deleteSession(c echo.Context) error {
	id, err := sessionID(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	if err := s.options.Sessions.Archive(c.Request().Context(), id, callerOf(c)); err != nil {
		return refused(err)
	}
	return c.NoContent(http.StatusNoContent)
}

// requestAccess holds its answer for the requested time.
func (s *Server) requestAccess(c echo.Context) error {
	id, err := sessionID(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	request, err := readBody(s, c, strict.Decode[v1.AccessRequest])
	if err != nil {
		return err
	}
	ctx, cancel, err := s.holdContext(c)
	if err != nil {
		return err
	}
	defer cancel()
	response, err := s.options.Sessions.RequestAccess(ctx, id, *request, callerOf(c))
	if err != nil {
		return refused(err)
	}
	return answer(c, &response)
}

// holder is whose grants a request is about: those of a session, or of an agent.
func holder(c echo.Context) (v1.Holder, error) {
	if c.Param("agent") != "" {
		agent, err := pathValue(c, "agent")
		return v1.Holder{Agent: agent}, err
	}
	id, err := sessionID(c)
	return v1.Holder{Session: id}, err
}

func (s *Server) listGrants(c echo.Context) error {
	who, err := holder(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	list, err := s.options.Sessions.ListGrants(c.Request().Context(), who)
	if err != nil {
		return refused(err)
	}
	return answer(c, &v1.GrantList{Grants: list})
}

func (s *Server) postGrant(c echo.Context) error {
	who, err := holder(c)
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	request, err := readBody(s, c, strict.Decode[v1.GrantRequest])
	if err != nil {
		return err
	}
	response, err := s.options.Sessions.Grant(c.Request().Context(), who, *request)
	if err != nil {
		return refused(err)
	}
	if response.Change == v1.ChangeNew {
		return answerWith(c, http.StatusCreated, &response)
	}
	return answer(c, &response)
}

func (s *Server) deleteGrant(c echo.Context) error {
	who, err := holder(c)
	if err != nil {
		return err
	}
	id, err := pathValue(c, "grant")
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	if err := s.options.Sessions.Revoke(c.Request().Context(), who, id); err != nil {
		return refused(err)
	}
	return c.NoContent(http.StatusNoContent)
}
