package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/events"
	"policyd/internal/gate"
	"policyd/internal/quota"
)

// Decider decides one call. It never fails: a fault is a deny. It is called
// concurrently.
type Decider interface {
	Decide(ctx context.Context, call *v1.Call, options gate.DecideOptions) v1.Decision
}

// Readiness states whether calls can be decided, and why not.
type Readiness struct {
	Ready  bool
	Checks []Check
}

// Check is one thing that was looked at for readiness. A check that isn't OK
// doesn't have to make the server unready: it may be a warning.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Limits bound a client's use of the server. A zero value is the default.
type Limits struct {
	// BodyBytes is the largest body, DefaultBodyBytes by default.
	BodyBytes int64
	// ReadHeader, Read and Idle are the time that a client has to send the
	// header, the whole request, and the next one: 5 s, 15 s and 120 s.
	ReadHeader, Read, Idle time.Duration
	// DrainDelay is how long the server still accepts requests after it began to drain and /readyz fails;
	// none by default. DrainTimeout is how long requests in flight then have to finish, 10 s by default.
	DrainDelay, DrainTimeout time.Duration
}

// Options are the collaborators of a Server.
type Options struct {
	Gate      Decider   // required
	Sessions  Sessions  // required
	Prompts   Prompts   // required
	Approvals Approvals // required
	// Decisions may be nil: then records can't be read here.
	Decisions Decisions
	// Capabilities and Terminals may be nil: then nothing is advertised, and no
	// terminal can be reported.
	Capabilities Capabilities
	Terminals    Terminals
	// Runs may be nil: then no call is run contained.
	Runs Runs
	// Console may be nil: then there are no links to one.
	Console Console
	// Events may be nil: then there is no stream of events.
	Events *events.Broker
	// Agents returns the settings of an agent's hooks; personal and interactive unless set. It is called
	// concurrently.
	Agents func(agent string) AgentTerms
	// Tokens are those of the two roles, unless Keys are given.
	Tokens Tokens
	Keys   *Keyring
	// Certificate, unless nil, returns the principal of a client certificate. Its error refuses a connection
	// whose certificate is no longer valid.
	Certificate func(state *tls.ConnectionState) (who Principal, named bool, err error)
	// Connections, unless nil, bounds the connections; its listeners are those of Serve.
	Connections *Connections
	// Quota bounds the requests of one agent; nil means no bound.
	Quota *quota.Quota
	// Observer, unless nil, is called for every request.
	Observer Observer
	// Metrics, unless nil, serves /metrics, to credentials for it alone if MetricsToken is set.
	Metrics      http.Handler
	MetricsToken bool
	// Around, unless nil, wraps all handlers.
	Around func(http.Handler) http.Handler
	// Ready decides the answer of /readyz. Without it the server is ready until it drains.
	Ready   func() Readiness
	Version string
	Limits  Limits
	Logger  *slog.Logger // slog.Default unless set
	// AllowedHosts are the accepted host names of TCP requests, without port, in addition to localhost,
	// 127.0.0.1 and [::1].
	AllowedHosts []string
}

// Server serves the API. It is used for one Serve.
type Server struct {
	options  Options
	http     *http.Server
	hosts    map[string]bool
	settled  settledCalls
	draining atomic.Bool
	// drained is done when the server begins to drain: held requests are answered.
	drained  context.Context
	setDrain context.CancelFunc
}

// New returns a server that isn't listening yet.
func New(options Options) (*Server, error) {
	switch {
	case options.Gate == nil:
		return nil, errors.New("make server: no gate")
	case options.Sessions == nil || options.Prompts == nil || options.Approvals == nil:
		return nil, errors.New("make server: no sessions, prompts or approvals")
	}
	if err := options.credentials(); err != nil {
		return nil, fmt.Errorf("make server: %w", err)
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if options.Ready == nil {
		options.Ready = func() Readiness { return Readiness{Ready: true} }
	}
	if options.Events == nil {
		options.Events = events.New("none")
	}
	options.Gate = noting{options.Gate}
	options.Limits = withDefaults(options.Limits)
	server := &Server{options: options, hosts: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}}
	server.drained, server.setDrain = context.WithCancel(context.Background())
	for _, host := range options.AllowedHosts {
		server.hosts[strings.ToLower(host)] = true
	}
	server.http = &http.Server{
		Handler:           server.handler(),
		ReadHeaderTimeout: options.Limits.ReadHeader,
		ReadTimeout:       options.Limits.Read,
		IdleTimeout:       options.Limits.Idle,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(options.Logger.Handler(), slog.LevelWarn),
		ConnContext:       markConnection,
	}
	if options.Connections != nil {
		server.http.ConnState = options.Connections.note
	}
	return server, nil
}

// credentials makes the keyring of the two tokens if none is given.
func (o *Options) credentials() (err error) {
	if o.Keys != nil {
		return nil
	}
	if err := o.Tokens.check(); err != nil {
		return err
	}
	o.Keys, err = NewKeyring([]Key{
		{Principal: Principal{Role: RoleAgent}, Token: o.Tokens.Agent}, {Principal: Principal{Role: RoleOperator}, Token: o.Tokens.Operator},
	})
	return err
}

// DefaultBodyBytes bounds one call, in bytes, wherever a call is read.
const DefaultBodyBytes = 1 << 20

