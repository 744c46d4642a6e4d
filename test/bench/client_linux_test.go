package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnswersAreWholeAtTheirEnd(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n0\r\n\r\n",
	} {
		for end := range len(answer) {
			whole, err := complete([]byte(answer[:end]))
			require.NoError(t, err)
			assert.False(t, whole, answer[:end])
		}
		whole, err := complete([]byte(answer))
		require.NoError(t, err)
		assert.True(t, whole, answer)
	}
	_, err := complete([]byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy"))
	assert.ErrorContains(t, err, "503 Service Unavailable")
}

// Each request of the load is answered, in either way of sending answers, over each kind
// of endpoint, and no more are sent.
func TestTheLoadIsAnswered(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	for name, listen := range map[string]func() (net.Listener, error){
		"tcp":  func() (net.Listener, error) { return new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") },
		"unix": func() (net.Listener, error) { return new(net.ListenConfig).Listen(t.Context(), "unix", socket) },
	} {
		for size, answer := range map[string]string{"small": "{}", "in chunks": `"` + strings.Repeat("x", 300<<10) + `"`} {
			t.Run(name+", "+size, func(t *testing.T) {
				listener, err := listen()
				require.NoError(t, err)
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					_, _ = w.Write([]byte(answer))
				}))
				server.Listener = listener
				server.Start()
				defer server.Close()
				sent := 0
				took, err := load(endpoint{name, listener.Addr().String()}, 3, func() ([]byte, bool) {
					sent++
					return []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), sent <= 20
				})
				require.NoError(t, err)
				assert.Len(t, took, 20)
			})
		}
	}
}
