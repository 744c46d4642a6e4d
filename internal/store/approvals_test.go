package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

func approvalIsThereOnce(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	put := func(entry v1.ApprovalEntry) v1.ApprovalEntry {
		saved, err := opened.PutApprovals(ctx, entry)
		require.NoError(t, err)
		require.Len(t, saved, 1)
		return saved[0]
	}
	until := func(id string, directory *string, expires *time.Time) v1.ApprovalEntry {
		entry := approval(id, "git push", directory)
		entry.ExpiresAt = expires
		return put(entry)
	}
	hour, day := start().Add(time.Hour), start().AddDate(0, 0, 1)
	// In no directory, in the empty one, and in one.
	for name, directory := range map[string]*string{"anywhere": nil, "empty": pointer(""), "here": pointer("/srv/proj")} {
		first := until(name, directory, &hour)
		want := approval(name, "git push", directory)
		want.CreatedAt, want.ExpiresAt = kept(start()), pointer(kept(hour))
		assert.Equal(t, want, first)
		want.ExpiresAt = pointer(kept(day))
		assert.Equal(t, want, until("later", directory, &day), name)
		assert.Equal(t, want, until("earlier", directory, &hour), name)
		want.ExpiresAt = nil
		assert.Equal(t, want, until("forever", directory, nil), name)
		assert.Equal(t, want, until("not forever", directory, &day), name)
	}
	for i, change := range []func(*v1.ApprovalEntry){
		func(entry *v1.ApprovalEntry) { entry.Audience = v1.AudienceTeam },
		func(entry *v1.ApprovalEntry) { entry.Agent = "claude" },
		func(entry *v1.ApprovalEntry) { entry.Tool = "other" },
		func(entry *v1.ApprovalEntry) { entry.Verb = "git" },
		func(entry *v1.ApprovalEntry) { entry.Session = "s" },
	} {
		id := numbered("other", i)
		entry := approval(id, "git push", nil)
		change(&entry)
		assert.Equal(t, id, put(entry).ID)
	}
	all, err := opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Len(t, all, 8)
}

func manyApprovals(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	const many = 1234
	entries, ids := make([]v1.ApprovalEntry, many), make([]string, many)
	for i := range entries {
		ids[i] = numbered("a", i)
		entries[i] = approval(ids[i], numbered("verb", i), pointer("/srv/proj"))
	}
	saved, err := opened.PutApprovals(ctx, entries...)
	require.NoError(t, err)
	for i := range saved {
		require.Equal(t, entries[i].Verb, saved[i].Verb, "in the order of the arguments")
	}
	read, err := opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Equal(t, saved, read)

	again, err := opened.PutApprovals(ctx, entries...)
	require.NoError(t, err)
	assert.Equal(t, saved, again)

	gone, err := opened.DeleteApprovals(ctx, ids[1:]...)
	require.NoError(t, err)
	assert.Equal(t, many-1, gone)
	read, err = opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Equal(t, saved[:1], read)
}

func approvalsAreAllPutOrNone(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	_, err := opened.PutApprovals(ctx, approval("taken", "ls", nil))
	require.NoError(t, err)
	_, err = opened.PutApprovals(ctx, approval("1", "a", nil), approval("taken", "b", nil), approval("2", "c", nil))
	require.ErrorIs(t, err, store.ErrConflict, "an id is given once")
	read, err := opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Len(t, read, 1)
	none, err := opened.PutApprovals(ctx)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func theExpiredGo(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	at := start().Add(time.Hour)
	timed, forever := approval("timed", "ls", nil), approval("forever", "cat", nil)
	timed.ExpiresAt = &at
	_, err := opened.PutApprovals(ctx, timed, forever)
	require.NoError(t, err)
	late := prompt("late", "s")
	late.ExpiresAt = at
	require.NoError(t, opened.OpenPrompt(ctx, late))
	require.NoError(t, opened.OpenPrompt(ctx, prompt("answered", "s")))
	resolution := answered("answered", "s")
	resolution.Once.ExpiresAt = at
	_, _, err = opened.ResolvePrompt(ctx, resolution)
	require.NoError(t, err)

	// counts are the approvals and onces that hold at a time, and the state of the prompt.
	counts := func(now time.Time) (int, int, string) {
		approvals, err := opened.Approvals(ctx, now)
		require.NoError(t, err)
		onces, err := opened.Onces(ctx, now)
		require.NoError(t, err)
		read, err := opened.Prompt(ctx, "late")
		require.NoError(t, err)
		return len(approvals), len(onces), read.State
	}
	expect := func(now time.Time, approvals, onces int, state string) {
		t.Helper()
		gotApprovals, gotOnces, gotState := counts(now)
		assert.Equal(t, []any{approvals, onces, state}, []any{gotApprovals, gotOnces, gotState})
	}
	before := at.Add(-time.Microsecond)
	expect(before, 2, 1, v1.PromptPending)
	expect(at, 1, 0, v1.PromptPending)
	require.NoError(t, opened.SweepExpired(ctx, before))
	expect(before, 2, 1, v1.PromptPending)
	require.NoError(t, opened.SweepExpired(ctx, at))
	expect(before, 1, 0, v1.PromptExpired)
	_, _, err = opened.ResolvePrompt(ctx, answered("late", "s"))
	require.ErrorIs(t, err, store.ErrConflict)
}

// A bound on the whole would, with enough approvals, leave none.
func TestReadingGoesOnForAsLongAsRowsCome(t *testing.T) {
	options := sqliteBackend{}.fresh(t)
	options.Timeout = time.Minute
	opened := open(t, options)
	const many = 40_000
	_, err := opened.PutApprovals(t.Context(), manyEntries(0, many)...)
	require.NoError(t, err)
	began := time.Now()
	_, err = opened.Approvals(t.Context(), start())
	require.NoError(t, err)

	// A fourth of what it takes, and ten times what a part of it takes.
	opened.SetTimeout(time.Since(began) / 4)
	read, err := opened.Approvals(t.Context(), start())
	require.NoError(t, err)
	assert.Len(t, read, many)
	opened.SetTimeout(time.Nanosecond)
	_, err = opened.Approvals(t.Context(), start())
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
