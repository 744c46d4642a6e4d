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

	v1 "policyd/api/v1"

	"policyd/api"
)

// healthPatience is below what a container's health check waits.
const healthPatience = 2 * time.Second

// health asks the running server whether it is ready.
func (p *Program) health(ctx context.Context, s *settings) error {
	if err := askReady(ctx, s); err != nil {
		return failed(err, "is policyd serve running with the same --run-dir and --addr?")
	}
	if _, err := fmt.Fprintln(p.Stdout, "ready"); err != nil {
		return fmt.Errorf("print health: %w", err)
	}
	return nil
}

// askReady asks over the socket where there is one, else over the address.
func askReady(ctx context.Context, s *settings) error {
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	network, address := "tcp", s.Addr
	if socket := filepath.Join(s.RunDir, api.SocketName); exists(socket) {
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
		return fmt.Errorf("ask server: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("ask server: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("ask server: %s", refusal(response))
}

// refusal is why the server says it is not ready.
func refusal(response *http.Response) string {
	const most = 64 << 10
	body, err := io.ReadAll(io.LimitReader(response.Body, most))
	var problem v1.Problem
	if err != nil || json.Unmarshal(body, &problem) != nil || problem.Detail == "" {
		return response.Status
	}
	return problem.Detail
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
