package hinttools_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
	"policyd/internal/hinttools"
	"policyd/internal/pep"
)

var started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// known are the sessions of a sidecar.
type known []v1.SessionInfo

func (k known) Session(_ context.Context, id string) (*v1.SessionInfo, error) {
	for i := range k {
		if k[i].ID == id {
			return &k[i], nil
		}
	}
	return nil, &pep.RefusedError{Status: http.StatusNotFound, Code: "not_found", Detail: "no such session"}
}

func (k known) Sessions(context.Context) ([]v1.SessionInfo, error) { return k, nil }

type absent struct{ known }

func (absent) Sessions(context.Context) ([]v1.SessionInfo, error) { return nil, errors.New("refused") }

func session(id, agent, project string, change ...func(*v1.SessionInfo)) v1.SessionInfo {
	info := v1.SessionInfo{
		Session: v1.Session{ID: id, Agent: agent, ProjectDir: project}, State: v1.SessionActive, CreatedAt: started.Add(time.Minute),
	}
	for _, apply := range change {
		apply(&info)
	}
	return info
}

func archived(info *v1.SessionInfo) { info.State = v1.SessionArchived }

// D5: the session is the host's to say. If several could be meant, or none, no session is.
func TestBinding(t *testing.T) {
	early := func(info *v1.SessionInfo) { info.CreatedAt = started.Add(-time.Second) }
	child := func(info *v1.SessionInfo) { info.ParentID = "gemini-cli:1" }
	gemini := hinttools.Binding{Client: client(t, "gemini"), Project: "/p", Since: started}
	codex := hinttools.Binding{Client: client(t, "codex"), Project: "/p"}
	tests := []struct {
		name     string
		binding  hinttools.Binding
		meta     map[string]any
		sessions known
		want     string
		fault    string
	}{
		{"named", hinttools.Binding{Session: "s"}, map[string]any{"sessionId": "other"}, known{session("s", "x", ""), session("codex:other", "codex", "/p")}, "s", ""},
		{"named and unknown", hinttools.Binding{Session: "s"}, nil, nil, "", "doesn't know session s"},
		{"named and ended", hinttools.Binding{Session: "s"}, nil, known{session("s", "x", "", archived)}, "", "has ended"},
		{"by the environment", hinttools.Binding{Client: client(t, "claude"), Own: "1", Project: "/p"}, nil, known{session("claude-code:1", "claude-code", "/p"), session("claude-code:2", "claude-code", "/p")}, "claude-code:1", ""},
		{"by an environment that is old", hinttools.Binding{Client: client(t, "claude"), Own: "1", Project: "/p"}, nil, known{session("claude-code:1", "claude-code", "/p", archived), session("claude-code:2", "claude-code", "/p")}, "", "has ended"},
		{"by the call", codex, map[string]any{"sessionId": "7", "threadId": "8"}, known{session("codex:7", "codex", "/q"), session("codex:8", "codex", "/p")}, "codex:7", ""},
		{"by an older client's call", codex, map[string]any{"threadId": "8"}, known{session("codex:8", "codex", "/p")}, "codex:8", ""},
		{"by a call with signs", codex, map[string]any{"sessionId": "a/b c"}, known{session("codex:a%2Fb+c", "codex", "/p")}, "codex:a%2Fb+c", ""},
		{"by the call, unknown", codex, map[string]any{"sessionId": "9"}, known{session("codex:8", "codex", "/p")}, "", "doesn't know session codex:9"},
		{"by another client's word", gemini, map[string]any{"sessionId": "9"}, known{session("gemini-cli:9", "gemini-cli", "/q"), session("gemini-cli:1", "gemini-cli", "/p")}, "gemini-cli:1", ""},
		{"by a word that is no text", codex, map[string]any{"sessionId": 7}, known{session("codex:7", "codex", "/q")}, "", "knows no session of codex"},
		{"the only one", gemini, nil, known{session("gemini-cli:1", "gemini-cli", "/p"), session("gemini-cli:2", "gemini-cli", "/q"), session("codex:3", "codex", "/p")}, "gemini-cli:1", ""},
		{"the only one that is left", gemini, nil, known{session("gemini-cli:1", "gemini-cli", "/p"), session("gemini-cli:2", "gemini-cli", "/p", archived), session("gemini-cli:3", "gemini-cli", "/p", early), session("gemini-cli:4", "gemini-cli", "/p", child)}, "gemini-cli:1", ""},
		{"one of two", gemini, nil, known{session("gemini-cli:1", "gemini-cli", "/p"), session("gemini-cli:2", "gemini-cli", "/p")}, "", "2 active sessions"},
		{"none", gemini, nil, known{session("gemini-cli:1", "gemini-cli", "/p", early)}, "", "knows no session of gemini-cli"},
		{"one without a project", hinttools.Binding{Client: client(t, "gemini")}, nil, known{session("gemini-cli:1", "gemini-cli", "")}, "", "knows no session"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id, err := test.binding.Resolve(t.Context(), test.sessions, test.meta)
			if test.fault != "" {
				require.ErrorContains(t, err, test.fault)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, id)
		})
	}
	_, err := gemini.Resolve(t.Context(), absent{}, nil)
	require.ErrorContains(t, err, "refused")
}

func client(t *testing.T, name string) reply.Client {
	t.Helper()
	known, found := reply.ByName(name)
	require.True(t, found, name)
	return *known
}
