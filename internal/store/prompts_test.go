package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

func promptIsReadAsItWasPut(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	_, err := opened.Prompt(ctx, "p")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, opened.OpenPrompt(ctx, prompt("p", "s")))
	require.ErrorIs(t, opened.OpenPrompt(ctx, prompt("p", "s")), store.ErrConflict)

	want := prompt("p", "s")
	want.CreatedAt, want.ExpiresAt = kept(want.CreatedAt), kept(want.ExpiresAt)
	read, err := opened.Prompt(ctx, "p")
	require.NoError(t, err)
	assert.Equal(t, want, read)

	bare := store.Prompt{Prompt: v1.Prompt{ID: "bare", State: v1.PromptPending}}
	require.NoError(t, opened.OpenPrompt(ctx, bare))
	read, err = opened.Prompt(ctx, "bare")
	require.NoError(t, err)
	assert.Equal(t, bare, read)
}

func promptsComeInPages(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for i := range 6 {
		require.NoError(t, opened.OpenPrompt(ctx, prompt(numbered("p", i), "s")))
	}
	for _, i := range []int{1, 4} {
		_, _, err := opened.ResolvePrompt(ctx, store.Resolution{Prompt: numbered("p", i), State: v1.PromptWithdrawn})
		require.NoError(t, err)
	}
	ids := func(state, after string, limit int) (ids []string) {
		page, err := opened.Prompts(ctx, state, after, limit)
		require.NoError(t, err)
		for _, one := range page {
			ids = append(ids, one.ID)
		}
		return ids
	}
	assert.Equal(t, []string{"p-000000", "p-000002"}, ids(v1.PromptPending, "", 2))
	assert.Equal(t, []string{"p-000003", "p-000005"}, ids(v1.PromptPending, "p-000002", 2))
	assert.Equal(t, []string{"p-000001", "p-000004"}, ids(v1.PromptWithdrawn, "", 0))
	assert.Equal(t, []string{"p-000004", "p-000005"}, ids("", "p-000003", 10))
	assert.Empty(t, ids(v1.PromptAnswered, "", 10))
}

func answerKeepsEverythingOrNothing(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	_, err := opened.PutApprovals(ctx, approval("before", "ls", nil))
	require.NoError(t, err)
	require.NoError(t, opened.OpenPrompt(ctx, prompt("p", "s")))
	_, _, err = opened.ResolvePrompt(ctx, answered("unknown", "s"))
	require.ErrorIs(t, err, store.ErrNotFound)

	broken := answered("p", "s")
	broken.Approvals = []v1.ApprovalEntry{approval("new", "cat", nil), approval("before", "rm", nil)}
	_, _, err = opened.ResolvePrompt(ctx, broken)
	require.ErrorIs(t, err, store.ErrConflict)
	read, err := opened.Prompt(ctx, "p")
	require.NoError(t, err)
	assert.Equal(t, v1.PromptPending, read.State, "what can't be kept whole is not kept")
	onces, err := opened.Onces(ctx, start())
	require.NoError(t, err)
	assert.Empty(t, onces)

	whole := answered("p", "s")
	whole.Approvals = []v1.ApprovalEntry{approval("new", "ls", nil), approval("second", "cat", pointer("/srv"))}
	whole.Grants = []v1.Grant{grant("g", "s", "/lib", v1.GrantRead)}
	saved, grants, err := opened.ResolvePrompt(ctx, whole)
	require.NoError(t, err)
	require.Len(t, saved, 2)
	assert.Equal(t, "before", saved[0].ID, "the one that was there stays")
	assert.Equal(t, "second", saved[1].ID)
	stored, err := opened.Grants(ctx)
	require.NoError(t, err)
	assert.Equal(t, stored, grants)
	approvals, err := opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Equal(t, saved, approvals)
	onces, err = opened.Onces(ctx, start())
	require.NoError(t, err)
	want := *whole.Once
	want.ExpiresAt = kept(want.ExpiresAt)
	assert.Equal(t, []store.Once{want}, onces)
	read, err = opened.Prompt(ctx, "p")
	require.NoError(t, err)
	assert.Equal(t, v1.PromptAnswered, read.State)
	answer := *whole.Answer
	answer.At = kept(answer.At)
	assert.Equal(t, &answer, read.Answer)
}

