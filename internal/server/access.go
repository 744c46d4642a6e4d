package server

import (
	"context"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// peerKey is the key of the peer in the context of connections over the Unix socket.
type peerKey struct{}

func markSocket(ctx context.Context, conn net.Conn) context.Context {
	if conn.LocalAddr().Network() == "unix" {
		return context.WithValue(ctx, peerKey{}, &credential{caller: v1.Caller{Identity: identityOf(conn)}, role: RoleAgent})
	}
	return ctx
}

// tokenIdentity is the sender of the agent's token. A peer with the sidecar's own user, or root, could read
// the token, so they have the same identity.
const tokenIdentity = "agent"

// identityOf distinguishes peers of the socket by their users.
func identityOf(conn net.Conn) string {
	uid, known := peerUser(conn)
	if !known || uid == 0 || int(uid) == os.Geteuid() {
		return tokenIdentity
	}
	return "user:" + strconv.FormatUint(uint64(uid), 10)
}

func overSocket(request *http.Request) bool {
	return request.Context().Value(peerKey{}) != nil
}

// operatorOnly refuses agents: what they may not do, a model could do through them.
func operatorOnly(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !callerOf(c).Operator {
			return newProblem(http.StatusForbidden, "role_not_allowed",
				"only operators may do this: send the content of operator.token from the state directory as Authorization: Bearer <token>")
		}
		return next(c)
	}
}

// refuseForeign refuses what a web page could send: a TCP request that reached
// this address under another name (DNS rebinding), or one that carries the
// origin of another site.
func (s *Server) refuseForeign(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		request := c.Request()
		if !overSocket(request) && !s.hosts[hostName(request.Host)] {
			return newProblem(http.StatusForbidden, "foreign_host",
				"the Host header "+quoted(request.Host)+" is not a name of this server; use localhost, 127.0.0.1, [::1], or add it to allowed_hosts")
		}
		for _, origin := range request.Header.Values("Origin") {
			if !s.ownOrigin(origin) {
				return newProblem(http.StatusForbidden, "foreign_origin",
					"the Origin header "+quoted(origin)+" is not of this server; requests from web pages are refused")
			}
		}
		return next(c)
	}
}

func (s *Server) ownOrigin(origin string) bool {
	parsed, err := url.Parse(origin)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return false
	}
	return s.hosts[hostName(parsed.Host)]
}

// hostName drops the port and the brackets of a host.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	return strings.ToLower(host)
}

// refuseOptions answers OPTIONS like any other unsupported method: no cross-origin request needs a preflight.
func refuseOptions(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		allow, known := c.Get(echo.ContextKeyHeaderAllow).(string)
		if c.Request().Method != http.MethodOptions || !known {
			return next(c)
		}
		c.Response().Header().Set(echo.HeaderAllow, allow)
		return echo.ErrMethodNotAllowed
	}
}

// requireJSON refuses bodies of another declared type, compressed ones included. A form from a web page can't
// pass it without a preflight.
func requireJSON(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		header := c.Request().Header
		value := header.Get(echo.HeaderContentType)
		if value != "application/json" {
			mediaType, parameters, err := mime.ParseMediaType(value)
			charset, named := parameters["charset"]
			if err != nil || mediaType != "application/json" || (named && !strings.EqualFold(charset, "utf-8")) {
				return newProblem(http.StatusUnsupportedMediaType, "unsupported_media_type",
					"the Content-Type is "+quoted(value)+"; send application/json in UTF-8")
			}
		}
		if encoding := header.Get(echo.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
			return newProblem(http.StatusUnsupportedMediaType, "unsupported_encoding",
				"the Content-Encoding is "+quoted(encoding)+"; send the body as it is")
		}
		return next(c)
	}
}
