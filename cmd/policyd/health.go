package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"policyd/internal/server"
)

// healthPatience is below what a container's health check waits.
const healthPatience = 2 * time.Second

// health asks the running server whether it is ready.
func (p *Program) health(ctx context.Context, s *settings) error {
	if _, err := askReady(ctx, s); err != nil {
		return failed(err, "is policyd serve running with the same --run-dir and --addr?")
	}
	if _, err := fmt.Fprintln(p.Stdout, "ready"); err != nil {
		return fmt.Errorf("print health: %w", err)
	}
	return nil
}

// askReady asks over the socket if there is one, else over the address. It returns the warnings of a ready
// server.
func askReady(ctx context.Context, s *settings) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	network, address := "tcp", s.Addr
	if socket := filepath.Join(s.RunDir, server.SocketName); exists(socket) {
		network, address = "unix", socket
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/readyz", nil)
	if err != nil {
		return nil, fmt.Errorf("ask server: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask server: %w", err)
	}
	defer response.Body.Close()
	answer, said := readAnswer(response)
	if response.StatusCode == http.StatusOK {
		return answer.warnings(), nil
	}
	if !said || answer.Detail == "" {
		return nil, fmt.Errorf("ask server: %s", response.Status)
	}
	return nil, fmt.Errorf("ask server: %s", answer.Detail)
}

// readyAnswer is the answer of /readyz, ready or not.
type readyAnswer struct {
	Detail string         `json:"detail"`
	Checks []server.Check `json:"checks"`
}

func readAnswer(response *http.Response) (answer readyAnswer, said bool) {
	const most = 64 << 10
	body, err := io.ReadAll(io.LimitReader(response.Body, most))
	return answer, err == nil && json.Unmarshal(body, &answer) == nil
}

func (a *readyAnswer) warnings() []string {
	var found []string
	for _, check := range a.Checks {
		if !check.OK {
			found = append(found, check.Name+": "+check.Detail)
		}
	}
	return found
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
