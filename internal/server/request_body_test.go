package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/server"
)

// TestALargeBodyIsAnsweredBeforeTheConnectionEnds sends as simple clients do:
// the whole request first, then a look at the answer.
func TestALargeBodyIsAnsweredBeforeTheConnectionEnds(t *testing.T) {
	r := start(t)
	const size = 12 << 20 // more than the buffers between two sockets hold
	for name, framing := range map[string]string{
		"length": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, strings.Repeat("x", size)),
		"chunks": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat("x", size)),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
			require.NoError(t, err)
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\n%s", tokens().Agent, framing)
			require.NoError(t, err, "the connection ended while the client was sending")
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			defer response.Body.Close()
			assert.Equal(t, 413, response.StatusCode)
			assert.True(t, response.Close, "the connection is not used again")
		})
	}
	assert.Zero(t, r.gate.calls.Load())
}

// TestABodyAfterExpectContinueIsNotRead checks that a client that waits for "100 Continue" is refused at once.
func TestABodyAfterExpectContinueIsNotRead(t *testing.T) {
	r := start(t, func(o *server.Options) { o.Limits.Read = time.Minute })
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2097152\r\n\r\n", tokens().Agent)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, 413, response.StatusCode)
}
