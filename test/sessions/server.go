package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	v1 "policyd/api/v1"
)

// server is a running policyd with a state of its own.
type server struct {
	command         *exec.Cmd
	url             string
	agent, operator string
	stderr          bytes.Buffer
}

var address = regexp.MustCompile(`http://[0-9.]+:[0-9]+`)

// start starts the program and waits until it prints its address.
func start(ctx context.Context, program, scratch, name string) (*server, error) {
	state := filepath.Join(scratch, "state-"+name)
	home := filepath.Join(scratch, "owner-"+name)
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	s := &server{command: exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0", "--state-dir", state)}
	s.command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	s.command.Cancel = func() error { return s.command.Process.Signal(syscall.SIGTERM) }
	s.command.Stderr = &s.stderr
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start policyd: %w", err)
	}
	if err := s.command.Start(); err != nil {
		return nil, fmt.Errorf("start policyd: %w", err)
	}
	output := bufio.NewReader(stdout)
	line, err := output.ReadString('\n')
	if s.url = address.FindString(line); s.url == "" {
		return nil, errors.Join(fmt.Errorf("policyd serve does not say where it listens: %q: %s", line, s.stderr.String()), err, s.stop())
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	for role, token := range map[string]*string{"agent": &s.agent, "operator": &s.operator} {
		text, err := os.ReadFile(filepath.Join(state, role+".token"))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read token: %w", err), s.stop())
		}
		*token = strings.TrimSpace(string(text))
	}
	return s, nil
}

// contains waits until the server has found out what this machine can enforce, and reports whether it can run a
// project's calls contained.
func (s *server) contains(ctx context.Context) (bool, error) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		var ready struct {
			Checks []struct {
				Name string
				OK   bool
			}
		}
		if err := s.send(ctx, http.MethodGet, "/readyz?verbose", s.operator, nil, &ready); err != nil {
			return false, err
		}
		for _, check := range ready.Checks {
			if check.Name == "contain/"+v1.ProfileProject {
				return check.OK, nil
			}
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-ticker.C:
		}
	}
}

// stop ends the program and waits for it.
func (s *server) stop() error {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	if err := s.command.Wait(); err != nil {
		return fmt.Errorf("policyd serve: %w: %s", err, s.stderr.String())
	}
	return nil
}

// decide asks for one call.
func (s *server) decide(ctx context.Context, call *v1.Call) (v1.Decision, error) {
	var decision v1.Decision
	err := s.send(ctx, http.MethodPost, "/v1/decide", s.agent, call, &decision)
	return decision, err
}

// claim takes what a contained run needs, as the program does that runs it.
func (s *server) claim(ctx context.Context, decision *v1.Decision) error {
	at := slices.Index(decision.Run, "--")
	cwd := cmp.Or(decision.Enter, decision.Cwd)
	return s.send(ctx, http.MethodPost, "/v1/runs/"+decision.ID+"/claim", s.agent,
		v1.RunClaim{Argv: decision.Run[at+1:], Cwd: cwd}, &v1.RunGranted{})
}

// answer gives a person's answer.
func (s *server) answer(ctx context.Context, id, choice string) error {
	return s.send(ctx, http.MethodPost, "/v1/prompts/"+id+"/answer", s.operator, map[string]string{"choice": choice, "by": "replay"}, nil)
}

// withdraw takes a prompt back that nobody answers.
func (s *server) withdraw(ctx context.Context, id string) error {
	return s.send(ctx, http.MethodDelete, "/v1/prompts/"+id, s.agent, nil, nil)
}

func (s *server) send(ctx context.Context, method, path, token string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	if body == nil {
		text = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("send request: %w", err)
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, received)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(received, answer); err != nil {
		return fmt.Errorf("read answer of %s: %w", path, err)
	}
	return nil
}