func answerNeverNarrows(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for i, step := range []struct{ mode, want string }{
		{v1.GrantRead, v1.GrantRead}, {v1.GrantReadWrite, v1.GrantReadWrite}, {v1.GrantRead, v1.GrantReadWrite},
	} {
		id := numbered("p", i)
		require.NoError(t, opened.OpenPrompt(ctx, prompt(id, "s")))
		resolution := answered(id, "s")
		resolution.Grants = []v1.Grant{grant(id, "s", "/lib", step.mode)}
		_, grants, err := opened.ResolvePrompt(ctx, resolution)
		require.NoError(t, err)
		require.Len(t, grants, 1)
		assert.Equal(t, "p-000000", grants[0].ID)
		assert.Equal(t, step.want, grants[0].Mode)
	}
}

func answerNeedsItsState(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	require.NoError(t, opened.OpenPrompt(t.Context(), prompt("p", "s")))
	for name, wrong := range map[string]store.Resolution{
		"no state":                 {Prompt: "p"},
		"still pending":            {Prompt: "p", State: v1.PromptPending},
		"answered without answer":  {Prompt: "p", State: v1.PromptAnswered},
		"withdrawn with an answer": {Prompt: "p", State: v1.PromptWithdrawn, Answer: answered("p", "s").Answer},
	} {
		_, _, err := opened.ResolvePrompt(t.Context(), wrong)
		assert.Error(t, err, name)
	}
	read, err := opened.Prompt(t.Context(), "p")
	require.NoError(t, err)
	assert.Equal(t, v1.PromptPending, read.State)
}

func oneAnswerWins(t *testing.T, on backend) {
	options := on.fresh(t)
	options.Timeout = time.Minute
	stores := []*store.Store{open(t, options), open(t, options)}
	require.NoError(t, stores[0].OpenPrompt(t.Context(), prompt("p", "s")))
	const people = 50
	var group sync.WaitGroup
	var won atomic.Int32
	for i := range people {
		group.Go(func() {
			resolution := answered("p", "s")
			resolution.Answer.By = fmt.Sprint(i)
			resolution.Approvals = []v1.ApprovalEntry{approval(numbered("a", i), numbered("verb", i), nil)}
			saved, _, err := stores[i%2].ResolvePrompt(t.Context(), resolution)
			if err != nil {
				assert.ErrorIs(t, err, store.ErrConflict)
				return
			}
			won.Add(1)
			assert.Equal(t, numbered("a", i), saved[0].ID)
		})
	}
	group.Wait()
	require.Equal(t, int32(1), won.Load())
	read, err := stores[1].Prompt(t.Context(), "p")
	require.NoError(t, err)
	approvals, err := stores[0].Approvals(t.Context(), start())
	require.NoError(t, err)
	require.Len(t, approvals, 1, "the losers kept nothing")
	var number int
	_, err = fmt.Sscan(read.Answer.By, &number)
	require.NoError(t, err)
	assert.Equal(t, numbered("a", number), approvals[0].ID)
}

