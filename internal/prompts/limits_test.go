package prompts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/prompts"
)

// One caller never fills the book: an agent of it has a limit, its agents have half of the
// book together, and others can ask. So it is after a restart.
func TestOneCallerLeavesRoomForOthers(t *testing.T) {
	limits := func(o *prompts.Options) { o.PerSession, o.PerCaller, o.Most = 3, 6, 40 }
	h := build(t, limits)
	flood := func(book *prompts.Book, caller, agent string, first int) (opened int, refused string) {
		for i := range 100 {
			q := question(fmt.Sprintf("%s-%s-%d", caller, agent, first+i/2), byte(i))
			q.Scope.Caller, q.Scope.Agent = caller, agent
			if _, _, err := book.Open(t.Context(), q); err != nil {
				return opened, code(err)
			}
			opened++
		}
		return opened, ""
	}
	opened, refused := flood(h.Book, "token", "a", 0)
	assert.Equal(t, 6, opened, "the limit of an agent, in any number of sessions")
	assert.Equal(t, prompts.CodeFull, refused)
	whole := opened
	for i := range 20 {
		opened, _ = flood(h.Book, "token", fmt.Sprintf("agent-%d", i), 0)
		whole += opened
	}
	assert.Equal(t, 20, whole, "half of the book, under any number of names")

	restarted := over(t, h.store, h.ids, limits)
	for _, book := range []*prompts.Book{h.Book, restarted.Book} {
		opened, _ = flood(book, "token", "late", 0)
		assert.Zero(t, opened)
		opened, _ = flood(book, "user:7", "a", 1000)
		assert.Equal(t, 6, opened, "another caller has room")
	}
}

// Pending prompts of a session or an agent are answered together, so many at a time.
func TestAnswerAll(t *testing.T) {
	h := build(t, func(o *prompts.Options) { o.PerSession = 1000 })
	ask := func(session, agent string, n int) {
		for i := range n {
			q := question(session, byte(i), func(q *v1.Question) { q.Key[1], q.Scope.Agent = agent[0], agent })
			_, _, err := h.Open(t.Context(), q)
			require.NoError(t, err)
		}
	}
	ask("s", "a", 150)
	ask("other", "a", 5)
	ask("other", "b", 7)
	_, err := h.AnswerAll(t.Context(), v1.AnswerAllRequest{Choice: v1.ChoiceDeny})
	assert.Equal(t, prompts.CodeInvalid, code(err), "whose prompts has to be said")
	got, err := h.AnswerAll(t.Context(), v1.AnswerAllRequest{Choice: "shout", Agent: "a"})
	require.NoError(t, err)
	assert.Equal(t, v1.AnswerAllResponse{Skipped: 155}, got)

	for _, want := range []v1.AnswerAllResponse{{Answered: 100, Left: 50}, {Answered: 50}, {}} {
		got, err = h.AnswerAll(t.Context(), v1.AnswerAllRequest{Choice: v1.ChoiceDeny, Session: "s", By: "anna"})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	assert.Equal(t, 12, h.Pending())
	got, err = h.AnswerAll(t.Context(), v1.AnswerAllRequest{Choice: v1.ChoiceDeny, Agent: "a"})
	require.NoError(t, err)
	assert.Equal(t, v1.AnswerAllResponse{Answered: 5}, got)
	left, _, err := h.List(t.Context(), v1.PromptPending, "", "", 100)
	require.NoError(t, err)
	assert.Len(t, left, 7)
	answered, _, err := h.List(t.Context(), v1.PromptAnswered, "s", "", 1000)
	require.NoError(t, err)
	require.Len(t, answered, 150)
	assert.Equal(t, v1.EffectDeny, answered[0].Answer.Decision)
	assert.Equal(t, "anna", answered[0].Answer.By)
}

// The texts of open prompts are bounded, too, and so is one of them.
func TestPromptsAreBoundedInBytes(t *testing.T) {
	h := build(t, func(o *prompts.Options) { o.PerSession, o.Store = 1000, nil })
	ask := func(i, size int, caller string) error {
		q := question("s", byte(i))
		q.Key[1] = byte(i >> 8)
		q.Scope.Caller = caller
		for range size / (100 << 10) {
			q.Prompt.Call.Paths = append(q.Prompt.Call.Paths, strings.Repeat("p", 100<<10))
		}
		_, _, err := h.Open(t.Context(), q)
		return err
	}
	assert.Equal(t, prompts.CodeTooLarge, code(ask(0, 300<<10, "token")))
	opened := 0
	for ; opened < 1000; opened++ {
		if err := ask(opened, 200<<10, "token"); err != nil {
			assert.Equal(t, prompts.CodeFull, code(err))
			break
		}
	}
	assert.Less(t, opened*200<<10, 17<<20, "one agent has a quarter")
	require.NoError(t, ask(1000, 200<<10, "user:7"), "another caller has room")
	_, err := h.AnswerAll(t.Context(), v1.AnswerAllRequest{Choice: v1.ChoiceDeny, Session: "s"})
	require.NoError(t, err)
	require.NoError(t, ask(1001, 200<<10, "token"), "what was answered counts no more")
}
