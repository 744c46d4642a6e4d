package server

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/goccy/go-json"
	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// problem is an error answer. Its decision is always deny.
type problem struct {
	v1.Problem
	Checks []Check `json:"checks,omitempty"`
}

// Error implements error.
func (p *problem) Error() string { return p.Code + ": " + p.Detail }

var _ error = (*problem)(nil)

func newProblem(status int, code, detail string) *problem {
	return &problem{Problem: v1.Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code, Decision: v1.EffectDeny,
	}}
}

// answerError writes any error as problem+json.
func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	answer := s.problemOf(err, c)
	if isHook(c.Request()) {
		if err := s.answerHookFault(answer, c); err != nil {
			s.options.Logger.Warn("write answer", "error", err)
		}
		return
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	if c.Request().Method == http.MethodHead {
		c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
		err = c.NoContent(answer.Status)
	} else {
		body, encodeErr := json.MarshalWithOption(answer, json.DisableHTMLEscape())
		if encodeErr != nil {
			body = []byte(`{"status":500,"code":"internal_error","decision":"deny"}`)
			answer.Status = http.StatusInternalServerError
		}
		err = c.Blob(answer.Status, "application/problem+json", body)
	}
	if err != nil {
		s.options.Logger.Warn("write answer", "error", err)
	}
}

func (s *Server) problemOf(err error, c echo.Context) *problem {
	var answer *problem
	if errors.As(err, &answer) {
		return answer
	}
	request := c.Request()
	var routing *echo.HTTPError
	if errors.As(err, &routing) {
		switch routing.Code {
		case http.StatusNotFound:
			return newProblem(http.StatusNotFound, "not_found", "there is nothing at "+quoted(request.URL.Path)+"; GET /openapi.json lists what there is")
		case http.StatusMethodNotAllowed:
			return newProblem(http.StatusMethodNotAllowed, "method_not_allowed",
				request.Method+" is not taken at "+quoted(request.URL.Path)+"; the Allow header names what is")
		}
	}
	s.options.Logger.Error("answer request", "method", request.Method, "path", request.URL.Path, "error", err)
	return newProblem(http.StatusInternalServerError, "internal_error", "policyd failed; see its log")
}

// recoverPanic turns a panic into an error answer: a closed connection could look like a missing sidecar.
func (s *Server) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
			}
		}()
		return next(c)
	}
}

// quoted shows foreign text in a message, bounded and without control characters.
func quoted(text string) string {
	const most = 200
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.QuoteToASCII(text)
}
