package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/server"
	"policyd/test/authority"
)

const connectionPatience = 30 * time.Second

// bounded starts a server with so many connections.
func bounded(t *testing.T, limit int) (*running, *server.Connections) {
	t.Helper()
	connections := server.NewConnections(limit)
	return start(t, func(options *server.Options) { options.Connections = connections }), connections
}

func (r *running) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.base, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(connectionPatience)))
	return conn
}

// refusedRequests are requests that no handler sees.
func refusedRequests() map[string]struct {
	request string
	status  int
} {
	head := "POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + tokens().Agent + "\r\nContent-Type: application/json\r\n"
	return map[string]struct {
		request string
		status  int
	}{
		"no request":                   {"hello\r\n\r\n", 400},
		"two Host headers":             {"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		"no Host":                      {"GET /livez HTTP/1.1\r\n\r\n", 400},
		"a Host that is none":          {"GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
		"a length that is none":        {head + "Content-Length: x\r\n\r\n", 400},
		"a length below zero":          {head + "Content-Length: -1\r\n\r\n", 400},
		"two lengths":                  {head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
		"a header without a name":      {"GET /livez HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n", 400},
		"a header with a blank":        {"GET /livez HTTP/1.1\r\nHost: localhost\r\nA b: x\r\n\r\n", 400},
		"a header that is cut":         {"GET /livez HTTP/1.1\r\nHost: localhost\r\nx\x00: y\r\n\r\n", 400},
		"an address that is none":      {"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
		"an expectation":               {head + "Expect: tea\r\nContent-Length: 1\r\n\r\nx", 417},
		"a large header":               {"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n\r\n", 431},
		"an unknown transfer encoding": {head + "Transfer-Encoding: gzip\r\n\r\n", 501},
		"another version":              {"GET /livez HTTP/3.0\r\nHost: localhost\r\n\r\n", 505},
	}
}

// TestWhatNetHTTPRefusesIsAProblem checks the contract for requests that no handler sees, with TLS and
// without it.
func TestWhatNetHTTPRefusesIsAProblem(t *testing.T) {
	plain, _ := bounded(t, 100)
	secure, trusted := secured(t)
	for name, test := range refusedRequests() {
		for kind, dial := range map[string]func(*testing.T) net.Conn{
			"plain": plain.dial,
			"TLS":   func(t *testing.T) net.Conn { return tls.Client(secure.dial(t), trusted) },
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				conn := dial(t)
				_, err := io.WriteString(conn, test.request)
				require.NoError(t, err)
				assertRefused(t, conn, test.status)
			})
		}
	}
}

// secured starts a server with TLS, and returns what its clients trust.
func secured(t *testing.T) (*running, *tls.Config) {
	t.Helper()
	ca := authority.New(t, "authority")
	served := &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, "localhost").TLS(t)}, MinVersion: tls.VersionTLS12}
	r := startOn(t, func(inner net.Listener) net.Listener {
		return server.TLSListener(inner, served, slog.New(slog.DiscardHandler))
	}, func(options *server.Options) { options.Connections = server.NewConnections(100) })
	return r, &tls.Config{RootCAs: ca.Pool(), ServerName: "localhost", MinVersion: tls.VersionTLS12}
}

// TestRequestsInTLSAndBesideIt checks that requests inside TLS carry its state, and that a client without
// TLS, or with another authority, gets an answer or none, and harms nobody.
func TestRequestsInTLSAndBesideIt(t *testing.T) {
	r, trusted := secured(t)
	conn := r.dial(t)
	_, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	assertRefused(t, conn, http.StatusBadRequest)
	require.Error(t, tls.Client(r.dial(t), &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "localhost", MinVersion: tls.VersionTLS12}).HandshakeContext(t.Context()))
	_, err = io.WriteString(r.dial(t), "\x16\x03\x01\x00\x05hello")
	require.NoError(t, err)
	silent := r.dial(t)

	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trusted, ForceAttemptHTTP2: true}}
	t.Cleanup(client.CloseIdleConnections)
	request := r.request(t, http.MethodPost, "/v1/decide", good)
	request.URL.Scheme, request.URL.Host = "https", strings.TrimPrefix(r.base, "http://")
	for range 3 { // over one connection
		got := do(t, client, request.Clone(t.Context()))
		assert.Equal(t, http.StatusOK, got.StatusCode)
		require.NotNil(t, got.TLS)
		assert.True(t, got.TLS.HandshakeComplete)
		request = r.request(t, http.MethodPost, "/v1/decide", good)
		request.URL.Scheme = "https"
	}
	require.NoError(t, silent.Close())
}

