package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/server"
)

// twoSessions has one session of the caller's and one of somebody else's.
type twoSessions struct{ server.Sessions }

func (twoSessions) List(context.Context, string, int) ([]v1.SessionInfo, string, error) {
	return []v1.SessionInfo{{Session: v1.Session{ID: "own"}}, {Session: v1.Session{ID: "foreign"}}}, "", nil
}

func (twoSessions) Session(_ context.Context, id string, caller v1.Caller) (v1.SessionInfo, error) {
	if id != "own" && !caller.Operator {
		return v1.SessionInfo{}, &v1.CodedError{Code: "foreign_session", Err: errors.New("it belongs to another caller")}
	}
	return v1.SessionInfo{Session: v1.Session{ID: id}}, nil
}

// An agent is shown its own sessions alone, an operator all.
func TestSessionsAreListedToTheirOwners(t *testing.T) {
	r := start(t, func(options *server.Options) { options.Sessions = twoSessions{} })
	for token, want := range map[string][]string{tokens().Agent: {"own"}, tokens().Operator: {"own", "foreign"}} {
		request := r.request(t, http.MethodGet, "/v1/sessions", "")
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := r.client.Do(request)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, errors.Join(err, response.Body.Close()))
		require.Equalf(t, http.StatusOK, response.StatusCode, "%s", body)
		var list v1.SessionList
		require.NoError(t, json.Unmarshal(body, &list))
		ids := []string{}
		for i := range list.Sessions {
			ids = append(ids, list.Sessions[i].ID)
		}
		assert.Equal(t, want, ids)
	}
}
