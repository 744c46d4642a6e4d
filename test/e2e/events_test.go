package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// event is one server-sent event.
type event struct{ id, kind, data string }

// stream reads events until the test ends.
func (s *server) stream(t *testing.T, query, after string) <-chan event {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events"+query, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.token(t, "operator"))
	if after != "" {
		request.Header.Set("Last-Event-ID", after)
	}
	response, err := http.DefaultClient.Do(request) //nolint:bodyclose // its reader closes it
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	events := make(chan event, 1000)
	go func() {
		defer close(events)
		defer response.Body.Close()
		var read event
		scanner := bufio.NewScanner(response.Body)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			name, value, _ := strings.Cut(scanner.Text(), ": ")
			switch name {
			case "id":
				read.id = value
			case "event":
				read.kind = value
			case "data":
				read.data = value
			case "":
				if read.kind != "" {
					events <- read
				}
				read = event{}
			}
		}
	}()
	return events
}

// next returns the next event, which has to be of a kind.
func next(t *testing.T, events <-chan event, kind string) event {
	t.Helper()
	select {
	case got, open := <-events:
		require.True(t, open, "the stream ended before %s", kind)
		require.Equalf(t, kind, got.kind, "%s", got.data)
		return got
	case <-time.After(patience):
		require.FailNow(t, "no event", kind)
		return event{}
	}
}

func TestEventsAreStreamed(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	all := s.stream(t, "", "")
	some := s.stream(t, "?kinds=prompt.created,prompt.answered,prompt.withdrawn", "")
	s.register(t, tree, "s")
	assert.Contains(t, next(t, all, "session.updated").data, `"id":"s"`)

	prompt := s.shell(t, "s", "git push").Prompt
	created := next(t, all, "prompt.created")
	var shown v1.Prompt
	require.NoError(t, json.Unmarshal([]byte(created.data), &shown))
	assert.Equal(t, prompt.ID, shown.ID)
	decided := next(t, all, "decision")
	assert.Contains(t, decided.data, `"decision":"prompt"`)
	assert.NotContains(t, decided.data, "args")
	s.reply(t, prompt, "always_here")
	next(t, all, "approvals.changed")
	answered := next(t, all, "prompt.answered")
	assert.Contains(t, answered.data, "Saved: git push in")

	assert.Equal(t, created, next(t, some, "prompt.created"))
	assert.Equal(t, answered, next(t, some, "prompt.answered"))

	other := s.shell(t, "s", "git fetch").Prompt
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, "/v1/prompts/"+other.ID, nil).status)
	next(t, some, "prompt.created")
	next(t, some, "prompt.withdrawn")

	// A reader that comes back resumes where it was.
	resumed := s.stream(t, "", created.id)
	assert.Equal(t, decided, next(t, resumed, "decision"))
	next(t, resumed, "approvals.changed")
	assert.Equal(t, answered, next(t, resumed, "prompt.answered"))
	// A reader that comes back to another process must read everything again.
	s = s.restart(t)
	next(t, s.stream(t, "", created.id), "resync")

	refuses(t, s.as(t, "agent", http.MethodGet, "/v1/events", nil), http.StatusForbidden, "role_not_allowed")
}
