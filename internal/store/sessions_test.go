package store_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

func sessionIsReadAsItWasPut(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	_, err := opened.Session(t.Context(), "s")
	require.ErrorIs(t, err, store.ErrNotFound)

	want := session("s")
	want.Version, want.CreatedAt, want.UpdatedAt = 1, kept(start()), kept(start())
	created, err := opened.CreateSession(t.Context(), session("s"))
	require.NoError(t, err)
	assert.Equal(t, want, created)
	read, err := opened.Session(t.Context(), "s")
	require.NoError(t, err)
	assert.Equal(t, want, read)

	_, err = opened.CreateSession(t.Context(), session("s"))
	require.ErrorIs(t, err, store.ErrConflict)
	_, err = opened.CreateSession(t.Context(), session(""))
	require.Error(t, err)
	// A missing value differs from false.
	bare := store.Session{Session: v1.Session{ID: "bare"}}
	_, err = opened.CreateSession(t.Context(), bare)
	require.NoError(t, err)
	read, err = opened.Session(t.Context(), "bare")
	require.NoError(t, err)
	bare.Version = 1
	assert.Equal(t, bare, read)
}

func oneUpdateWins(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	created, err := opened.CreateSession(t.Context(), session("s"))
	require.NoError(t, err)

	const updates = 20
	var group sync.WaitGroup
	results := make([]error, updates)
	for i := range updates {
		group.Go(func() {
			change := created
			change.ProjectDir = fmt.Sprintf("/srv/%d", i)
			_, results[i] = opened.UpdateSession(t.Context(), change)
		})
	}
	group.Wait()
	won := -1
	for i, err := range results {
		if err == nil {
			assert.Equal(t, -1, won, "two updates won")
			won = i
			continue
		}
		assert.ErrorIs(t, err, store.ErrConflict)
	}
	require.NotEqual(t, -1, won)

	want := created
	want.Version, want.ProjectDir = 2, fmt.Sprintf("/srv/%d", won)
	read, err := opened.Session(t.Context(), "s")
	require.NoError(t, err)
	assert.Equal(t, want, read)

	next := read
	next.Archived, next.CreatedAt = true, next.CreatedAt.AddDate(1, 0, 0)
	updated, err := opened.UpdateSession(t.Context(), next)
	require.NoError(t, err)
	want.Version, want.Archived = 3, true
	assert.Equal(t, want, updated, "when it was created stays")

	missing := session("missing")
	_, err = opened.UpdateSession(t.Context(), missing)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func sessionsComeInPages(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	// In most languages a comes before B, and ä before z.
	for _, id := range []string{"b", "ä", "B", "a", "z", "-"} {
		_, err := opened.CreateSession(t.Context(), session(id))
		require.NoError(t, err)
	}
	ids := func(after string, limit int) (ids []string) {
		page, err := opened.Sessions(t.Context(), after, limit)
		require.NoError(t, err)
		for _, one := range page {
			ids = append(ids, one.ID)
		}
		return ids
	}
	assert.Equal(t, []string{"-", "B", "a"}, ids("", 3))
	assert.Equal(t, []string{"b", "z", "ä"}, ids("a", 3))
	assert.Empty(t, ids("ä", 3))
	assert.Len(t, ids("", 0), 6)
}

func archivingTakesWhatTheSessionHad(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	require.ErrorIs(t, opened.ArchiveSession(ctx, "s", start()), store.ErrNotFound)
	for _, id := range []string{"s", "other"} {
		_, err := opened.CreateSession(ctx, session(id))
		require.NoError(t, err)
		_, _, err = opened.PutGrant(ctx, grant("grant-"+id, id, "/a", v1.GrantRead))
		require.NoError(t, err)
		own := approval("approval-"+id, "ls", nil)
		own.Session = id
		_, err = opened.PutApprovals(ctx, own)
		require.NoError(t, err)
		require.NoError(t, opened.OpenPrompt(ctx, prompt("open-"+id, id)))
		require.NoError(t, opened.OpenPrompt(ctx, prompt("answered-"+id, id)))
		_, _, err = opened.ResolvePrompt(ctx, answered("answered-"+id, id))
		require.NoError(t, err)
	}
	_, _, err := opened.PutGrant(ctx, grant("grant-agent", "", "/a", v1.GrantRead))
	require.NoError(t, err)
	_, err = opened.PutApprovals(ctx, approval("approval-all", "ls", nil))
	require.NoError(t, err)

	at := start().AddDate(0, 0, 1)
	require.NoError(t, opened.ArchiveSession(ctx, "s", at))

	archived, err := opened.Session(ctx, "s")
	require.NoError(t, err)
	assert.True(t, archived.Archived)
	assert.Equal(t, int64(2), archived.Version)
	assert.Equal(t, kept(at), archived.UpdatedAt)
	grants, err := opened.Grants(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"grant-agent", "grant-other"}, []string{grants[0].ID, grants[1].ID})
	assert.Len(t, grants, 2)
	approvals, err := opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Equal(t, []string{"approval-all", "approval-other"}, []string{approvals[0].ID, approvals[1].ID})
	assert.Len(t, approvals, 2)
	onces, err := opened.Onces(ctx, start())
	require.NoError(t, err)
	require.Len(t, onces, 1)
	assert.Equal(t, "answered-other", onces[0].Prompt)
	for id, state := range map[string]string{
		"open-s": v1.PromptWithdrawn, "answered-s": v1.PromptAnswered, "open-other": v1.PromptPending,
	} {
		read, err := opened.Prompt(ctx, id)
		require.NoError(t, err)
		assert.Equal(t, state, read.State, id)
	}
}

