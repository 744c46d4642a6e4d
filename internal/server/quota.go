package server

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"policyd/internal/quota"
)

// refusals are the messages for a caller over a limit.
var refusals = map[quota.Bound]struct{ code, detail string }{
	quota.Rate:       {"rate_limited", "this agent sends more calls a second than limits.requests_per_second allows; wait as long as Retry-After says"},
	quota.Concurrent: {"too_many_requests", "this agent has as many requests under way as limits.concurrent allows; wait for one of them"},
	quota.Held:       {"too_many_held", "this agent holds as many requests for an answer as limits.held allows; wait for one of them, or ask without wait"},
}

// take takes a slot for a request of an agent of the caller; agent is empty for the caller's own requests.
// The error is a *problem of status 429, and Retry-After is set. The slot is released when the answer is
// written.
func (s *Server) take(c echo.Context, agent string, request quota.Request) (quota.Slot, error) {
	if err := s.begin(c, request.Held); err != nil {
		return quota.Slot{}, err
	}
	if s.options.Quota == nil {
		return quota.Slot{}, nil
	}
	holder := quota.Holder{Agent: agent}
	if found := credentialOf(c); found != nil {
		holder.Caller = found.caller.Identity
		if found.role != RoleAgent {
			holder.Caller = string(found.role) + " " + holder.Caller // operators don't wait for agents
		}
	}
	slot, refusal := s.options.Quota.Take(holder, request)
	if refusal == nil {
		return slot, nil
	}
	c.Response().Header().Set("Retry-After", strconv.Itoa(quota.Seconds(refusal.After)))
	said := refusals[refusal.Bound]
	return quota.Slot{}, newProblem(http.StatusTooManyRequests, said.code, said.detail)
}

// begin notes that the request's connection is busy, and refuses to hold a request if too many are held.
func (s *Server) begin(c echo.Context, held bool) error {
	counted, _ := c.Request().Context().Value(connectionKey{}).(*conn)
	if s.options.Connections == nil || counted == nil {
		return nil
	}
	s.options.Connections.begin(counted)
	if held && !callerOf(c).Operator && !s.options.Connections.holdable() {
		c.Response().Header().Set("Retry-After", "1")
		return newProblem(http.StatusTooManyRequests, "too_many_held",
			"half of limits.connections is held for answers; wait for one of them, or ask without wait")
	}
	return nil
}

// slotKey is the key of the slot that a request has, in Echo's context.
const slotKey = "slot"

// counted counts requests without an agent.
func (s *Server) counted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		slot, err := s.take(c, "", quota.Request{})
		if err != nil {
			return err
		}
		taken := &slot
		c.Set(slotKey, taken)
		defer func() { taken.Release() }()
		return next(c)
	}
}

// holdContext returns a context for a held answer: it ends when the client goes away, when its credential is no
// longer valid and when the server drains. The client's time limit for sending its request is lifted, and the
// request counts among the held ones.
func (s *Server) holdContext(c echo.Context) (context.Context, context.CancelFunc, error) {
	slot, err := s.take(c, "", quota.Request{Held: true})
	if err != nil {
		return nil, nil, err
	}
	if counted, _ := c.Get(slotKey).(*quota.Slot); counted != nil {
		counted.Release()
		*counted = quota.Slot{}
	}
	takeTime(c)
	ctx, cancel := context.WithCancel(c.Request().Context())
	release, stop := s.release(c)
	done := context.AfterFunc(release, cancel)
	return ctx, func() {
		done()
		stop()
		cancel()
		slot.Release()
	}, nil
}

// release returns a context that is done when a held request has to be answered: the server drains, or the
// credential is no longer valid.
func (s *Server) release(c echo.Context) (context.Context, context.CancelFunc) {
	found := credentialOf(c)
	if found == nil || found.ended == nil {
		return s.drained, func() {}
	}
	ctx, cancel := context.WithCancel(s.drained)
	stop := context.AfterFunc(found.ended, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
