package approvals_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// TestWhatCouldApply checks that an answer is found for its audience, agent, tool, verb and directory, and
// for nothing else (V6, A5).
func TestWhatCouldApply(t *testing.T) {
	entry := func(change ...func(*v1.ApprovalEntry)) v1.ApprovalEntry {
		out := v1.ApprovalEntry{
			ID: "a", Audience: v1.AudiencePersonal, Agent: "claude-code", Tool: v1.ToolShell, Verb: "git push",
			Directory: new("/srv/proj"), CreatedAt: noon,
		}
		for _, apply := range change {
			apply(&out)
		}
		return out
	}
	tests := map[string]struct {
		entry v1.ApprovalEntry
		facts *v1.Facts
		want  bool
	}{
		"the same":           {entry(), call(), true},
		"its own directory":  {entry(func(e *v1.ApprovalEntry) { e.Directory = new("/srv/proj/src") }), call(), true},
		"anywhere":           {entry(func(e *v1.ApprovalEntry) { e.Directory = nil }), call(), true},
		"every agent":        {entry(func(e *v1.ApprovalEntry) { e.Agent = "*" }), call(), true},
		"another agent":      {entry(func(e *v1.ApprovalEntry) { e.Agent = "codex" }), call(), false},
		"another audience":   {entry(func(e *v1.ApprovalEntry) { e.Audience = v1.AudienceTeam }), call(), false},
		"a wider audience":   {entry(), call(func(f *v1.Facts) { f.Session.Audience = v1.AudiencePublic }), false},
		"another tool":       {entry(func(e *v1.ApprovalEntry) { e.Tool = v1.ToolMCP }), call(), false},
		"another verb":       {entry(func(e *v1.ApprovalEntry) { e.Verb = "git" }), call(), false},
		"a longer verb":      {entry(func(e *v1.ApprovalEntry) { e.Verb = "git push origin" }), call(), false},
		"another directory":  {entry(func(e *v1.ApprovalEntry) { e.Directory = new("/srv/other") }), call(), false},
		"a prefix of a name": {entry(func(e *v1.ApprovalEntry) { e.Directory = new("/srv/pro") }), call(), false},
		"an empty directory": {entry(func(e *v1.ApprovalEntry) { e.Directory = new("") }), call(func(f *v1.Facts) { f.Items[0].Within = nil }), false},
		"unknown cwd":        {entry(), call(func(f *v1.Facts) { f.Items[0].Within = nil }), false},
		"unknown, anywhere": {
			entry(func(e *v1.ApprovalEntry) { e.Directory = nil }), call(func(f *v1.Facts) { f.Items[0].Within = nil }), true,
		},
		"a path":          {entry(), call(func(f *v1.Facts) { f.Items[0].Kind = v1.ItemPath }), false},
		"no verb":         {entry(func(e *v1.ApprovalEntry) { e.Verb = "" }), call(func(f *v1.Facts) { f.Items[0].Verb = "" }), false},
		"its session":     {entry(func(e *v1.ApprovalEntry) { e.Session = "s" }), call(), true},
		"a parent's":      {entry(func(e *v1.ApprovalEntry) { e.Session = "parent" }), call(), true},
		"a grandparent's": {entry(func(e *v1.ApprovalEntry) { e.Session = "root" }), call(), true},
		"a child's":       {entry(func(e *v1.ApprovalEntry) { e.Session = "child" }), call(), false},
		"another session": {entry(func(e *v1.ApprovalEntry) { e.Session = "other" }), call(), false},
		"ends later":      {entry(func(e *v1.ApprovalEntry) { e.ExpiresAt = new(noon.Add(time.Second)) }), call(), true},
		"ends now":        {entry(func(e *v1.ApprovalEntry) { e.ExpiresAt = new(noon) }), call(), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			h.parents = map[string]string{"s": "parent", "parent": "root", "child": "s"}
			h.Remember([]v1.ApprovalEntry{test.entry}, nil)
			assert.Equal(t, test.want, len(h.matching(test.facts)) == 1)
		})
	}
}

