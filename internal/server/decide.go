package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/quota"
	"policyd/internal/strict"
	"policyd/internal/wire"
)

func (s *Server) decide(c echo.Context) error {
	options, err := decideOptions(c, true)
	if err != nil {
		return err
	}
	call, err := readBody(s, c, strict.DecodeCall)
	if err != nil {
		return err
	}
	slot, err := s.take(c, holderName(&call.Session), quota.Request{Held: options.Wait > 0})
	if err != nil {
		return err
	}
	defer slot.Release()
	if options.Wait > 0 {
		takeTime(c)
		var stop context.CancelFunc
		options.Release, stop = s.release(c)
		defer stop()
	}
	decision := s.options.Gate.Decide(c.Request().Context(), call, options)
	return answerDecision(c, &decision)
}

// decideBatch decides call by call, in order, as the answer is.
func (s *Server) decideBatch(c echo.Context) error {
	options, err := decideOptions(c, false)
	if err != nil {
		return err
	}
	batch, err := readBody(s, c, strict.DecodeBatch)
	if err != nil {
		return err
	}
	slot, err := s.take(c, agentOf(batch.Calls), quota.Request{Calls: len(batch.Calls)})
	if err != nil {
		return err
	}
	defer slot.Release()
	response := v1.BatchResponse{Decisions: make([]v1.Decision, len(batch.Calls))}
	for i := range batch.Calls {
		response.Decisions[i] = s.options.Gate.Decide(c.Request().Context(), &batch.Calls[i], options)
	}
	return answer(c, &response)
}

// holderName is the holder of a call: its agent, or its session if the call has no agent.
func holderName(session *v1.Session) string {
	if session.Agent == "" {
		return "session " + session.ID
	}
	return session.Agent
}

// agentOf is the agent of all calls, empty if there are several: then a host requests decisions on its own
// behalf.
func agentOf(calls []v1.Call) string {
	name := ""
	for i := range calls {
		switch other := holderName(&calls[i].Session); {
		case i == 0:
			name = other
		case other != name:
			return ""
		}
	}
	return name
}

func answer(c echo.Context, value any) error { return answerWith(c, http.StatusOK, value) }

func answerWith(c echo.Context, status int, value any) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(status, value)
}

// answerDecision is answer for what is answered most.
func answerDecision(c echo.Context, decision *v1.Decision) error {
	buffer := takeBuffer()
	defer keepBuffer(buffer)
	text, err := wire.AppendDecision(buffer.AvailableBuffer(), decision)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	buffer.Write(append(text, '\n')) // so that the room is kept
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, buffer.Bytes())
}

// decideOptions parses the query. Only a single call can be held.
func decideOptions(c echo.Context, holdable bool) (gate.DecideOptions, error) {
	options := gate.DecideOptions{Caller: callerOf(c)}
	address := c.Request().URL
	if address.RawQuery == "" {
		return options, nil
	}
	query := readQuery(address)
	options.IncludeFacts = query.text("include", "facts") != ""
	options.Explain = query.text("explain", "1", "true") != ""
	options.Dry = query.text("dry_run", "1", "true") != ""
	if holdable {
		options.Wait = query.wait()
	}
	if options.Dry && !options.Caller.Operator {
		// An agent that could request decisions without a record could probe in silence.
		return options, newProblem(http.StatusForbidden, "role_not_allowed", "dry_run is the operator's: a question of an agent is recorded")
	}
	return options, query.done()
}

// buffers are reused, since a body is only needed until it is decoded, and an answer
// until it is written. Large ones are not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keptBuffer = 64 << 10

func takeBuffer() *bytes.Buffer {
	buffer, _ := buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	return buffer
}

func keepBuffer(buffer *bytes.Buffer) {
	if buffer.Cap() <= keptBuffer {
		buffers.Put(buffer)
	}
}

// readBody reads and decodes the body within the limits.
func readBody[T any](s *Server, c echo.Context, decode func([]byte) (*T, error)) (*T, error) {
	return readBodyUpTo(c, s.options.Limits.BodyBytes, decode)
}

func readBodyUpTo[T any](c echo.Context, limit int64, decode func([]byte) (*T, error)) (*T, error) {
	request := c.Request()
	if request.ContentLength > limit {
		return nil, tooLarge(c, limit)
	}
	buffer := takeBuffer()
	defer keepBuffer(buffer)
	if _, err := buffer.ReadFrom(http.MaxBytesReader(c.Response(), request.Body, limit)); err != nil {
		return nil, bodyProblem(c, err, limit)
	}
	value, err := decode(buffer.Bytes())
	if err != nil {
		return nil, malformed(err)
	}
	return value, nil
}

func bodyProblem(c echo.Context, err error, limit int64) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(c, limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.Response().Header().Set(echo.HeaderConnection, "close")
		return newProblem(http.StatusRequestTimeout, "request_timeout", "the body did not arrive in time; send it again")
	}
	return newProblem(http.StatusBadRequest, "unreadable_body", "the body ended early; send it whole")
}

// tooLarge refuses a body. It first reads the rest, within a bound and the request's time: closing the
// connection on a client that is still sending resets it, and the client would never read the answer.
func tooLarge(c echo.Context, limit int64) error {
	c.Response().Header().Set(echo.HeaderConnection, "close")
	if request := c.Request(); request.Header.Get("Expect") == "" {
		// A client that is gone or too slow may miss the answer.
		_, _ = io.CopyN(io.Discard, request.Body, drainFactor*limit)
	}
	return newProblem(http.StatusRequestEntityTooLarge, "body_too_large",
		"the body is larger than "+decimal(limit)+" bytes; send less")
}

// drainFactor is how many times the limit of a body that is too large is read.
const drainFactor = 16

func malformed(err error) error {
	var refused *strict.Error
	if errors.As(err, &refused) {
		return newProblem(http.StatusBadRequest, string(refused.Code), refused.Error())
	}
	return newProblem(http.StatusBadRequest, string(strict.CodeSyntax), quoted(err.Error()))
}
