package approvals_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

func TestPutAgainChangesNothing(t *testing.T) {
	h := build(t)
	first := h.put(t, v1.ApprovalRequest{Verb: "git push", TTL: "1h"})
	assert.Equal(t, "*", first.Agent)
	assert.Equal(t, v1.AudiencePersonal, first.Audience)
	again, changed, err := h.Put(t.Context(), v1.ApprovalRequest{Verb: "git push", TTL: "30m"})
	require.NoError(t, err)
	assert.False(t, changed)
	assert.Equal(t, first, again, "it holds as long as it did")
	longer, changed, err := h.Put(t.Context(), v1.ApprovalRequest{Verb: "git push"})
	require.NoError(t, err)
	assert.True(t, changed, "it holds longer")
	assert.Equal(t, first.ID, longer.ID)
	h.pass(2 * time.Hour)
	assert.Equal(t, []string{first.ID}, h.matching(call()))
}

func TestRevoke(t *testing.T) {
	h := build(t)
	kept := h.put(t, v1.ApprovalRequest{Verb: "git push"})
	h.store.broken.Store(true)
	assert.Equal(t, "store_unavailable", code(h.Revoke(t.Context(), kept.ID)))
	assert.Len(t, h.matching(call()), 1, "nothing was changed")
	h.store.broken.Store(false)
	before := h.changes.Load()
	require.NoError(t, h.Revoke(t.Context(), kept.ID))
	assert.Equal(t, before+1, h.changes.Load())
	assert.Empty(t, h.matching(call()))
	assert.Equal(t, "not_found", code(h.Revoke(t.Context(), kept.ID)))
}

// TestWithoutTheStoreNothingIsRemembered checks D2.
func TestWithoutTheStoreNothingIsRemembered(t *testing.T) {
	h := build(t)
	h.put(t, v1.ApprovalRequest{Verb: "git push"})
	unsaved := store.Once{Prompt: "p", Session: "s", ExpiresAt: noon.Add(time.Minute), Unsaved: true, Key: make([]byte, 32)}
	h.Remember(nil, &unsaved)
	h.store.broken.Store(true)
	require.ErrorIs(t, h.Load(t.Context()), errBroken)
	require.ErrorIs(t, h.Check(), errBroken)
	assert.Empty(t, h.matching(call()))
	_, _, err := h.List("", 10)
	assert.Equal(t, "store_unavailable", code(err))
	_, _, err = h.Put(t.Context(), v1.ApprovalRequest{Verb: "git fetch"})
	assert.Equal(t, "store_unavailable", code(err))
	_, err = h.Import(t.Context(), v1.ApprovalImport{Approvals: []v1.ApprovalRequest{{Verb: "git fetch"}}, DryRun: true})
	assert.Equal(t, "store_unavailable", code(err))
	h.store.broken.Store(false)
	require.NoError(t, h.Load(t.Context()))
	require.NoError(t, h.Check())
	assert.Len(t, h.matching(call()), 1)
	assert.NoError(t, h.Spend(t.Context(), "p"), "what the store never knew is still there")
}

func TestASessionTakesItsAnswersAlong(t *testing.T) {
	h := build(t)
	once := store.Once{Prompt: "p", Session: "s", ExpiresAt: noon.Add(time.Minute)}
	h.Remember([]v1.ApprovalEntry{
		{ID: "mine", Session: "s", Audience: v1.AudiencePersonal, Agent: "claude-code", Tool: v1.ToolShell, Verb: "git push"},
		{ID: "all", Audience: v1.AudiencePersonal, Agent: "claude-code", Tool: v1.ToolShell, Verb: "git push"},
	}, &once)
	assert.Equal(t, []string{"all", "mine"}, h.matching(call()))
	h.End("s")
	assert.Equal(t, []string{"all"}, h.matching(call()))
	require.ErrorIs(t, h.Spend(t.Context(), "p"), store.ErrConflict)
	before := h.changes.Load()
	h.End("s")
	assert.Equal(t, before, h.changes.Load(), "nothing was left to change")
}

// TestAnAnswerThatExpiredDoesNotTakeTheNextOneAlong checks that one that was kept before for the same is out
// of the way.
func TestAnAnswerThatExpiredDoesNotTakeTheNextOneAlong(t *testing.T) {
	h := build(t)
	old := h.put(t, v1.ApprovalRequest{Verb: "git push", TTL: "1h"})
	h.pass(2 * time.Hour)
	require.NoError(t, h.store.SweepExpired(t.Context(), h.clock()))
	next := h.put(t, v1.ApprovalRequest{Verb: "git push"})
	require.NotEqual(t, old.ID, next.ID)
	assert.Equal(t, "not_found", code(h.Revoke(t.Context(), old.ID)))
	assert.Equal(t, []string{next.ID}, h.matching(call()))
}

