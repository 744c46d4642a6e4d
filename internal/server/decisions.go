package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/goccy/go-json"
	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// Decisions are the records of decisions. An error that wraps a *v1.CodedError is an answer to the caller.
// They are called concurrently.
type Decisions interface {
	// List returns records as they are in the log, one JSON object each.
	List(ctx context.Context, filter v1.RecordFilter, after string, limit int) (list [][]byte, next string, err error)
	Record(ctx context.Context, id string) ([]byte, error)
}

func (s *Server) routeDecisions(group *echo.Group) {
	group.GET("", s.listDecisions, operatorOnly)
	group.GET("/:id", s.getDecision, operatorOnly)
}

// noDecisions replaces a log that can't be read.
func noDecisions() error {
	return newProblem(http.StatusServiceUnavailable, "log_unavailable", "there is no decision log to read here")
}

// listDecisions answers with records, the newest first. They are sent as they are in the log: a mask may have
// changed their form.
func (s *Server) listDecisions(c echo.Context) error {
	query := readQuery(c.Request().URL)
	filter := v1.RecordFilter{
		Session: query.text("session"), Agent: query.text("agent"), Rule: query.text("rule"), Code: query.text("code"),
		Decision: query.text("decision", v1.EffectAllow.String(), v1.EffectPrompt.String(), v1.EffectDeny.String()),
		Since:    query.since(),
	}
	after, limit := query.page()
	if err := query.done(); err != nil {
		return err
	}
	if s.options.Decisions == nil {
		return noDecisions()
	}
	list, next, err := s.options.Decisions.List(c.Request().Context(), filter, after, limit)
	if err != nil {
		return refused(err)
	}
	var out bytes.Buffer
	out.WriteString(`{"decisions":[`)
	out.Write(bytes.Join(list, []byte{','}))
	out.WriteByte(']')
	if next != "" {
		name, err := json.Marshal(next)
		if err != nil {
			return err
		}
		out.WriteString(`,"next":`)
		out.Write(name)
	}
	out.WriteByte('}')
	return answerAsItIs(c, out.Bytes())
}

func (s *Server) getDecision(c echo.Context) error {
	id, err := pathValue(c, "id")
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	if s.options.Decisions == nil {
		return noDecisions()
	}
	line, err := s.options.Decisions.Record(c.Request().Context(), id)
	if err != nil {
		return refused(err)
	}
	return answerAsItIs(c, line)
}

// answerAsItIs answers with text that is JSON already.
func answerAsItIs(c echo.Context, text []byte) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, text)
}

// since returns a point in time: one that is named, or one so long ago.
func (q *query) since() time.Time {
	text := q.text("since")
	if text == "" {
		return time.Time{}
	}
	at, err := ParseSince(text, time.Now())
	if err != nil {
		q.fail("since", err.Error())
	}
	return at
}

var errSince = errors.New("a time such as 2026-01-02T15:04:05Z, or a duration such as 90m")

// ParseSince reads a time in RFC 3339, or how long ago it was. The error states what is allowed.
func ParseSince(text string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, errSince
	}
	return at, nil
}
