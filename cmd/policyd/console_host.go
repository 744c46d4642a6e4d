package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	v1 "policyd/api/v1"
	"policyd/internal/config"
	"policyd/internal/console"
	"policyd/internal/record"
	"policyd/internal/server"
	"policyd/internal/sidecar"
	"policyd/internal/signin"
)

// consoleHost serves the console from the first request for a link, or from the start. Until then it creates
// nothing.
type consoleHost struct {
	logger *slog.Logger
	// addr is where it listens or will listen.
	addr string

	settings   *settings
	operations *operations
	decider    *sidecar.Sidecar

	mu       sync.Mutex
	listener net.Listener
	console  *console.Console
	server   *http.Server
}

var _ server.Console = (*consoleHost)(nil)

// consoleSessions is the file in the state directory that keeps who is logged in.
const consoleSessions = "console.sessions"

// consoleConnections bounds the connections of browsers.
const consoleConnections = 128

// listenConsole listens on the address if the console is served from the start.
func listenConsole(ctx context.Context, s *settings, logger *slog.Logger) (*consoleHost, error) {
	h := &consoleHost{logger: logger, addr: s.Console.Addr}
	if s.Console.Serve != config.ConsoleAlways {
		return h, nil
	}
	if err := h.listen(ctx); err != nil {
		return nil, err
	}
	h.addr = h.listener.Addr().String()
	return h, nil
}

func (h *consoleHost) listen(ctx context.Context) (err error) {
	if h.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", h.addr); err != nil {
		return failed(fmt.Errorf("listen for the console: %w", err), "name another address with console.addr")
	}
	return nil
}

// options gives the server a console, unless the settings have none.
func (h *consoleHost) options(s *settings, o *operations, decider *sidecar.Sidecar) func(*server.Options) {
	h.settings, h.operations, h.decider = s, o, decider
	return func(options *server.Options) {
		if s.Console.Serve != config.ConsoleOff {
			options.Console = h
		}
	}
}

// newServer makes the server of the API, the console to which it links, if the settings serve it from the
// start, and the notifications.
func (h *consoleHost) newServer(decider *sidecar.Sidecar, s *settings, o *operations, logger *slog.Logger) (*server.Server, *notifications, error) {
	notified, err := newNotifications(s, h.link, logger)
	if err != nil {
		return nil, nil, err
	}
	made, err := decider.NewServer(s, server.Tokens{}, logger, o.options(decider), h.options(s, o, decider))
	if err != nil {
		return nil, nil, err
	}
	return made, notified, errors.Join(decider.Metrics.Add(o.readings), h.begin())
}

// begin serves if the address is taken already.
func (h *consoleHost) begin() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listener == nil {
		return nil
	}
	return h.serve()
}

// Link implements server.Console. It opens the console.
func (h *consoleHost) Link(ctx context.Context, name, credential string) (v1.ConsoleLink, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listener == nil {
		if err := h.listen(context.WithoutCancel(ctx)); err != nil {
			return v1.ConsoleLink{}, &v1.CodedError{Code: "console_unavailable", Err: err}
		}
	}
	if h.server == nil {
		if err := h.serve(); err != nil {
			return v1.ConsoleLink{}, err
		}
	}
	link, expires := h.console.Link(h.base(), console.Operator{Name: name, Credential: credential})
	return v1.ConsoleLink{URL: link, ExpiresAt: expires}, nil
}

// serve makes the console and serves it. The caller holds mu.
func (h *consoleHost) serve() (err error) {
	if h.console, err = console.New(h.consoleOptions()); err != nil {
		return err
	}
	h.server = &http.Server{
		Handler: h.console, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(h.logger.Handler(), slog.LevelWarn),
	}
	listener := netutil.LimitListener(h.listener, consoleConnections)
	if h.operations.certificates != nil {
		listener = server.TLSListener(listener, h.operations.certificates.Config(), h.logger)
	}
	server := h.server
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			h.logger.Error("the console is served no more", "error", err)
		}
	}()
	h.logger.Info("console is served", "address", h.base()+console.Root+"/")
	return nil
}

