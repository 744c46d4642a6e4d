package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	policydPackage = "policyd/cmd/policyd"
	decidePath     = "/v1/decide"
	// cacheVariable is the setting of the memory of decisions in the environment. A
	// policyd that has none passes over it.
	cacheVariable = "POLICYD_DECISION_CACHE_ENTRIES"
	pollEvery     = 5 * time.Millisecond
)

// sidecar is a policyd that serves.
type sidecar struct {
	*process
	tcp, unix endpoint
	state     string
	token     string
}

// startPolicyd starts policyd with a state directory of its own, and returns when it is
// ready. The flags come after serve.
func (b *bench) startPolicyd(ctx context.Context, name string, flags ...string) (*sidecar, error) {
	program, err := b.build(ctx, policydPackage)
	if err != nil {
		return nil, err
	}
	state, err := b.under(name)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	s := &sidecar{
		state: state, tcp: endpoint{"tcp", address},
		unix: endpoint{"unix", filepath.Join(state, "run", "policyd.sock")},
	}
	arguments := append([]string{"serve", "--addr", address, "--state-dir", state, "--run-dir", filepath.Dir(s.unix.address)}, flags...)
	if s.process, err = b.launch(ctx, b.policydEnvironment(), program, arguments...); err != nil {
		return nil, err
	}
	if err := retry(ctx, pollEvery, func() error { return s.ready(ctx) }); err != nil {
		s.stop()
		return nil, errors.Join(fmt.Errorf("wait for policyd: %w", err), logged(s.process))
	}
	token, err := os.ReadFile(filepath.Join(state, "agent.token"))
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("read token: %w", err)
	}
	s.token = strings.TrimSpace(string(token))
	return s, nil
}

// policydEnvironment lets one agent ask as much as it can, which is what is measured.
func (b *bench) policydEnvironment() []string {
	variables := []string{"HOME=" + b.tree.Home, "POLICYD_LIMITS_REQUESTS_PER_SECOND=0", "POLICYD_LIMITS_CONCURRENT=0"}
	if !b.cache {
		variables = append(variables, cacheVariable+"=0")
	}
	return variables
}

func (s *sidecar) ready(ctx context.Context) error {
	_, err := s.tcp.get(ctx, "/readyz")
	return err
}

// asks is policyd as the target of calls, over TCP with the agent's token, or over the
// socket, which needs none.
func (s *sidecar) asks(name string, at endpoint, bodies [][]byte) *target {
	t := &target{name: name, at: at, path: decidePath, bodies: bodies, process: s.process}
	if at.network == "tcp" {
		t.token = s.token
	}
	return t
}

// logged is what a process printed, as an error.
func logged(p *process) error {
	text, err := os.ReadFile(p.log.Name())
	if err != nil {
		return err
	}
	return errors.New(strings.TrimSpace(string(text)))
}
