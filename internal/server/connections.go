package server

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-json"
)

// Connections bounds the open connections over all listeners. At the limit it closes the connection that has
// been idle for longest, so that a client with idle connections keeps nobody out. If all are busy, it closes
// the new one. It may be used concurrently.
type Connections struct {
	limit int

	mu   sync.Mutex
	open int
	// idle lists the *conn that wait for a request, the oldest first.
	idle *list.List
}

// NewConnections returns a bound of so many connections.
func NewConnections(limit int) *Connections {
	return &Connections{limit: limit, idle: list.New()}
}

// Listener returns a listener whose connections count. It must wrap the innermost listener, below TLS.
func (c *Connections) Listener(inner net.Listener) net.Listener {
	return &boundListener{Listener: inner, bound: c}
}

// Open is how many connections are open.
func (c *Connections) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

// admit makes room for one more, and reports whether there is.
func (c *Connections) admit(made *conn) bool {
	c.mu.Lock()
	var victim *conn
	if c.open >= c.limit {
		if oldest := c.idle.Front(); oldest != nil {
			victim = c.leave(oldest.Value.(*conn))
		}
	}
	admitted := c.open < c.limit
	if admitted {
		c.open++
		made.waits = c.idle.PushBack(made) // until its first request begins
	}
	c.mu.Unlock()
	if victim != nil {
		_ = victim.Conn.Close() // nobody gets it
	}
	return admitted
}

// leave removes a connection from the count. The caller holds mu.
func (c *Connections) leave(gone *conn) *conn {
	if !gone.gone {
		gone.gone = true
		c.open--
	}
	if gone.waits != nil {
		c.idle.Remove(gone.waits)
		gone.waits = nil
	}
	return gone
}

// note tracks the state of connections: it is the server's ConnState.
func (c *Connections) note(outer net.Conn, state http.ConnState) {
	counted := innermost(outer)
	if counted == nil || state != http.StateIdle {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if counted.waits == nil && !counted.gone {
		counted.waits = c.idle.PushBack(counted)
	}
}

// begin notes that the request of a connection is being answered: it was read whole and is authenticated.
// Until then the connection counts as waiting, so that slow or unauthenticated clients keep nobody out.
func (c *Connections) begin(counted *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if counted.waits != nil {
		c.idle.Remove(counted.waits)
		counted.waits = nil
	}
}

// holdable reports whether an agent's request may be held: held requests never use more than half of the
// connections.
func (c *Connections) holdable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open-c.idle.Len() <= c.limit/2
}

// connectionKey is the key of the *conn in the context of its requests.
type connectionKey struct{}

// markConnection makes the context of a connection's requests.
func markConnection(ctx context.Context, outer net.Conn) context.Context {
	counted := innermost(outer)
	if counted == nil {
		return markSocket(ctx, outer)
	}
	return context.WithValue(markSocket(ctx, counted.Conn), connectionKey{}, counted)
}

// innermost is the counted connection, below TLS; nil if there is none.
func innermost(outer net.Conn) *conn {
	if secure, ok := outer.(*tlsConn); ok {
		outer = secure.NetConn()
	}
	counted, _ := outer.(*conn)
	return counted
}

// boundListener counts the connections that it accepts.
type boundListener struct {
	net.Listener
	bound *Connections
}

var _ net.Listener = (*boundListener)(nil)

// Accept implements net.Listener.
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		made := &conn{Conn: accepted, bound: l.bound}
		if l.bound.admit(made) {
			return made, nil
		}
		_ = accepted.Close() // there is no room, not even for an answer
	}
}

// conn is one connection. What net/http writes to it for a request that it refuses by
// itself becomes a problem with a decision.
type conn struct {
	net.Conn
	bound *Connections
	// waits is its element among the waiting connections, nil while a request is answered; gone is true once
	// it doesn't count. The bound's mu guards both.
	waits *list.Element
	gone  bool
}

var _ net.Conn = (*conn)(nil)

// Close implements net.Conn.
func (c *conn) Close() error {
	c.bound.mu.Lock()
	c.bound.leave(c)
	c.bound.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends the sending half, which net/http does after a refusal so that the
// client reads it.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Write implements net.Conn.
func (c *conn) Write(text []byte) (int, error) { return writeRefusing(c.Conn, text) }

// writeRefusing writes what net/http does, and a problem for its refusals.
func writeRefusing(inner net.Conn, text []byte) (int, error) {
	refusal := refusalFor(text)
	if refusal == nil {
		return inner.Write(text)
	}
	if _, err := inner.Write(refusal); err != nil {
		return 0, err
	}
	return len(text), nil
}

// What net/http itself writes (server.go: conn.serve, sendExpectationFailed): one write with the whole
// answer. No handler's answer has only these headers, and none has status 417.
const (
	refusedPrefix    = "HTTP/1.1 "
	refusedHeaders   = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	unexpectedPrefix = "HTTP/1.1 417 "
)

// refusalCodes are the codes of refusals by status.
var refusalCodes = map[int]string{
	http.StatusBadRequest:                  "malformed_request",
	http.StatusExpectationFailed:           "expectation_failed",
	http.StatusRequestHeaderFieldsTooLarge: "header_too_large",
	http.StatusNotImplemented:              "transfer_encoding_unsupported",
	http.StatusHTTPVersionNotSupported:     "http_version_unsupported",
}

// refusalFor returns the answer that represents one that net/http wrote, nil for any other.
func refusalFor(text []byte) []byte {
	line, rest, _ := bytes.Cut(text, []byte("\r\n"))
	switch {
	case bytes.HasPrefix(text, []byte(unexpectedPrefix)):
		return writeRefusal(http.StatusExpectationFailed, "the Expect header is not supported; leave it out")
	case !bytes.HasPrefix(line, []byte(refusedPrefix)) || !bytes.HasPrefix(text[len(line):], []byte(refusedHeaders)):
		return nil
	}
	status, err := strconv.Atoi(string(line[len(refusedPrefix):min(len(line), len(refusedPrefix)+3)]))
	if err != nil || status < http.StatusBadRequest {
		return nil
	}
	_, detail, _ := bytes.Cut(rest, []byte("\r\n\r\n"))
	return writeRefusal(status, strings.TrimSpace(string(detail))+"; send a well-formed HTTP/1.1 request")
}

func writeRefusal(status int, detail string) []byte {
	code, known := refusalCodes[status]
	if !known {
		code = "malformed_request"
	}
	body, err := json.MarshalWithOption(newProblem(status, code, quotable(detail)), json.DisableHTMLEscape())
	if err != nil {
		body = []byte(`{"code":"malformed_request","decision":"deny"}`)
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s", status, http.StatusText(status), len(body), body)
}

// quotable keeps a detail to visible characters: net/http may repeat what was sent.
func quotable(text string) string {
	quotedText := quoted(text)
	return quotedText[1 : len(quotedText)-1]
}