func nothingIsAddedToAnArchivedSession(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	created, err := opened.CreateSession(ctx, session("s"))
	require.NoError(t, err)
	require.NoError(t, opened.ArchiveSession(ctx, "s", start()))

	_, _, err = opened.PutGrant(ctx, grant("g", "s", "/a", v1.GrantRead))
	require.ErrorIs(t, err, store.ErrConflict)
	own := approval("a", "ls", nil)
	own.Session = "s"
	_, err = opened.PutApprovals(ctx, approval("b", "ls", nil), own)
	require.ErrorIs(t, err, store.ErrConflict)
	require.ErrorIs(t, opened.OpenPrompt(ctx, prompt("p", "s")), store.ErrConflict)
	approvals, err := opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Empty(t, approvals)

	// It may come back.
	created.Version, created.Archived = 2, false
	_, err = opened.UpdateSession(ctx, created)
	require.NoError(t, err)
	require.NoError(t, opened.OpenPrompt(ctx, prompt("p", "s")))
}

func archivedSessionsGo(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for _, id := range []string{"active", "old", "older", "new", "parent"} {
		_, err := opened.CreateSession(ctx, session(id))
		require.NoError(t, err)
	}
	for i, id := range []string{"older", "parent", "old", "new"} {
		require.NoError(t, opened.ArchiveSession(ctx, id, start().Add(time.Duration(i)*time.Hour)))
	}
	before := start().Add(3 * time.Hour)
	for _, want := range [][]string{{"older"}, {"old"}, nil} {
		gone, err := opened.DeleteSessionsBefore(ctx, before, 1)
		require.NoError(t, err)
		assert.Equal(t, want, gone, "the oldest first; neither what is active nor what others name as parent")
	}
	kept, err := opened.Sessions(ctx, "", 0)
	require.NoError(t, err)
	ids := []string{}
	for i := range kept {
		ids = append(ids, kept[i].ID)
	}
	assert.Equal(t, []string{"active", "new", "parent"}, ids)
}

func sessionsAreCounted(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	bytes := int64(0)
	for i, id := range []string{"a", "é", "c"} {
		row := session(id)
		row.Owner = map[bool]string{true: "two", false: "one"}[i == 2]
		_, err := opened.CreateSession(ctx, row)
		require.NoError(t, err)
		if i < 2 {
			body, err := json.Marshal(row.Session)
			require.NoError(t, err)
			bytes += int64(len(body))
		}
	}
	require.NoError(t, opened.ArchiveSession(ctx, "a", start()))
	count, size, err := opened.CountSessions(ctx, "one")
	require.NoError(t, err)
	assert.Equal(t, 2, count, "ended ones count")
	assert.Equal(t, bytes, size, "bytes, not characters")
	count, size, err = opened.CountSessions(ctx, "nobody")
	require.NoError(t, err)
	assert.Zero(t, count)
	assert.Zero(t, size)
}

func idleSessions(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for i, id := range []string{"old", "oldest", "archived", "new"} {
		row := session(id)
		row.UpdatedAt = start().Add([]time.Duration{time.Hour, 0, 0, 3 * time.Hour}[i])
		_, err := opened.CreateSession(ctx, row)
		require.NoError(t, err)
	}
	require.NoError(t, opened.ArchiveSession(ctx, "archived", start()))
	for limit, want := range map[int][]string{1: {"oldest"}, 10: {"oldest", "old"}} {
		idle, err := opened.IdleSessions(ctx, start().Add(2*time.Hour), limit)
		require.NoError(t, err)
		assert.Equal(t, want, idle)
	}
}
