package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/strict"
)

// Runs are calls that were allowed to run contained. Errors wrap a *v1.CodedError. They are called
// concurrently.
type Runs interface {
	// Claim spends a decision for what is about to be run.
	Claim(ctx context.Context, id string, claim *v1.RunClaim, caller v1.Caller) (v1.RunGranted, error)
	// Report keeps what containment refused of a run that was claimed.
	Report(id string, report *v1.RunReport, caller v1.Caller) error
	// Began is called when a client begins or resumes a session.
	Began(session string)
}

func (s *Server) routeRuns(group *echo.Group) {
	group.POST("/:id/claim", s.claimRun, requireJSON)
	group.POST("/:id/report", s.reportRun, requireJSON)
}

// claimRun answers the program that is about to run a call with what it has to enforce.
func (s *Server) claimRun(c echo.Context) error {
	id, claim, err := runBody[v1.RunClaim](s, c)
	if err != nil {
		return err
	}
	if (len(claim.Argv) == 0) != claim.AsDecided || claim.Cwd == "" {
		return newProblem(http.StatusBadRequest, "invalid_value", "send argv and cwd, neither of them empty; as_decided replaces argv")
	}
	granted, err := s.options.Runs.Claim(c.Request().Context(), id, claim, callerOf(c))
	if err != nil {
		return refused(err)
	}
	return answer(c, &granted)
}

// reportRun notes what a contained run was not let do.
func (s *Server) reportRun(c echo.Context) error {
	id, report, err := runBody[v1.RunReport](s, c)
	if err != nil {
		return err
	}
	if err := s.options.Runs.Report(id, report, callerOf(c)); err != nil {
		return refused(err)
	}
	return c.NoContent(http.StatusNoContent)
}

// runBody reads a request about a run: the decision's id and the body.
func runBody[T any](s *Server, c echo.Context) (id string, body *T, err error) {
	if id, err = pathValue(c, "id"); err != nil {
		return "", nil, err
	}
	if err := plainQuery(c); err != nil {
		return "", nil, err
	}
	if body, err = readBody(s, c, strict.Decode[T]); err != nil {
		return "", nil, err
	}
	if s.options.Runs == nil {
		return "", nil, newProblem(http.StatusNotFound, "run_not_found", "nothing is run contained here")
	}
	return id, body, nil
}