func withDefaults(limits Limits) Limits {
	for _, limit := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&limits.ReadHeader, 5 * time.Second},
		{&limits.Read, 15 * time.Second},
		{&limits.Idle, 2 * time.Minute},
		{&limits.DrainTimeout, 10 * time.Second},
	} {
		if *limit.value <= 0 {
			*limit.value = limit.usual
		}
	}
	if limits.BodyBytes <= 0 {
		limits.BodyBytes = DefaultBodyBytes
	}
	return limits
}

func (s *Server) handler() http.Handler {
	if s.options.Around != nil {
		return s.options.Around(s.router())
	}
	return s.router()
}

func (s *Server) router() http.Handler {
	router := echo.New()
	router.JSONSerializer = serializer{}
	router.HTTPErrorHandler = s.answerError
	router.Pre(s.observe, s.recoverPanic, s.refuseForeign)
	router.Use(refuseOptions)
	for _, route := range []struct {
		path    string
		handler echo.HandlerFunc
	}{
		{"/", s.about}, {"/livez", s.live}, {"/healthz", s.live}, {"/readyz", s.ready}, {"/openapi.json", s.openAPI}, {"/metrics", s.metrics},
	} {
		router.GET(route.path, route.handler)
		router.HEAD(route.path, route.handler)
	}
	router.POST("/v1/decide", s.decide, s.authenticate, requireJSON)
	router.POST("/v1/decide/batch", s.decideBatch, s.authenticate, requireJSON)
	router.GET("/v1/capabilities", s.capabilities, s.authenticate, s.counted)
	router.POST(hookPath+":client", s.hook, s.authenticate, requireJSON)
	router.GET("/v1/events", s.streamEvents, s.authenticate, s.counted, operatorOnly)
	s.routeSessions(router.Group("/v1/sessions", s.authenticate, s.counted))
	s.routeGrants(router.Group("/v1/agents/:agent/grants", s.authenticate, s.counted))
	s.routePrompts(router.Group("/v1/prompts", s.authenticate, s.counted))
	s.routeApprovals(router.Group("/v1/approvals", s.authenticate, s.counted))
	router.POST("/v1/console/link", s.linkConsole, s.authenticate, s.counted, operatorOnly, requireJSON)
	s.routeRuns(router.Group("/v1/runs", s.authenticate, s.counted))
	s.routeDecisions(router.Group("/v1/decisions", s.authenticate, s.counted))
	return router
}

func (s *Server) routeSessions(group *echo.Group) {
	group.GET("", s.listSessions)
	group.PUT("/:id", s.putSession, requireJSON)
	group.GET("/:id", s.getSession)
	group.PATCH("/:id", s.patchSession, requireJSON)
	group.DELETE("/:id", s.deleteSession)
	group.POST("/:id/access-requests", s.requestAccess, requireJSON)
	group.POST("/:id/terminals", s.reportTerminal, requireJSON)
	s.routeGrants(group.Group("/:id/grants"))
}

func (s *Server) routeGrants(group *echo.Group) {
	group.GET("", s.listGrants, operatorOnly)
	group.POST("", s.postGrant, operatorOnly, requireJSON)
	group.DELETE("/:grant", s.deleteGrant, operatorOnly)
}

func (s *Server) routePrompts(group *echo.Group) {
	group.GET("", s.listPrompts)
	group.POST("/answer", s.answerPrompts, operatorOnly, requireJSON)
	group.GET("/:id", s.getPrompt)
	group.DELETE("/:id", s.deletePrompt)
	group.POST("/:id/answer", s.answerPrompt, operatorOnly, requireJSON)
}

func (s *Server) routeApprovals(group *echo.Group) {
	group.GET("", s.listApprovals, operatorOnly)
	group.POST("", s.postApproval, operatorOnly, requireJSON)
	group.POST("/import", s.importApprovals, operatorOnly, requireJSON)
	group.DELETE("/:id", s.deleteApproval, operatorOnly)
}

// ServeHTTP answers one request of this process, without a listener.
func (s *Server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	s.http.Handler.ServeHTTP(writer, request)
}

var _ http.Handler = (*Server)(nil)

// Serve serves on the listeners, one of which may be nil, until ctx is done. Then it drains: /readyz answers
// 503, it accepts requests for Limits.DrainDelay, the listeners close, and requests in flight have
// Limits.DrainTimeout to finish. It returns nil after a clean drain, and closes the listeners in any case.
func (s *Server) Serve(ctx context.Context, tcp, unix net.Listener) error {
	listeners := []net.Listener{}
	for _, listener := range []net.Listener{tcp, unix} {
		if listener != nil {
			listeners = append(listeners, listener)
		}
	}
	if len(listeners) == 0 {
		return errors.New("serve: no listener")
	}
	stopped := make(chan error, len(listeners))
	for _, listener := range listeners {
		go func() { stopped <- s.http.Serve(listener) }()
	}
	select {
	case err := <-stopped:
		return errors.Join(fmt.Errorf("serve: %w", err), s.http.Close())
	case <-ctx.Done():
	}
	return s.drain(context.WithoutCancel(ctx))
}

func (s *Server) drain(ctx context.Context) error {
	s.draining.Store(true)
	s.setDrain()
	if s.options.Limits.DrainDelay > 0 {
		delay := time.NewTimer(s.options.Limits.DrainDelay)
		defer delay.Stop()
		<-delay.C
	}
	ctx, cancel := context.WithTimeout(ctx, s.options.Limits.DrainTimeout)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("drain: %w", err), s.http.Close())
	}
	return nil
}