func (h *consoleHost) consoleOptions() console.Options {
	s, memory := h.settings, h.decider.Memory
	clock := time.Now
	if s.Now != nil {
		clock = s.Now
	}
	options := console.Options{
		Prompts: memory.Prompts, Approvals: memory.Approvals, Sessions: memory.Sessions, Decisions: record.NewReader(s.DecisionLog.File), Events: memory.Events,
		Explain: h.explain, Status: h.status, Clock: clock, Hosts: h.hosts, Secure: h.operations.certificates != nil,
		Credential: h.operations.tokens.Keys().Holds, Kept: filepath.Join(s.StateDir, consoleSessions), Inbound: h.inbound(memory.Prompts), Logger: h.logger,
	}
	if set := s.Console.OIDC; set != nil {
		h.signIn(set, &options)
	}
	return options
}

// signIn lets operators sign in at a provider. Their sessions end when the settings of the sign-in change.
func (h *consoleHost) signIn(set *config.OIDC, options *console.Options) {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{set.Issuer, set.Client, set.Claim}, set.Operators()...), "\n")))
	credential, holds := "oidc:"+hex.EncodeToString(sum[:]), options.Credential
	options.SignIn = signin.New(signin.Options{
		Issuer: set.Issuer, Client: set.Client, Secret: set.Secret, Scopes: set.Scopes, Claim: set.Claim, Groups: set.Operators(),
		Back: func() string { return h.base() + console.SignInBack }, Clock: options.Clock,
	})
	options.SignInCredential, options.Home = credential, h.base
	options.Credential = func(id string) bool { return id == credential || holds(id) }
}

// explain explains a record in words by the active policy.
func (h *consoleHost) explain(ctx context.Context, made *v1.Record) *v1.Explanation {
	current := h.decider.Policy.InForce()
	if current == nil || made.Input == nil {
		return nil
	}
	result := &made.Result
	decision := v1.Decision{ID: made.DecisionID, Effect: result.Decision, Reasons: result.Reasons, Items: result.Items}
	return h.decider.Explain(ctx, current, made.Input, &decision, v1.Caller{Operator: true})
}

func (h *consoleHost) status() console.Status {
	out := console.Status{
		Version: sidecar.Version(), Revision: h.decider.Policy.Revision(),
		Warnings: slices.Concat(h.settings.Warnings(), h.decider.Policy.ScopeWarnings()),
	}
	out.Activated, out.Refused, out.Refusals = h.decider.Policy.Reloads()
	for _, check := range h.decider.Ready().Checks {
		out.Checks = append(out.Checks, console.Check{Name: check.Name, OK: check.OK, Detail: check.Detail})
	}
	return out
}

// base is what precedes the path in links.
func (h *consoleHost) base() string {
	if h.settings.Console.URL != "" {
		return h.settings.Console.URL
	}
	scheme := "http"
	if h.operations.certificates != nil {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(h.bound())
	if address := net.ParseIP(host); err != nil || address != nil && address.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// bound is the address on which the console listens.
func (h *consoleHost) bound() string {
	if h.listener != nil {
		return h.listener.Addr().String()
	}
	return h.addr
}

// hosts are the names under which browsers reach the console.
func (h *consoleHost) hosts() []string {
	host, port, err := net.SplitHostPort(h.bound())
	if err != nil {
		return nil
	}
	names := slices.Concat([]string{host, "localhost", "127.0.0.1", "::1"}, h.settings.AllowedHosts)
	out := make([]string, 0, len(names)+1)
	for _, name := range names {
		out = append(out, net.JoinHostPort(strings.Trim(name, "[]"), port))
	}
	if public, err := url.Parse(h.settings.Console.URL); err == nil && public.Host != "" {
		port := public.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[public.Scheme]
		}
		out = append(out, net.JoinHostPort(public.Hostname(), port))
	}
	return out
}

// Close ends the console and the open streams of browsers.
func (h *consoleHost) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.server != nil:
		return h.server.Close()
	case h.listener != nil:
		return h.listener.Close()
	}
	return nil
}
