package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
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
		return context.WithValue(ctx, peerKey{}, identityOf(conn))
	}
	return ctx
}

// tokenIdentity is who sends the agent's token. A peer of the sidecar's own user
// could read the token, and so could root, so they are no others.
const tokenIdentity = "agent"

// identityOf tells peers of the socket apart by their users.
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

// callerKey is the key of the caller in Echo's context.
const callerKey = "caller"

// callerOf is who was authenticated; nobody in particular if nobody was.
func callerOf(c echo.Context) v1.Caller {
	caller, _ := c.Get(callerKey).(v1.Caller)
	return caller
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

// refuseOptions answers OPTIONS like any other method that a path doesn't take:
// there are no cross-origin requests to prepare.
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

// authenticate lets callers with either token pass, and those on the socket.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	agent, operator := sha256.Sum256([]byte(s.options.Tokens.Agent)), sha256.Sum256([]byte(s.options.Tokens.Operator))
	return func(c echo.Context) error {
		values := c.Request().Header.Values(echo.HeaderAuthorization)
		if len(values) == 0 && overSocket(c.Request()) {
			identity, _ := c.Request().Context().Value(peerKey{}).(string)
			c.Set(callerKey, v1.Caller{Identity: identity})
			return next(c)
		}
		if len(values) == 1 {
			scheme, token, _ := strings.Cut(values[0], " ")
			// Digests have one length, so that the comparison tells nothing of the token's.
			sum := sha256.Sum256([]byte(token))
			isAgent := subtle.ConstantTimeCompare(sum[:], agent[:]) == 1
			isOperator := subtle.ConstantTimeCompare(sum[:], operator[:]) == 1
			if strings.EqualFold(scheme, "Bearer") && (isAgent || isOperator) {
				c.Set(callerKey, v1.Caller{Operator: isOperator, Identity: tokenIdentity})
				return next(c)
			}
		}
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="policyd"`)
		return newProblem(http.StatusUnauthorized, "unauthenticated",
			"send the content of agent.token from the state directory as Authorization: Bearer <token>, or use the Unix socket")
	}
}

// requireJSON refuses bodies that say they are something else, compressed ones
// included. A form from a web page can't get past it without a preflight.
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