// TestAReadingMissesNothing checks that what changes while everything is read anew stays changed, though what
// was read is older.
func TestAReadingMissesNothing(t *testing.T) {
	h := build(t)
	revoked := h.put(t, v1.ApprovalRequest{Verb: "git push"})
	once := h.answered(t)
	h.Remember(nil, &once)
	var added v1.ApprovalEntry
	h.store.read = func() {
		h.store.read = nil
		require.NoError(t, h.Revoke(t.Context(), revoked.ID))
		added = h.put(t, v1.ApprovalRequest{Verb: "git push", Directory: new("/srv/proj")})
		h.Remember([]v1.ApprovalEntry{{ID: "x", Session: "gone", Audience: v1.AudiencePersonal, Agent: "*", Tool: v1.ToolShell, Verb: "git push"}}, nil)
		h.End("gone")
	}
	require.NoError(t, h.Load(t.Context()))
	assert.Equal(t, []string{"p", added.ID}, h.matching(call()))
	assert.Empty(t, h.matching(call(func(f *v1.Facts) { f.Session.ID = "gone"; f.Items[0].Within = nil })))
	h.store.read = func() {
		h.store.read = nil
		require.NoError(t, h.Spend(t.Context(), "p"))
	}
	require.NoError(t, h.Load(t.Context()))
	assert.Equal(t, []string{added.ID}, h.matching(call()))
}

func TestListPages(t *testing.T) {
	h := build(t)
	for i := range 5 {
		h.put(t, v1.ApprovalRequest{Verb: "verb" + strings.Repeat("x", i)})
	}
	h.put(t, v1.ApprovalRequest{Verb: "timed", TTL: "1m"})
	h.pass(time.Minute)
	var ids []string
	after, pages := "", 0
	for {
		list, next, err := h.List(after, 2)
		require.NoError(t, err)
		pages++
		for _, entry := range list {
			ids = append(ids, entry.ID)
		}
		if next == "" {
			break
		}
		after = next
	}
	assert.Equal(t, []string{"id-00001", "id-00002", "id-00003", "id-00004", "id-00005"}, ids)
	assert.Equal(t, 3, pages)
}

// TestWhatAWiderAnswerCovers checks covered_by.
func TestWhatAWiderAnswerCovers(t *testing.T) {
	entry := func(id string, change ...func(*v1.ApprovalEntry)) v1.ApprovalEntry {
		out := v1.ApprovalEntry{
			ID: id, Audience: v1.AudiencePersonal, Agent: "codex", Tool: v1.ToolShell, Verb: "git push", Directory: new("/srv/proj/src"),
		}
		for _, apply := range change {
			apply(&out)
		}
		return out
	}
	tests := map[string]struct {
		wider func(*v1.ApprovalEntry)
		want  bool
	}{
		"anywhere":              {func(e *v1.ApprovalEntry) { e.Directory = nil }, true},
		"a directory above":     {func(e *v1.ApprovalEntry) { e.Directory = new("/srv/proj") }, true},
		"every agent":           {func(e *v1.ApprovalEntry) { e.Agent = "*" }, true},
		"every agent, anywhere": {func(e *v1.ApprovalEntry) { e.Agent, e.Directory = "*", nil }, true},
		"a directory below":     {func(e *v1.ApprovalEntry) { e.Directory = new("/srv/proj/src/a") }, false},
		"a prefix of a name":    {func(e *v1.ApprovalEntry) { e.Directory = new("/srv/proj/s") }, false},
		"another agent":         {func(e *v1.ApprovalEntry) { e.Agent, e.Directory = "gemini-cli", nil }, false},
		"another audience":      {func(e *v1.ApprovalEntry) { e.Audience, e.Directory = v1.AudienceTeam, nil }, false},
		"another verb":          {func(e *v1.ApprovalEntry) { e.Verb, e.Directory = "git", nil }, false},
		"another tool":          {func(e *v1.ApprovalEntry) { e.Tool, e.Directory = v1.ToolOther, nil }, false},
		"one session":           {func(e *v1.ApprovalEntry) { e.Session, e.Directory = "s", nil }, false},
		"for a while":           {func(e *v1.ApprovalEntry) { e.ExpiresAt, e.Directory = new(noon.Add(time.Hour)), nil }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			h.Remember([]v1.ApprovalEntry{entry("a"), entry("b", test.wider)}, nil)
			list, _, err := h.List("", 10)
			require.NoError(t, err)
			require.Len(t, list, 2)
			assert.Equal(t, test.want, list[0].CoveredBy == "b")
		})
	}
	h := build(t)
	until := func(d time.Duration) func(*v1.ApprovalEntry) {
		return func(e *v1.ApprovalEntry) { e.ExpiresAt = new(noon.Add(d)) }
	}
	h.Remember([]v1.ApprovalEntry{
		entry("a", until(time.Hour)),
		entry("b", until(2*time.Hour), func(e *v1.ApprovalEntry) { e.Directory = new("/srv/proj") }),
		entry("c", until(time.Minute), func(e *v1.ApprovalEntry) { e.Directory = nil }),
		entry("d", func(e *v1.ApprovalEntry) { e.Session = "s" }),
		entry("e", func(e *v1.ApprovalEntry) { e.Directory = new(`C:\srv\proj\src`) }),
		entry("f", func(e *v1.ApprovalEntry) { e.Directory = new(`C:\srv\proj`) }),
	}, nil)
	list, _, err := h.List("", 10)
	require.NoError(t, err)
	covered := map[string]string{}
	for _, entry := range list {
		covered[entry.ID] = entry.CoveredBy
	}
	assert.Equal(t, map[string]string{"a": "b", "b": "", "c": "", "d": "", "e": "f", "f": ""}, covered)
}
