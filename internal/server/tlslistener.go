package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"
)

// TLSListener returns a listener with TLS around another one. If net/http itself refuses a request inside
// TLS, its answer becomes a problem with a decision, as it does without TLS. For this, net/http gets a
// connection that isn't a *tls.Conn, so that it writes to this package's. A failed handshake is logged as a
// warning.
func TLSListener(inner net.Listener, config *tls.Config, logger *slog.Logger) net.Listener {
	return &tlsListener{Listener: inner, config: config, logger: logger}
}

type tlsListener struct {
	net.Listener
	config *tls.Config
	logger *slog.Logger
}

var _ net.Listener = (*tlsListener)(nil)

// Accept implements net.Listener. The handshake is left to the connection's goroutine.
func (l *tlsListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &tlsConn{Conn: tls.Server(accepted, l.config), logger: l.logger}, nil
}

// handshakeTimeout bounds the handshake, like the head of a request.
const handshakeTimeout = 5 * time.Second

// tlsConn is one connection with TLS.
type tlsConn struct {
	*tls.Conn
	logger *slog.Logger
	once   sync.Once
}

var _ net.Conn = (*tlsConn)(nil)

// ConnectionState is called by net/http once before it reads, in the goroutine of the connection: the
// requests have this state as their TLS, so that the handshake is made here. After one that fails the
// connection is closed, and nothing is read from it.
func (c *tlsConn) ConnectionState() tls.ConnectionState {
	c.once.Do(c.handshake)
	return c.Conn.ConnectionState()
}

func (c *tlsConn) handshake() {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTimeout)
	defer cancel()
	err := c.HandshakeContext(ctx)
	if err == nil {
		return
	}
	unencrypted := new(tls.RecordHeaderError)
	if errors.As(err, unencrypted) && unencrypted.Conn != nil && beginsHTTP(unencrypted.RecordHeader) {
		_, _ = unencrypted.Conn.Write(writeRefusal(400, "this address is served with TLS; use https")) // nobody else sees the error
	}
	c.logger.Warn("TLS handshake failed", "client", c.RemoteAddr().String(), "error", err)
	_ = c.NetConn().Close()
}

// beginsHTTP reports whether the first bytes of a connection are those of a request without TLS.
func beginsHTTP(head [5]byte) bool {
	for _, method := range []string{"GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO"} {
		if strings.HasPrefix(method, string(head[:])) {
			return true
		}
	}
	return false
}

// Write implements net.Conn.
func (c *tlsConn) Write(text []byte) (int, error) { return writeRefusing(c.Conn, text) }