func onceIsSpentOnce(t *testing.T, on backend) {
	options := on.fresh(t)
	options.Timeout = time.Minute
	stores := []*store.Store{open(t, options), open(t, options)}
	const rounds, retries = 5, 10
	for round := range rounds {
		id := numbered("p", round)
		require.NoError(t, stores[0].OpenPrompt(t.Context(), prompt(id, "s")))
		_, _, err := stores[0].ResolvePrompt(t.Context(), answered(id, "s"))
		require.NoError(t, err)
		var group sync.WaitGroup
		var spent atomic.Int32
		for i := range retries {
			group.Go(func() {
				err := stores[i%2].SpendOnce(t.Context(), id)
				if err == nil {
					spent.Add(1)
					return
				}
				assert.ErrorIs(t, err, store.ErrConflict)
			})
		}
		group.Wait()
		require.Equal(t, int32(1), spent.Load())
	}
	left, err := stores[1].Onces(t.Context(), start())
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Whatever comes first, a session that was archived has nothing.
func archivingAndAnswering(t *testing.T, on backend) {
	options := on.fresh(t)
	options.Timeout = time.Minute
	stores := []*store.Store{open(t, options), open(t, options)}
	ctx := t.Context()
	for round := range 20 {
		id := numbered("s", round)
		_, err := stores[0].CreateSession(ctx, session(id))
		require.NoError(t, err)
		require.NoError(t, stores[0].OpenPrompt(ctx, prompt(id, id)))
		own := approval(id, "ls", nil)
		own.Session = id
		var group sync.WaitGroup
		group.Go(func() { assert.NoError(t, stores[0].ArchiveSession(ctx, id, start())) })
		group.Go(func() {
			resolution := answered(id, id)
			resolution.Approvals = []v1.ApprovalEntry{own}
			resolution.Grants = []v1.Grant{grant(id, id, "/lib", v1.GrantRead)}
			if _, _, err := stores[1].ResolvePrompt(ctx, resolution); err != nil {
				assert.ErrorIs(t, err, store.ErrConflict)
			}
		})
		group.Go(func() {
			if _, err := stores[1].PutApprovals(ctx, own); err != nil {
				assert.ErrorIs(t, err, store.ErrConflict)
			}
		})
		group.Go(func() {
			if err := stores[1].OpenPrompt(ctx, prompt("second "+id, id)); err != nil {
				assert.ErrorIs(t, err, store.ErrConflict)
			}
		})
		group.Wait()
	}
	approvals, err := stores[0].Approvals(ctx, start())
	require.NoError(t, err)
	assert.Empty(t, approvals)
	grants, err := stores[0].Grants(ctx)
	require.NoError(t, err)
	assert.Empty(t, grants)
	onces, err := stores[0].Onces(ctx, start())
	require.NoError(t, err)
	assert.Empty(t, onces)
	pending, err := stores[0].Prompts(ctx, v1.PromptPending, "", 0)
	require.NoError(t, err)
	assert.Empty(t, pending)
}

func endedPromptsGo(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for _, id := range []string{"answered", "withdrawn", "timed", "pending"} {
		require.NoError(t, opened.OpenPrompt(ctx, prompt(id, "s")))
	}
	day := start().AddDate(0, 0, 1) // when they expire
	_, _, err := opened.ResolvePrompt(ctx, answered("answered", "s"))
	require.NoError(t, err)
	_, _, err = opened.ResolvePrompt(ctx, store.Resolution{Prompt: "withdrawn", State: v1.PromptWithdrawn})
	require.NoError(t, err)
	_, _, err = opened.ResolvePrompt(ctx, store.Resolution{Prompt: "timed", State: v1.PromptDelegated, At: start().Add(time.Hour)})
	require.NoError(t, err)
	handed := prompt("handed to a host's dialog", "s") // never open, so that it ends as it begins (A9)
	handed.State, handed.CreatedAt = v1.PromptDelegated, start().Add(-time.Hour)
	require.NoError(t, opened.OpenPrompt(ctx, handed))
	for _, step := range []struct {
		before time.Time
		gone   int
	}{
		{start().Add(-time.Hour), 0},
		{start(), 1},
		{start().Add(time.Microsecond), 1},
		{start().Add(2 * time.Hour), 1},
		{day, 0},
		{day.Add(time.Microsecond), 1},
		{day.AddDate(10, 0, 0), 0},
	} {
		gone, err := opened.DeletePromptsBefore(ctx, step.before, 100)
		require.NoError(t, err)
		assert.Equal(t, step.gone, gone, step.before)
	}
	_, err = opened.Prompt(ctx, "pending")
	require.NoError(t, err)
}

func endedPromptsGoInParts(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for i, id := range []string{"late", "early", "between"} {
		require.NoError(t, opened.OpenPrompt(ctx, prompt(id, "s")))
		at := start().Add(time.Duration([]int{3, 1, 2}[i]) * time.Hour)
		_, _, err := opened.ResolvePrompt(ctx, store.Resolution{Prompt: id, State: v1.PromptWithdrawn, At: at})
		require.NoError(t, err)
	}
	for _, left := range [][]string{{"between", "late"}, {"late"}, {}} {
		gone, err := opened.DeletePromptsBefore(ctx, start().AddDate(1, 0, 0), 1)
		require.NoError(t, err)
		assert.Equal(t, 1, gone)
		kept, err := opened.Prompts(ctx, "", "", 0)
		require.NoError(t, err)
		ids := []string{}
		for i := range kept {
			ids = append(ids, kept[i].ID)
		}
		assert.Equal(t, left, ids, "the oldest goes first")
	}
}
