package prompts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestTheLastCallThatLeavesWithdraws checks A9 for every order in which calls join and leave a prompt: it is
// withdrawn when no call awaits it, and not before.
func TestTheLastCallThatLeavesWithdraws(t *testing.T) {
	const held, unheld = true, false
	tests := []struct {
		name  string
		joins []bool
		// unhold are how many of the held ones stop being held and ask again.
		unhold int
		leaves []bool
		want   string
	}{
		{name: "a held call alone", joins: []bool{held}, leaves: []bool{held}, want: v1.PromptWithdrawn},
		{name: "an unheld call asked before", joins: []bool{unheld, held}, leaves: []bool{held}, want: v1.PromptPending},
		{name: "an unheld call asked after", joins: []bool{held, unheld}, leaves: []bool{held}, want: v1.PromptPending},
		{name: "one of two held calls leaves", joins: []bool{held, held}, leaves: []bool{held}, want: v1.PromptPending},
		{name: "both held calls leave", joins: []bool{held, held}, leaves: []bool{held, held}, want: v1.PromptWithdrawn},
		{name: "a held call's time ended before", joins: []bool{held, held}, unhold: 1, leaves: []bool{held}, want: v1.PromptPending},
		{name: "the unheld call is denied for another reason", joins: []bool{unheld}, leaves: []bool{unheld}, want: v1.PromptWithdrawn},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := build(t)
			id := ""
			for i, isHeld := range test.joins {
				prompt, joined, err := h.Open(t.Context(), question("s", 1, func(q *v1.Question) { q.Held = isHeld }))
				require.NoError(t, err)
				require.Equal(t, i > 0, joined)
				id = prompt.ID
			}
			for range test.unhold {
				h.Unhold(id)
			}
			for _, isHeld := range test.leaves {
				h.Leave(t.Context(), id, isHeld)
			}
			assert.Equal(t, test.want, h.state(t, id))
		})
	}
}

// TestAPromptOfAnotherProcessIsKept checks that a caller who joins a prompt that was there before a restart
// doesn't take it along: an earlier call may await it.
func TestAPromptOfAnotherProcessIsKept(t *testing.T) {
	before := build(t)
	prompt := before.ask(t, question("s", 1))
	h := over(t, before.store, before.ids)
	joined, was, err := h.Open(t.Context(), question("s", 1, func(q *v1.Question) { q.Held = true }))
	require.NoError(t, err)
	require.True(t, was)
	require.Equal(t, prompt.ID, joined.ID)
	h.Leave(t.Context(), prompt.ID, true)
	assert.Equal(t, v1.PromptPending, h.state(t, prompt.ID))
}
