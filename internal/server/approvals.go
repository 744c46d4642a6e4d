package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/strict"
)

func (s *Server) listApprovals(c echo.Context) error {
	query := readQuery(c.Request().URL)
	after, limit := query.page()
	if err := query.done(); err != nil {
		return err
	}
	list, next, err := s.options.Approvals.List(after, limit)
	if err != nil {
		return refused(err)
	}
	return answer(c, &v1.ApprovalList{Approvals: list, Next: next})
}

func (s *Server) postApproval(c echo.Context) error {
	if err := plainQuery(c); err != nil {
		return err
	}
	request, err := readBody(s, c, strict.DecodeApproval)
	if err != nil {
		return err
	}
	request.By = answerer(c, request.By)
	kept, changed, err := s.options.Approvals.Put(c.Request().Context(), *request)
	if err != nil {
		return refused(err)
	}
	if changed {
		return answerWith(c, http.StatusCreated, &kept)
	}
	return answer(c, &kept)
}

// importFactor is how many usual bodies an import may be long.
const importFactor = 8

func (s *Server) importApprovals(c echo.Context) error {
	if err := plainQuery(c); err != nil {
		return err
	}
	request, err := readBodyUpTo(c, importFactor*s.options.Limits.BodyBytes, strict.Decode[v1.ApprovalImport])
	if err != nil {
		return err
	}
	for i := range request.Approvals {
		request.Approvals[i].By = answerer(c, request.Approvals[i].By)
	}
	done, err := s.options.Approvals.Import(c.Request().Context(), *request)
	if err != nil {
		return refused(err)
	}
	return answer(c, &done)
}

func (s *Server) deleteApproval(c echo.Context) error {
	id, err := pathValue(c, "id")
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	if err := s.options.Approvals.Revoke(c.Request().Context(), id); err != nil {
		return refused(err)
	}
	return c.NoContent(http.StatusNoContent)
}
