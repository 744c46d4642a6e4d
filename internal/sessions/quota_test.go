package sessions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/sessions"
	"policyd/internal/store"
)

func named(id string) *v1.Session {
	return &v1.Session{ID: id, Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: "/srv/proj"}
}

// A caller makes no more sessions than it may, by calls and by registrations, whether or not they end.
// Its other sessions go on, and so do other callers and operators.
func TestACallerHasSoManySessions(t *testing.T) {
	h := buildWith(t, func(o *sessions.Options) { o.PerCaller = 3 })
	ctx := t.Context()
	for i := range 3 {
		_, err := h.Admit(ctx, named(fmt.Sprintf("s-%d", i)), agent())
		require.NoError(t, err)
	}
	require.NoError(t, h.Archive(ctx, "s-0", agent()))
	_, err := h.Admit(ctx, named("more"), agent())
	assert.Equal(t, sessions.CodeFull, code(err))
	assert.ErrorContains(t, err, "limits.sessions_per_caller")
	_, _, err = h.Register(ctx, named("more"), agent())
	assert.Equal(t, sessions.CodeFull, code(err))
	assert.EqualValues(t, 2, h.Refused())
	rows, err := h.store.Sessions(ctx, "", 0)
	require.NoError(t, err)
	assert.Len(t, rows, 3)

	for _, id := range []string{"s-0", "s-1"} {
		_, err = h.Admit(ctx, named(id), agent())
		require.NoError(t, err, "what is there goes on, and comes back")
	}
	_, err = h.Admit(ctx, named("other"), v1.Caller{Identity: "other"})
	require.NoError(t, err)
	_, created, err := h.Register(ctx, named("hosted"), v1.Caller{Identity: "operator", Operator: true})
	require.NoError(t, err)
	assert.True(t, created)
	_, err = h.Admit(ctx, named("hosted"), agent())
	require.NoError(t, err, "what an operator registered may be used")
}

// There is room again when ended sessions were deleted, and what other sidecars make counts.
func TestSessionsAreCountedAnew(t *testing.T) {
	h := buildWith(t, func(o *sessions.Options) { o.PerCaller = 2 })
	ctx := t.Context()
	_, err := h.Admit(ctx, named("a"), agent())
	require.NoError(t, err)
	_, err = h.store.CreateSession(ctx, store.Session{Session: *named("elsewhere"), Owner: "agent"})
	require.NoError(t, err)
	h.pass(2 * time.Minute)
	_, err = h.Admit(ctx, named("b"), agent())
	require.Equal(t, sessions.CodeFull, code(err))
	require.NoError(t, h.store.ArchiveSession(ctx, "elsewhere", time.Unix(0, 0)))
	_, err = h.store.DeleteSessionsBefore(ctx, time.Unix(1, 0), 10)
	require.NoError(t, err)
	h.pass(2 * time.Second)
	_, err = h.Admit(ctx, named("b"), agent())
	require.NoError(t, err)
}

// A few sessions with much text are as many as many with little.
func TestSessionsAreBoundedByTheirText(t *testing.T) {
	h := buildWith(t, func(o *sessions.Options) { o.PerCaller = 10 })
	large := func(id string) *v1.Session {
		session := named(id)
		session.Tools = []string{strings.Repeat("x", 30<<10)}
		return session
	}
	for i, want := range []string{"", "", sessions.CodeFull} {
		_, err := h.Admit(t.Context(), large(fmt.Sprintf("s-%d", i)), agent())
		assert.Equal(t, want, code(err))
	}
}

// Sessions that no call names end after a time. One that is used doesn't.
func TestIdleSessionsEnd(t *testing.T) {
	h := build(t)
	ctx := t.Context()
	for _, id := range []string{"used", "idle"} {
		_, err := h.Admit(ctx, named(id), agent())
		require.NoError(t, err)
	}
	since := time.Unix(0, h.now.Load())
	for range 10 {
		h.pass(25 * time.Hour)
		_, err := h.Admit(ctx, named("used"), agent())
		require.NoError(t, err)
	}
	ended, err := h.EndIdle(ctx, since.Add(7*24*time.Hour), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, ended)
	for id, state := range map[string]string{"used": v1.SessionActive, "idle": v1.SessionArchived} {
		info, err := h.Session(ctx, id, agent())
		require.NoError(t, err)
		assert.Equal(t, state, info.State, id)
	}
	// A look at the store once a day is all that it costs.
	before := h.store.asked.Load()
	for range 100 {
		_, err := h.Admit(ctx, named("used"), agent())
		require.NoError(t, err)
	}
	assert.Equal(t, before, h.store.asked.Load())
	// A store that fails keeps no call from being judged.
	h.pass(25 * time.Hour)
	h.store.broken.Store(true)
	_, err = h.Admit(ctx, named("used"), agent())
	require.NoError(t, err)
}