func TestEachAnswerIsFoundOnce(t *testing.T) {
	h := build(t)
	h.put(t, v1.ApprovalRequest{Verb: "git push"})
	here := h.put(t, v1.ApprovalRequest{Verb: "git push", Directory: new("/srv/proj")})
	facts := call()
	facts.Items = append(facts.Items, facts.Items[0])
	got := h.Matching(facts, key{1})
	require.Len(t, got, 2)
	assert.Equal(t, v1.Approval{ID: "id-00001", Tool: v1.ToolShell, Verb: "git push", Anywhere: true}, got[0])
	assert.Equal(t, v1.Approval{ID: here.ID, Tool: v1.ToolShell, Verb: "git push", Directory: "/srv/proj"}, got[1])
}

// answered puts a one-shot answer into the store.
func (h *house) answered(t *testing.T) store.Once {
	t.Helper()
	const prompt, session = "p", "s"
	digest := key{1}
	once := store.Once{Prompt: prompt, Session: session, Key: digest[:], ExpiresAt: noon.Add(10 * time.Minute)}
	require.NoError(t, h.store.OpenPrompt(t.Context(), store.Prompt{
		Prompt: v1.Prompt{
			ID: prompt, State: v1.PromptPending, Call: v1.PromptCall{SessionID: session}, CreatedAt: noon, ExpiresAt: noon.Add(time.Hour),
		}, Kind: v1.PromptKindCall, Key: digest[:],
	}))
	_, _, err := h.store.ResolvePrompt(t.Context(), store.Resolution{
		Prompt: prompt, State: v1.PromptAnswered, Answer: &v1.PromptAnswer{Choice: v1.ChoiceOnce, At: noon}, Once: &once,
	})
	require.NoError(t, err)
	return once
}

// TestOnceIsForOneCall checks A10: session, key and ten minutes.
func TestOnceIsForOneCall(t *testing.T) {
	h := build(t)
	once := h.answered(t)
	h.Remember(nil, &once)
	h.Remember(nil, &once)
	assert.Equal(t, []string{"p"}, h.matching(call()), "it is there once")
	assert.Empty(t, h.matching(call(func(f *v1.Facts) { f.Session.ID = "other" })))
	assert.Empty(t, h.Matching(call(), key{2}), "another call")
	h.pass(10 * time.Minute)
	assert.Empty(t, h.matching(call()))
}

// TestOnceIsSpentOnce checks A10 under a hundred callers.
func TestOnceIsSpentOnce(t *testing.T) {
	for name, unsaved := range map[string]bool{"saved": false, "unsaved": true} {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			once := store.Once{Prompt: "p", Session: "s", ExpiresAt: noon.Add(time.Minute), Unsaved: true}
			if !unsaved {
				once = h.answered(t)
			}
			h.Remember(nil, &once)
			var spent atomic.Int64
			var group sync.WaitGroup
			begin := make(chan struct{})
			for range 100 {
				group.Go(func() {
					<-begin
					if err := h.Spend(t.Context(), "p"); err == nil {
						spent.Add(1)
					} else {
						assert.ErrorIs(t, err, store.ErrConflict)
					}
				})
			}
			close(begin)
			group.Wait()
			assert.Equal(t, int64(1), spent.Load())
			require.NoError(t, h.Load(t.Context()))
			assert.ErrorIs(t, h.Spend(t.Context(), "p"), store.ErrConflict, "the store knows, too")
		})
	}
}

// TestOnceThatCantBeRecordedIsNotUsed checks that no one-shot answer is used twice because the store failed.
func TestOnceThatCantBeRecordedIsNotUsed(t *testing.T) {
	h := build(t)
	once := h.answered(t)
	h.Remember(nil, &once)
	h.store.broken.Store(true)
	require.ErrorIs(t, h.Spend(t.Context(), "p"), errBroken)
	h.store.broken.Store(false)
	require.ErrorIs(t, h.Spend(t.Context(), "p"), store.ErrConflict)
}
