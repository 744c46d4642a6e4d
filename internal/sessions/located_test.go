package sessions_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/sessions"
)

// countingScope counts the paths that it looks up, and waits at those of one session.
type countingScope struct {
	plainScope
	looked  []int
	slow    string
	arrived chan struct{}
	release chan struct{}
}

func (s *countingScope) Places(ctx context.Context, session *v1.Session, grants []v1.PathGrant, names []string) ([]sessions.Located, error) {
	if session.ID == s.slow {
		close(s.arrived)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.release:
		}
	} else {
		s.looked = append(s.looked, len(names))
	}
	return s.plainScope.Places(ctx, session, grants, names)
}

// ways are how a session with directories reaches the registry.
var ways = map[string]func(context.Context, *house, *v1.Session) error{
	"a call": func(ctx context.Context, h *house, session *v1.Session) error {
		_, err := h.Admit(ctx, session, agent())
		return err
	},
	"a registration": func(ctx context.Context, h *house, session *v1.Session) error {
		_, _, err := h.Register(ctx, session, agent())
		return err
	},
	"a look": func(ctx context.Context, h *house, session *v1.Session) error {
		_, err := h.Peek(ctx, session, agent())
		return err
	},
}

// A look-up of directories that takes its time keeps no other session and no grant waiting,
// and ends with its own request.
func TestALookUpKeepsNobodyWaiting(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			scope := &countingScope{slow: "slow", arrived: make(chan struct{}), release: make(chan struct{})}
			h.scope = scope
			other := kept()
			_, _, err := h.Register(t.Context(), &other, agent())
			require.NoError(t, err)
			ctx, leave := context.WithCancel(t.Context())
			slow := kept()
			slow.ID = "slow"
			ended := make(chan error)
			go func() { ended <- way(ctx, h, &slow) }()
			<-scope.arrived

			another := kept()
			another.ID = "another"
			_, err = h.Admit(t.Context(), &another, agent())
			require.NoError(t, err)
			_, err = h.Grant(t.Context(), v1.Holder{Session: "s"}, v1.GrantRequest{Path: "/srv/other"})
			require.NoError(t, err)
			require.NoError(t, h.Archive(t.Context(), "another", agent()))

			leave()
			err = <-ended
			if name == "a call" {
				require.NoError(t, err, "a new session that can't be kept is judged as one that may touch nothing")
			} else {
				assert.Equal(t, sessions.CodeUnavailable, code(err))
			}
			_, err = h.Session(t.Context(), "slow", agent())
			assert.Equal(t, sessions.CodeNotFound, code(err), "nothing is kept of it")
		})
	}
}

// Each directory of a request is looked up once, whatever the result.
func TestEachDirectoryIsLookedUpOnce(t *testing.T) {
	const dirs = 64
	session := kept()
	session.ExtraDirs = nil
	for i := range dirs {
		session.ExtraDirs = append(session.ExtraDirs, fmt.Sprintf("/srv/proj/%d", i))
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			scope := &countingScope{}
			h.scope = scope
			require.NoError(t, way(t.Context(), h, &session))
			assert.Equal(t, []int{dirs + 2}, scope.looked)

			_, _, err := h.Register(t.Context(), &session, agent())
			require.NoError(t, err)
			scope.looked = nil
			narrower := session
			narrower.ExtraDirs = append([]string{"/srv/proj/1", "/srv/proj/1"}, session.ExtraDirs...)
			require.NoError(t, way(t.Context(), h, &narrower))
			assert.Equal(t, []int{dirs + 2}, scope.looked, "when it is narrowed, too")
		})
	}
}
