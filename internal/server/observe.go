package server

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
)

// Observation is one answered request. No field is a client's choice: Method and Route are among those that
// the server has, or "other".
type Observation struct {
	Method, Route string
	Status        int
	// Held is true for a request that was held for an answer: its duration measures people and not the
	// server.
	Held     bool
	Duration time.Duration
}

// Observer is called for every request, concurrently, and has to be quick.
type Observer interface {
	Began()
	Ended(ctx context.Context, observation Observation)
}

// other replaces unknown methods and routes.
const other = "other"

// methods are those of routes.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// heldKey is set in Echo's context for a held request.
const heldKey = "held"

// observe reports each request to the observer, and to the log if it is set to log all. It is the outermost
// handler, so that it sees refusals and panics.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		logged := s.options.Logger.Enabled(c.Request().Context(), slog.LevelDebug)
		if s.options.Observer == nil && !logged {
			return next(c)
		}
		start := time.Now()
		var told *note
		if logged {
			told = takeNote(c)
		}
		if s.options.Observer != nil {
			s.options.Observer.Began()
		}
		if err := next(c); err != nil {
			c.Error(err) // the status of the answer is known after it
		}
		seen := observation(c, time.Since(start))
		if s.options.Observer != nil {
			s.options.Observer.Ended(c.Request().Context(), seen)
		}
		if logged {
			s.logAccess(c, &seen, told)
		}
		return nil
	}
}

func observation(c echo.Context, duration time.Duration) Observation {
	seen := Observation{Method: c.Request().Method, Route: c.Path(), Status: c.Response().Status, Duration: duration}
	seen.Held, _ = c.Get(heldKey).(bool)
	if !slices.Contains(methods, seen.Method) {
		seen.Method = other
	}
	if seen.Route == "" { // the router has no such path
		seen.Route = other
	}
	return seen
}

// logAccess writes a line without any text of a call.
func (s *Server) logAccess(c echo.Context, seen *Observation, told *note) {
	attributes := []slog.Attr{
		slog.String("method", seen.Method), slog.String("route", seen.Route), slog.Int("status", seen.Status),
		slog.Duration("duration", seen.Duration),
	}
	if found := credentialOf(c); found != nil {
		attributes = append(attributes, slog.String("role", string(found.role)), slog.String("name", found.caller.Name))
	}
	if len(told.decisions) > 0 {
		attributes = append(attributes, slog.Any("decision_id", told.decisions))
	}
	s.options.Logger.LogAttrs(c.Request().Context(), slog.LevelDebug, "request answered", attributes...)
}

// note collects facts about a request while it is handled.
type note struct{ decisions []string }

// noteKey is the key of the note in the context of a request that is logged.
type noteKey struct{}

func takeNote(c echo.Context) *note {
	told := &note{}
	request := c.Request()
	c.SetRequest(request.WithContext(context.WithValue(request.Context(), noteKey{}, told)))
	return told
}

// noting notes the ids of decisions. A request is decided by one goroutine.
type noting struct{ Decider }

// Decide implements Decider.
func (n noting) Decide(ctx context.Context, call *v1.Call, options gate.DecideOptions) v1.Decision {
	decision := n.Decider.Decide(ctx, call, options)
	if told, _ := ctx.Value(noteKey{}).(*note); told != nil {
		told.decisions = append(told.decisions, decision.ID)
	}
	return decision
}

var _ Decider = noting{}

// metrics serves the metrics to those who may read them.
func (s *Server) metrics(c echo.Context) error {
	if s.options.Metrics == nil {
		return newProblem(http.StatusNotFound, "not_found", "metrics are off; metrics.access in the settings turns them on")
	}
	if s.options.MetricsToken {
		found, err := s.identify(c)
		if err != nil {
			return err
		}
		if found.role != RoleMetrics && found.role != RoleOperator {
			return newProblem(http.StatusForbidden, "role_not_allowed", "metrics are for the roles metrics and operator")
		}
	}
	s.options.Metrics.ServeHTTP(c.Response(), c.Request())
	return nil
}
