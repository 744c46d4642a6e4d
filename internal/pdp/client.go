package pdp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// socketName is the name of the Unix socket in the run directory, as in package server.
const socketName = "policyd.sock"

// MaxAnswer bounds an answer, in bytes.
const MaxAnswer = 8 << 20

// Address is where a sidecar is reached: at the socket if it is set.
type Address struct {
	// Socket is the path of the Unix socket, which needs no token.
	Socket string
	// TCP is host:port, and Token what is sent there.
	TCP, Token string
	// Once closes the connection with the first answer, for a program that asks
	// once and ends.
	Once bool
}

// Client sends requests to one sidecar. It may be used concurrently.
type Client struct {
	http  *http.Client
	token string
	base  string
}

// New returns a client. It connects with the first request.
func New(address Address) *Client {
	network, target := "unix", address.Socket
	base := "http://localhost"
	if address.Socket == "" {
		network, target = "tcp", address.TCP
		base = "http://" + address.TCP
	}
	dialer := &net.Dialer{}
	client := &Client{base: base, http: &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives:  address.Once,
			DisableCompression: true, // an answer has the length that it declares

			Proxy: nil, // a proxy of the agent's environment must not see or answer
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, target)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if address.Socket == "" {
		client.token = address.Token
	}
	return client
}

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends body, which may be nil, and returns the complete answer, whatever its status. An answer that is
// cut off or longer than MaxAnswer is an error.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body []byte) (*Answer, error) {
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		var dialed *net.OpError
		if errors.As(err, &dialed) && dialed.Op == "dial" {
			return nil, fmt.Errorf("ask policyd: %w; no server listens there: policyd serve starts one", withoutAddress(err))
		}
		return nil, fmt.Errorf("ask policyd: %w", withoutAddress(err))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if len(text) > MaxAnswer {
		return nil, fmt.Errorf("read answer: longer than %d bytes", MaxAnswer)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}

// withoutAddress removes the request's address from an error: models read it, and must not learn where
// policyd is.
func withoutAddress(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// SocketIn is the sidecar's socket in a run directory.
func SocketIn(runDir string) string { return strings.TrimSuffix(runDir, "/") + "/" + socketName }
