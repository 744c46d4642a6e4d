package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/sessions"
	"policyd/internal/store"
)

var errBroken = errors.New("the disk is gone")

// plainScope takes every absolute path for a directory that is there.
type plainScope struct{}

func (plainScope) Place(_ *v1.Session, _ []v1.PathGrant, name string) (sessions.Place, error) {
	if !path.IsAbs(name) {
		return sessions.Place{}, fmt.Errorf("%q is relative", name)
	}
	real := path.Clean(name)
	return sessions.Place{Real: real, Exists: true, Dir: true, Visible: true, Sensitive: real == "/"}, nil
}

func (s plainScope) Places(ctx context.Context, session *v1.Session, grants []v1.PathGrant, names []string) ([]sessions.Located, error) {
	located := make([]sessions.Located, len(names))
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		located[i].Place, located[i].Err = s.Place(session, grants, name)
	}
	return located, nil
}

func (plainScope) RepositoryShaped(string) bool { return false }

func (plainScope) Under(name, root string, _ *v1.Session) bool {
	return name == root || strings.HasPrefix(name, root+"/")
}

func (plainScope) Projects() []string { return nil }

func (plainScope) Whitelist() []string { return nil }

func (plainScope) Standing(string) []v1.PathGrant {
	return []v1.PathGrant{{ID: "standing", Root: "/srv/shared", Mode: v1.GrantRead}}
}

var _ sessions.Scope = plainScope{}

// failing is a real store that fails on demand, and counts its calls.
type failing struct {
	*store.Store
	broken atomic.Bool
	asked  atomic.Int64
	// read, if set, is called with the grants read and not yet returned.
	read func()
}

func (f *failing) Session(ctx context.Context, id string) (store.Session, error) {
	f.asked.Add(1)
	if f.broken.Load() {
		return store.Session{}, errBroken
	}
	return f.Store.Session(ctx, id)
}

func (f *failing) CreateSession(ctx context.Context, row store.Session) (store.Session, error) {
	f.asked.Add(1)
	if f.broken.Load() {
		return store.Session{}, errBroken
	}
	return f.Store.CreateSession(ctx, row)
}

func (f *failing) UpdateSession(ctx context.Context, row store.Session) (store.Session, error) {
	f.asked.Add(1)
	if f.broken.Load() {
		return store.Session{}, errBroken
	}
	return f.Store.UpdateSession(ctx, row)
}

func (f *failing) Grants(ctx context.Context) ([]v1.Grant, error) {
	if f.broken.Load() {
		return nil, errBroken
	}
	grants, err := f.Store.Grants(ctx)
	if f.read != nil {
		f.read()
	}
	return grants, err
}

// house is a registry over a store of its own, with a clock that the test moves.
type house struct {
	*sessions.Registry
	store  *failing
	now    atomic.Int64
	faults atomic.Int64
	// noPolicy is set while no policy is active.
	noPolicy atomic.Bool
	// scope is what is known of paths; a test may replace it before it uses the house.
	scope sessions.Scope
}

func build(t *testing.T) *house {
	t.Helper()
	return buildWith(t, func(*sessions.Options) {})
}

// buildWith is build with other options.
func buildWith(t *testing.T, change func(*sessions.Options)) *house {
	t.Helper()
	opened, err := store.Open(t.Context(), store.Options{Address: "sqlite", Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, opened.Close()) })
	h := &house{store: &failing{Store: opened}, scope: plainScope{}}
	h.now.Store(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC).UnixNano())
	var ids atomic.Int64
	options := sessions.Options{
		Store: h.store, Platform: "linux", Home: "/home/dev",
		Scope: func() sessions.Scope {
			if h.noPolicy.Load() {
				return nil
			}
			return h.scope
		},
		Reads: func(context.Context, *v1.Session, string, v1.Caller) v1.Decision { return v1.Decision{} },
		Clock: func() time.Time { return time.Unix(0, h.now.Load()).UTC() },
		NewID: func() string { return fmt.Sprintf("id-%05d", ids.Add(1)) },
		Fault: func(error) { h.faults.Add(1) },
	}
	change(&options)
	h.Registry, err = sessions.New(options)
	require.NoError(t, err)
	require.NoError(t, h.Load(t.Context()))
	return h
}

func (h *house) pass(d time.Duration) { h.now.Add(int64(d)) }

// agent is who asks.
func agent() v1.Caller { return v1.Caller{Identity: "agent"} }

// kept is a session with everything set.
func kept() v1.Session {
	return v1.Session{
		ID: "s", Agent: "claude-code", Audience: v1.AudienceTeam, ProjectDir: "/srv/proj", SessionDir: "/var/agent/s",
		ExtraDirs: []string{"/srv/extra"}, Interactive: new(true), Platform: "linux", Home: "/home/dev", Shell: "bash",
	}
}

func code(err error) string {
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}
