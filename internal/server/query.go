package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// Pages of lists.
const (
	usualPage = 100
	largePage = 1000
)

// query reads the parameters of a request. One that isn't known is refused: it
// may be one that the caller relies on. The first fault is kept.
type query struct {
	values url.Values
	known  []string
	err    error
}

func readQuery(address *url.URL) *query {
	if address.RawQuery == "" {
		return &query{}
	}
	values, err := url.ParseQuery(address.RawQuery)
	if err != nil {
		return &query{err: newProblem(http.StatusBadRequest, "malformed_query", "the query can't be read: "+quoted(err.Error()))}
	}
	return &query{values: values}
}

func (q *query) fail(name, allowed string) {
	if q.err == nil {
		q.err = newProblem(http.StatusBadRequest, "invalid_parameter",
			"the query parameter "+name+" is "+quoted(strings.Join(q.values[name], ", "))+"; allowed: "+allowed)
	}
}

// text returns a parameter, empty if it is not given. If allowed isn't empty, it limits the values.
func (q *query) text(name string, allowed ...string) string {
	q.known = append(q.known, name)
	values := q.values[name]
	if len(values) == 0 {
		return ""
	}
	if len(values) != 1 || len(allowed) > 0 && !slices.Contains(allowed, values[0]) {
		if len(allowed) == 0 {
			allowed = []string{"one value"}
		}
		q.fail(name, strings.Join(allowed, ", "))
		return ""
	}
	return values[0]
}

// wait returns how long an answer is to be held.
func (q *query) wait() time.Duration { return q.duration("wait") }

// duration returns a parameter that is the time of a hold.
func (q *query) duration(name string) time.Duration {
	text := q.text(name)
	if text == "" {
		return 0
	}
	wait, err := v1.ParseWait(text)
	if err != nil {
		q.fail(name, err.Error())
		return 0
	}
	return wait
}

// page returns the id to go on from, and how many are wanted.
func (q *query) page() (after string, limit int) {
	after = q.text("after")
	limit = usualPage
	if text := q.text("limit"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 || number > largePage {
			q.fail("limit", "a number from 1 to "+strconv.Itoa(largePage))
			return after, usualPage
		}
		limit = number
	}
	return after, limit
}

// done returns the first fault; a parameter that nobody read is one.
func (q *query) done() error {
	if q.err != nil {
		return q.err
	}
	for name := range q.values {
		if !slices.Contains(q.known, name) {
			allowed := "; there is none here"
			if len(q.known) > 0 {
				allowed = "; allowed: " + strings.Join(q.known, ", ")
			}
			return newProblem(http.StatusBadRequest, "unknown_parameter", "the query parameter "+quoted(name)+" is not known"+allowed)
		}
	}
	return nil
}

// plainQuery refuses every parameter.
func plainQuery(c echo.Context) error { return readQuery(c.Request().URL).done() }

// takeTime marks a request as held, and ends the client's time limit for sending it. If a connection can't do
// so, the only effect is that the wait ends early.
func takeTime(c echo.Context) {
	c.Set(heldKey, true)
	_ = http.NewResponseController(c.Response()).SetReadDeadline(time.Time{})
}
