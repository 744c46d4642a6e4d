package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/server"
	"policyd/internal/sidecar"
)

// operator is the operator's side of the API: of a running server, or within this process if none runs.
type operator struct {
	client *http.Client
	token  string
	close  func() error
}

// operatorPatience bounds one request of a command.
const operatorPatience = 30 * time.Second

// operator connects to the server of the state directory. If there is none it opens the store itself.
func (p *Program) operator(ctx context.Context, s *settings) (*operator, error) {
	tokens, err := server.LoadOrCreateTokens(s.StateDir)
	if err != nil {
		return nil, failed(err, stateHint(err))
	}
	unlock, err := lockState(ctx, s.StateDir, "", 0)
	var used *inUseError
	if errors.As(err, &used) && used.by.Socket == "" {
		// Another command, for a moment; or a server that has just begun.
		unlock, err = lockState(ctx, s.StateDir, "", lockPatience)
	}
	switch {
	case errors.As(err, &used) && used.by.Socket != "":
		return overSocket(used.by.Socket, tokens.Operator), nil
	case err != nil:
		return nil, failed(err, lockHint(err, "try again"))
	}
	made, err := inProcess(ctx, s, tokens)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	inner := made.close
	made.close = func() error { return errors.Join(inner(), unlock()) }
	return made, nil
}

func overSocket(socket, token string) *operator {
	dialer := &net.Dialer{}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "unix", socket)
	}}
	return &operator{
		client: &http.Client{Transport: transport}, token: token,
		close: func() error { transport.CloseIdleConnections(); return nil },
	}
}

// inProcess serves the API to this process alone.
func inProcess(ctx context.Context, s *settings, tokens server.Tokens) (*operator, error) {
	decider, err := sidecar.New(ctx, s, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	server, err := decider.NewServer(s, tokens, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, errors.Join(err, decider.Close())
	}
	return &operator{client: &http.Client{Transport: handlerTransport{server}}, token: tokens.Operator, close: decider.Close}, nil
}

// handlerTransport answers requests by a handler of this process.
type handlerTransport struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t handlerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	answer := &recordedResponse{status: http.StatusOK, header: http.Header{}}
	if request.Body == nil {
		request.Body = http.NoBody
	}
	request.RequestURI = request.URL.RequestURI()
	t.handler.ServeHTTP(answer, request)
	return &http.Response{
		StatusCode: answer.status, Header: answer.header, Body: io.NopCloser(&answer.body), Request: request,
		ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// recordedResponse is an answer that is kept in memory.
type recordedResponse struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (k *recordedResponse) Header() http.Header { return k.header }

func (k *recordedResponse) WriteHeader(status int) { k.status = status }

func (k *recordedResponse) Write(text []byte) (int, error) {
	written, err := k.body.Write(text)
	if err != nil {
		return written, fmt.Errorf("keep answer: %w", err)
	}
	return written, nil
}

// do sends a request and decodes the answer into out, unless out is nil. An error answer becomes an error.
func (o *operator) do(ctx context.Context, method, path string, body, out any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, operatorPatience)
	defer cancel()
	var content io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, fmt.Errorf("encode request: %w", err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, content)
	if err != nil {
		return 0, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+o.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := o.client.Do(request)
	if err != nil {
		return 0, failed(fmt.Errorf("ask policyd: %w", err), "policyd doctor says whether the server runs")
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return response.StatusCode, refusal(response.StatusCode, text)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			return 0, fmt.Errorf("read answer: %w", err)
		}
	}
	return response.StatusCode, nil
}

// refusedError is the server's error answer to a request.
type refusedError struct{ code, detail string }

var _ error = (*refusedError)(nil)

func (e *refusedError) Error() string { return e.detail }

// refusal is the error of an error answer.
func refusal(status int, text []byte) error {
	var problem v1.Problem
	if err := json.Unmarshal(text, &problem); err != nil || problem.Detail == "" {
		return failed(fmt.Errorf("policyd answered %d", status), "its log says why")
	}
	return failed(&refusedError{code: problem.Code, detail: problem.Detail}, "")
}

// runOperator runs what an operator's command does, and ends what it opened.
func (p *Program) runOperator(
	command *cobra.Command, chosen *settingsFlags, run func(ctx context.Context, o *operator) error,
) error {
	s, err := p.settings(command, chosen)
	if err != nil {
		return err
	}
	o, err := p.operator(command.Context(), s)
	if err != nil {
		return err
	}
	return errors.Join(run(command.Context(), o), o.close())
}

// addOperator adds the flags of operators' commands.
func (f *settingsFlags) addOperator(command *cobra.Command) {
	f.addPolicy(command)
	f.addRunDir(command)
}

// addRunDir adds the flag for the directory of the server's socket.
func (f *settingsFlags) addRunDir(command *cobra.Command) {
	f.add(command, "run_dir", "run-dir", "`directory` of the Unix socket")
}

// socketOf is the socket of a server with these settings.
func socketOf(s *settings) string { return filepath.Join(s.RunDir, server.SocketName) }
