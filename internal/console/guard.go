package console

import (
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

// policy is the content security policy of every response.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// mostBody bounds what a page sends, in bytes.
const mostBody = 64 << 10

// guard refuses requests that no page of this console sends, and sets the headers of every response.
func (c *Console) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		for name, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
			"Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
		} {
			header.Set(name, value)
		}
		if c.options.Secure {
			header.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if reason := c.foreign(r); reason != "" {
			c.refuse(w, r, http.StatusForbidden, reason)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		next.ServeHTTP(w, r)
	})
}

// foreign states why a request is not one of a browser that shows this console; empty if it is.
func (c *Console) foreign(r *http.Request) string {
	if !c.host(r.Host) {
		return "the request names another host"
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return c.foreignRead(r)
	case http.MethodPost:
		if c.inbound(r) {
			return "" // its signature is checked
		}
		return c.foreignWrite(r)
	}
	return "the console takes GET and POST"
}

// foreignRead accepts navigations of a person, from any site, and loads of a page of the console.
func (c *Console) foreignRead(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" && origin != c.origin(r) {
		return "the request is from another origin"
	}
	opened := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" && from != "none" && !opened {
		return "the request is from another site"
	}
	return ""
}

// foreignWrite accepts requests of the console's own scripts.
func (c *Console) foreignWrite(r *http.Request) string {
	from := r.Header.Get("Sec-Fetch-Site")
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Header.Get("Origin") != c.origin(r):
		return "the request is from another origin"
	case from != "" && from != "same-origin":
		return "the request is from another site"
	case err != nil || kind != "application/json":
		return "a write is JSON"
	}
	return ""
}

// origin is the origin of the pages that the host of a request serves.
func (c *Console) origin(r *http.Request) string {
	if c.options.Secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// host reports whether a Host is one under which the console is served.
func (c *Console) host(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), map[bool]string{true: "443", false: "80"}[c.options.Secure]
	}
	name = strings.ToLower(name)
	for _, known := range c.options.Hosts() {
		if knownName, knownPort, err := net.SplitHostPort(known); err == nil && name == strings.ToLower(knownName) && port == knownPort {
			return true
		}
	}
	return false
}

// cookieName is the name of the session cookie. With TLS its prefix keeps it to this host.
func (c *Console) cookieName() string {
	if c.options.Secure {
		return "__Host-policyd_console"
	}
	return "policyd_console"
}

func (c *Console) setCookie(w http.ResponseWriter, value string) {
	http.SetCookie(w, c.cookie(c.cookieName(), Root, value, sessionLife, http.SameSiteStrictMode))
}

// cookie is a cookie that no script can read; an empty value deletes it.
func (c *Console) cookie(name, path, value string, life time.Duration, site http.SameSite) *http.Cookie {
	cookie := &http.Cookie{ //nolint:gosec // Secure is set if there is TLS; without it the console is on loopback
		Name: name, Value: value, Path: path, HttpOnly: true, Secure: c.options.Secure, SameSite: site, MaxAge: int(life.Seconds()),
	}
	if c.options.Secure {
		cookie.Path = "/" // the prefix requires it
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	return cookie
}

// operator returns who sends a request, and the key of the browser.
func (c *Console) operator(r *http.Request) (who Operator, key string, known bool) {
	cookies := r.CookiesNamed(c.cookieName())
	if len(cookies) != 1 {
		return Operator{}, "", false
	}
	return c.logins.find(cookies[0].Value)
}

// handler answers the request of an operator.
type handler func(w http.ResponseWriter, r *http.Request, who Operator)

// private accepts operators alone, and writes that their browsers signed.
func (c *Console) private(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, key, known := c.operator(r)
		if !known {
			c.answerWithoutSession(w, r)
			return
		}
		if r.Method == http.MethodPost && !c.proven(r, key) {
			c.refuse(w, r, http.StatusForbidden, "the request isn't signed by the browser that logged in, or the clocks of browser and server differ")
			return
		}
		next(w, r, who)
	}
}

// answerWithoutSession answers a request without a session. A browser that comes from another site doesn't send a strict
// cookie; the page that it gets here repeats the request from this site.
func (c *Console) answerWithoutSession(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		c.render(w, http.StatusOK, "again.html", map[string]any{"Path": r.URL.RequestURI()})
		return
	}
	c.refuse(w, r, http.StatusUnauthorized, "this browser is not logged in")
}
