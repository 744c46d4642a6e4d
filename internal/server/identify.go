package server

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// callerKey is the key of the credential in Echo's context.
const callerKey = "caller"

// credentialOf is the caller's credential, nil for nobody.
func credentialOf(c echo.Context) *credential {
	found, _ := c.Get(callerKey).(*credential)
	return found
}

// callerOf is the authenticated caller; the zero value without authentication.
func callerOf(c echo.Context) v1.Caller {
	if found := credentialOf(c); found != nil {
		return found.caller
	}
	return v1.Caller{}
}

// authenticate accepts agents and operators.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		found, err := s.identify(c)
		if err != nil {
			return err
		}
		if found.role != RoleAgent && found.role != RoleOperator {
			return newProblem(http.StatusForbidden, "role_not_allowed", "this credential may read /metrics and nothing else")
		}
		c.Set(callerKey, found)
		return next(c)
	}
}

// identify authenticates a request: by its token, or else by its socket or client certificate. A wrong token
// always fails, whatever the transport.
func (s *Server) identify(c echo.Context) (*credential, error) {
	request := c.Request()
	certified, err := s.certified(request)
	if err != nil {
		c.Response().Header().Set(echo.HeaderConnection, "close")
		return nil, err
	}
	values := request.Header.Values(echo.HeaderAuthorization)
	switch {
	case len(values) == 0 && overSocket(request):
		peer, _ := request.Context().Value(peerKey{}).(*credential)
		if peer != nil {
			return peer, nil
		}
	case len(values) == 0 && certified != nil:
		return certified, nil
	case len(values) == 1:
		scheme, token, _ := strings.Cut(values[0], " ")
		if found := s.options.Keys.find(token); found != nil && strings.EqualFold(scheme, "Bearer") {
			return found, nil
		}
	}
	c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="policyd"`)
	return nil, newProblem(http.StatusUnauthorized, "unauthenticated",
		"send the content of agent.token from the state directory as Authorization: Bearer <token>, or use the Unix socket")
}

// certified is the principal of a client certificate, nil for nobody.
func (s *Server) certified(request *http.Request) (*credential, error) {
	if s.options.Certificate == nil || request.TLS == nil {
		return nil, nil //nolint:nilnil // no certificate was sent
	}
	who, named, err := s.options.Certificate(request.TLS)
	if err != nil {
		return nil, newProblem(http.StatusUnauthorized, "certificate_refused", err.Error())
	}
	if !named {
		return nil, nil //nolint:nilnil // the certificate represents no principal
	}
	return newCredential(who), nil
}

// answerer is the person who answers: the name that the credential proves, and the one in the body only if it
// proves none.
func answerer(c echo.Context, said string) string {
	if name := callerOf(c).Name; name != "" {
		return name
	}
	return said
}