// assertRefused reads the answer to a request that no handler saw.
func assertRefused(t *testing.T, conn net.Conn, status int) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoErrorf(t, err, "%s", body)
	assert.Equal(t, status, response.StatusCode)
	assert.Equal(t, "application/problem+json", response.Header.Get("Content-Type"))
	var problem v1.Problem
	require.NoErrorf(t, json.Unmarshal(body, &problem), "%s", body)
	assert.Equal(t, v1.EffectDeny, problem.Decision)
	assert.Equal(t, status, problem.Status)
	assert.NotEmpty(t, problem.Code)
	assert.NotEmpty(t, problem.Detail)
}

// What a handler answers is passed on as it is.
func TestWhatAHandlerAnswersStays(t *testing.T) {
	r, _ := bounded(t, 100)
	got := do(t, r.client, r.request(t, http.MethodPost, "/v1/decide", good))
	assert.Equal(t, http.StatusOK, got.StatusCode)
	got = do(t, r.client, r.request(t, http.MethodPost, "/v1/decide", `{}`))
	assertProblem(t, got, http.StatusBadRequest, "missing_key")
}

// Connections that wait for a request, or send one slowly, or have no credential, keep
// nobody out: the one that waits longest ends.
func TestConnectionsThatWaitKeepNobodyOut(t *testing.T) {
	const limit = 8
	for name, opening := range map[string]string{
		"silent":    "",
		"slow head": "P",
		"slow body": "POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nAuthorization: Bearer " + tokens().Agent + "\r\n\r\n{",
		"after one": "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			r, connections := bounded(t, limit)
			for range 3 * limit {
				_, err := io.WriteString(r.dial(t), opening)
				require.NoError(t, err)
			}
			for range 3 {
				r.client.CloseIdleConnections()
				got := do(t, r.client, r.request(t, http.MethodPost, "/v1/decide", good))
				assert.Equal(t, http.StatusOK, got.StatusCode)
				assert.LessOrEqual(t, connections.Open(), limit)
			}
		})
	}
}

// Requests that are answered keep their connections, and one that is too many is refused.
func TestBusyConnectionsStay(t *testing.T) {
	const limit = 4
	r, connections := bounded(t, limit)
	arrived, release := make(chan struct{}, limit), make(chan struct{})
	r.gate.before = func(context.Context, *v1.Call) {
		arrived <- struct{}{}
		<-release
	}
	answers := make(chan error, limit)
	for range limit {
		request := r.request(t, http.MethodPost, "/v1/decide", good)
		go func() {
			response, err := r.client.Do(request)
			if err == nil {
				err = response.Body.Close()
				if response.StatusCode != http.StatusOK {
					err = fmt.Errorf("status %d", response.StatusCode)
				}
			}
			answers <- err
		}()
	}
	for range limit {
		<-arrived
	}
	conn := r.dial(t)
	_, _ = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n") // it may have ended already
	_, err := conn.Read(make([]byte, 1))
	require.Error(t, err, "there is no room, not even for an answer")
	assert.Equal(t, limit, connections.Open())
	close(release)
	for range limit {
		require.NoError(t, <-answers)
	}
}

// Held requests of agents take at most half of the connections.
func TestHeldRequestsLeaveRoom(t *testing.T) {
	const limit = 8
	r, _ := bounded(t, limit)
	arrived, release := make(chan struct{}, limit), make(chan struct{})
	r.gate.before = func(_ context.Context, call *v1.Call) {
		if call.Tool == "held" {
			arrived <- struct{}{}
			<-release
		}
	}
	hold := strings.Replace(good, "Bash", "held", 1)
	statuses := make(chan int, limit)
	for range limit - 1 {
		request := r.request(t, http.MethodPost, "/v1/decide?wait=1m", hold)
		go func() {
			response, err := r.client.Do(request)
			if err != nil {
				statuses <- 0
				return
			}
			_ = response.Body.Close()
			statuses <- response.StatusCode
		}()
	}
	held, refused := 0, 0
	for held+refused < limit-1 {
		select {
		case <-arrived:
			held++
		case status := <-statuses:
			assert.Equal(t, http.StatusTooManyRequests, status)
			refused++
		case <-time.After(connectionPatience):
			require.FailNow(t, "requests are neither held nor refused")
		}
	}
	assert.Equal(t, limit/2, held)
	got := do(t, r.client, r.request(t, http.MethodPost, "/v1/decide", good))
	assert.Equal(t, http.StatusOK, got.StatusCode)
	close(release)
	for range held {
		assert.Equal(t, http.StatusOK, <-statuses)
	}
}
