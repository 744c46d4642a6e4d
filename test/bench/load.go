package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// endpoint is where a server listens.
type endpoint struct{ network, address string }

// target is one server, and the requests that it is asked in turn.
type target struct {
	name    string
	at      endpoint
	path    string
	token   string
	bodies  [][]byte
	process *process
	// next counts the requests of all slices, so that the turn goes on. Targets with the
	// same bodies share it, or what one asked would be remembered for the other.
	next *atomic.Int64
	// requests are the bodies as they are sent.
	requests [][]byte
}

// slice is what a server did in one slice of time.
type slice struct {
	latencies []time.Duration
	elapsed   time.Duration
	// server and client are the processor's time that they had.
	server, client time.Duration
}

func (s *slice) quantile(q float64) time.Duration {
	return s.latencies[min(int(q*float64(len(s.latencies))), len(s.latencies)-1)]
}

// encode writes the requests as they are sent: the client adds nothing to them later.
func (t *target) encode() {
	for _, body := range t.bodies {
		var text bytes.Buffer
		fmt.Fprintf(&text, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n",
			t.path, len(body))
		if t.token != "" {
			fmt.Fprintf(&text, "Authorization: Bearer %s\r\n", t.token)
		}
		text.WriteString("\r\n")
		text.Write(body)
		t.requests = append(t.requests, text.Bytes())
	}
}

// press sends requests over n connections, one after the other on each, until so many
// were sent (0 is no bound) or the time is over.
func (t *target) press(n int, most int64, duration time.Duration) (*slice, error) {
	if t.requests == nil {
		t.encode()
	}
	if t.next == nil {
		t.next = new(atomic.Int64)
	}
	serverBefore, err := t.process.busy()
	if err != nil {
		return nil, err
	}
	clientBefore := ownTime()
	var all slice
	sent := int64(0)
	begin := time.Now()
	all.latencies, err = load(t.at, n, func() ([]byte, bool) {
		if most > 0 && sent == most || duration > 0 && time.Since(begin) >= duration {
			return nil, false
		}
		sent++
		return t.requests[int(t.next.Add(1))%len(t.requests)], true
	})
	all.elapsed, all.client = time.Since(begin), ownTime()-clientBefore
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", t.name, err)
	}
	if len(all.latencies) == 0 {
		return nil, fmt.Errorf("ask %s: no answer within %s", t.name, duration)
	}
	serverAfter, err := t.process.busy()
	all.server = serverAfter - serverBefore
	slices.Sort(all.latencies)
	return &all, err
}

// readAnswer reads one answer wholly. Any status but 200 is an error.
func readAnswer(from *bufio.Reader, to io.Writer) error {
	response, err := http.ReadResponse(from, nil)
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	if _, err := io.Copy(to, response.Body); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// once sends the first request and returns the answer.
func (t *target) once(ctx context.Context) ([]byte, error) {
	t.encode()
	defer func() { t.requests = nil }()
	return t.at.exchange(ctx, t.requests[0])
}

// untilAnswered is once for a server that is still starting.
func (t *target) untilAnswered(ctx context.Context) (answer []byte, err error) {
	err = retry(ctx, pollEvery, func() error {
		answer, err = t.once(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("wait for %s: %w", t.name, err)
	}
	return answer, nil
}

// get sends a request without a body.
func (e endpoint) get(ctx context.Context, path string) ([]byte, error) {
	return e.exchange(ctx, []byte("GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
}

// exchange sends one request over a connection of its own.
func (e endpoint) exchange(ctx context.Context, request []byte) ([]byte, error) {
	connection, err := new(net.Dialer).DialContext(ctx, e.network, e.address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer connection.Close()
	if _, err := connection.Write(request); err != nil {
		return nil, fmt.Errorf("send request: %w", err)
	}
	var answer bytes.Buffer
	err = readAnswer(bufio.NewReader(connection), &answer)
	return answer.Bytes(), err
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// number is an integer as names and tables write it.
func number(n int) string { return strconv.Itoa(n) }
