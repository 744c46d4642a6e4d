package prompts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func withCall(args string) func(*v1.Question) {
	return func(q *v1.Question) { q.Call = &v1.Call{Tool: "Bash", Args: json.RawMessage(args)} }
}

// TestReleaseEndsAPromptOnce checks what a released prompt says, and that an answer that was given stays.
func TestReleaseEndsAPromptOnce(t *testing.T) {
	h := build(t)
	open, answered := h.ask(t, question("s", 1, withCall(`{}`))), h.ask(t, question("s", 2, withCall(`{}`)))
	h.reply(t, answered.ID, v1.ChoiceDeny)
	require.NoError(t, h.Release(t.Context(), answered.ID, "ada"))
	require.NoError(t, h.Release(t.Context(), open.ID, "ada"))
	require.NoError(t, h.Release(t.Context(), open.ID, "bob"))

	for _, book := range []*house{h, over(t, h.store, h.ids)} {
		released, err := book.Get(t.Context(), open.ID)
		require.NoError(t, err)
		assert.Equal(t, v1.PromptAnswered, released.State)
		require.NotNil(t, released.Answer)
		assert.Equal(t, &v1.PromptAnswer{
			Choice: v1.ChoiceCovered, Decision: v1.EffectAllow, By: "ada", At: released.Answer.At,
			Resolution: "Covered by an answer to another question",
		}, released.Answer)
		refused, err := book.Get(t.Context(), answered.ID)
		require.NoError(t, err)
		assert.Equal(t, v1.EffectDeny, refused.Answer.Decision, "a person's no stays")
	}
	assert.Empty(t, h.given, "nothing is saved by it")
	assert.Empty(t, h.Asking(nil), "what has ended asks nothing")
}

// TestKeptCallsAreBounded checks that calls of prompts take bounded memory, and give it back.
func TestKeptCallsAreBounded(t *testing.T) {
	h := build(t)
	large := `"` + strings.Repeat("x", 60<<10) + `"`
	for i := range byte(100) {
		h.ask(t, question("s", i, withCall(large)))
	}
	h.ask(t, question("other", 0, withCall(`"`+strings.Repeat("x", 64<<10)+`"`)))
	assert.Len(t, h.Asking(nil), 100, "one larger than the limit awaits its own answer")
	for session := range 5 {
		for i := range byte(100) {
			h.ask(t, question("s"+strings.Repeat("x", session+1), i, withCall(large)))
		}
	}
	kept := h.Asking(nil)
	total := 0
	for _, asked := range kept {
		total += len(asked.Call.Args)
	}
	assert.LessOrEqual(t, total, 32<<20)
	assert.Less(t, len(kept), 600)
	for _, asked := range kept[:10] {
		h.reply(t, asked.ID, v1.ChoiceOnce)
	}
	h.ask(t, question("late", 1, withCall(large)))
	assert.Len(t, h.Asking(nil), len(kept)-9, "what ended makes room")
}

// TestAskingIsNarrowedByScope checks that only prompts of the scope are listed, the oldest first.
func TestAskingIsNarrowedByScope(t *testing.T) {
	h := build(t)
	first := h.ask(t, question("s", 1, withCall(`{}`)))
	second := h.ask(t, question("t", 1, withCall(`{}`)))
	h.ask(t, question("u", 1, withCall(`{}`), func(q *v1.Question) { q.Scope.Agent = "codex" }))
	h.ask(t, question("v", 1)) // its call isn't known
	asked := h.Asking(func(scope *v1.PromptScope) bool { return scope.Agent == "claude-code" })
	require.Len(t, asked, 2)
	assert.Equal(t, []string{first.ID, second.ID}, []string{asked[0].ID, asked[1].ID})
}
