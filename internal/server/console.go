package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/strict"
)

// Console makes links to the console. An error that wraps a *v1.CodedError is an answer to the caller. It is
// called concurrently.
type Console interface {
	// Link makes an address that logs a browser in once. credential identifies the caller's credential, see
	// Keyring.Holds; empty if it can't end.
	Link(ctx context.Context, name, credential string) (v1.ConsoleLink, error)
}

func (s *Server) linkConsole(c echo.Context) error {
	if err := plainQuery(c); err != nil {
		return err
	}
	request, err := readBody(s, c, strict.Decode[v1.ConsoleLinkRequest])
	if err != nil {
		return err
	}
	if s.options.Console == nil {
		return newProblem(http.StatusNotFound, "console_off", "the console is not served here; set console.serve")
	}
	link, err := s.options.Console.Link(c.Request().Context(), answerer(c, request.By), credentialOf(c).id())
	if err != nil {
		return refused(err)
	}
	return answer(c, &link)
}
