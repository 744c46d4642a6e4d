package prompts_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/prompts"
	"policyd/internal/store"
)

// TestTheSameQuestionIsAskedOnce checks A10.
func TestTheSameQuestionIsAskedOnce(t *testing.T) {
	h := build(t)
	first := h.ask(t, question("s", 1))
	again, joined, err := h.Open(t.Context(), question("s", 1))
	require.NoError(t, err)
	assert.True(t, joined)
	assert.Equal(t, first, again)
	assert.NotEqual(t, first.ID, h.ask(t, question("s", 2)).ID, "another call")
	assert.NotEqual(t, first.ID, h.ask(t, question("other", 1)).ID, "another session")
	assert.Len(t, h.listed(t, v1.PromptPending), 3)
}

// TestAQuestionThatChangedReplacesTheOldOne checks that a person isn't asked what is asked no more.
func TestAQuestionThatChangedReplacesTheOldOne(t *testing.T) {
	for name, change := range map[string]func(*v1.Question){
		"title":   func(q *v1.Question) { q.Prompt.Title = "Approve in /srv/proj?" },
		"verbs":   func(q *v1.Question) { q.Prompt.Verbs = []string{"git push", "rm"} },
		"paths":   func(q *v1.Question) { q.Prompt.Call.Paths = []string{"/srv/other"} },
		"choices": func(q *v1.Question) { q.Prompt.Choices = q.Prompt.Choices[:1] },
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			first := h.ask(t, question("s", 1))
			next := h.ask(t, question("s", 1, change))
			assert.Equal(t, v1.PromptWithdrawn, h.state(t, first.ID))
			assert.Equal(t, []string{next.ID}, h.listed(t, v1.PromptPending))
			assert.Equal(t, []string{first.ID + " pending", first.ID + " withdrawn", next.ID + " pending"}, h.notified)
			_, err := h.Answer(t.Context(), first.ID, v1.AnswerRequest{Choice: "once"})
			assert.Equal(t, prompts.CodeEnded, code(err))
		})
	}
}

func TestPromptsExpireByTheClock(t *testing.T) {
	h := build(t, func(o *prompts.Options) { o.Expiry = time.Hour })
	prompt := h.ask(t, question("s", 1))
	h.pass(time.Hour - 1)
	h.Expire(t.Context())
	assert.Equal(t, v1.PromptPending, h.state(t, prompt.ID))
	h.pass(1)
	assert.Equal(t, v1.PromptExpired, h.state(t, prompt.ID), "whether or not anybody noted it")
	_, err := h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: "once"})
	assert.Equal(t, prompts.CodeEnded, code(err))
	assert.Equal(t, prompts.CodeEnded, code(h.Withdraw(t.Context(), prompt.ID)))
	ended, err := h.Wait(t.Context(), prompt.ID)
	require.NoError(t, err)
	assert.Equal(t, v1.PromptExpired, ended.State, "nobody waits for what has expired")
	h.Expire(t.Context())
	row, err := h.store.Prompt(t.Context(), prompt.ID)
	require.NoError(t, err)
	assert.Equal(t, v1.PromptExpired, row.State)
	assert.Empty(t, h.onces)
	next := h.ask(t, question("s", 1))
	assert.NotEqual(t, prompt.ID, next.ID)
	h.pass(2 * time.Hour)
	assert.NotEqual(t, next.ID, h.ask(t, question("s", 1)).ID, "an expired one isn't joined")
}

// TestOpenPromptsAreCapped checks A11, per session and in all; what expired makes room.
func TestOpenPromptsAreCapped(t *testing.T) {
	h := build(t, func(o *prompts.Options) { o.PerSession, o.Most, o.Expiry = 2, 3, time.Hour })
	h.ask(t, question("a", 1))
	kept := h.ask(t, question("a", 2))
	_, _, err := h.Open(t.Context(), question("a", 3))
	assert.Equal(t, prompts.CodeFull, code(err))
	_, joined, err := h.Open(t.Context(), question("a", 2))
	require.NoError(t, err)
	assert.True(t, joined, "what is open can be joined")
	h.ask(t, question("b", 1))
	_, _, err = h.Open(t.Context(), question("c", 1))
	assert.Equal(t, prompts.CodeFull, code(err))
	h.reply(t, kept.ID, "deny")
	h.ask(t, question("c", 1))
	h.pass(time.Hour)
	h.ask(t, question("a", 4))
	assert.Len(t, h.listed(t, v1.PromptPending), 1)
}

func TestWaitWakesAll(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, h *house, id string) string{
		"answer": func(t *testing.T, h *house, id string) string {
			t.Helper()
			h.reply(t, id, "once")
			return v1.PromptAnswered
		},
		"withdrawal": func(t *testing.T, h *house, id string) string {
			t.Helper()
			require.NoError(t, h.Withdraw(t.Context(), id))
			return v1.PromptWithdrawn
		},
		"archive": func(t *testing.T, h *house, id string) string {
			t.Helper()
			_, _, err := h.store.ResolvePrompt(t.Context(), store.Resolution{Prompt: id, State: v1.PromptWithdrawn, At: noon})
			require.NoError(t, err) // as archiving the session does
			h.Archive("s")
			return v1.PromptWithdrawn
		},
		"expiry": func(t *testing.T, h *house, _ string) string {
			t.Helper()
			h.pass(48 * time.Hour)
			h.Expire(t.Context())
			return v1.PromptExpired
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			prompt := h.ask(t, question("s", 1))
			states := make(chan string, 20)
			for range cap(states) {
				go func() {
					ended, err := h.Wait(t.Context(), prompt.ID)
					assert.NoError(t, err)
					states <- ended.State
				}()
			}
			want := end(t, h, prompt.ID)
			for range cap(states) {
				assert.Equal(t, want, <-states)
			}
		})
	}
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	h := build(t)
	prompt := h.ask(t, question("s", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	kept, err := h.Wait(ctx, prompt.ID)
	require.NoError(t, err)
	assert.Equal(t, v1.PromptPending, kept.State)
	h.Leave(t.Context(), prompt.ID, false)
	assert.Equal(t, v1.PromptWithdrawn, h.state(t, prompt.ID), "nobody else waits for it")
	_, err = h.Wait(t.Context(), "nobody")
	assert.Equal(t, prompts.CodeNotFound, code(err))
}

func TestArchiveEndsTheSessionsPromptsAlone(t *testing.T) {
	h := build(t)
	mine, other := h.ask(t, question("s", 1)), h.ask(t, question("other", 1))
	h.Archive("s")
	_, err := h.Answer(t.Context(), other.ID, v1.AnswerRequest{Choice: "once"})
	require.NoError(t, err)
	assert.Contains(t, h.notified, mine.ID+" withdrawn")
}

// TestARestartKeepsWhatIsPending checks A9.
func TestARestartKeepsWhatIsPending(t *testing.T) {
	h := build(t)
	open, ended := h.ask(t, question("s", 1)), h.ask(t, question("s", 2))
	h.reply(t, ended.ID, "deny")
	next := over(t, h.store, h.ids)
	joined, isJoined, err := next.Open(t.Context(), question("s", 1))
	require.NoError(t, err)
	assert.True(t, isJoined)
	assert.Equal(t, open.ID, joined.ID)
	assert.NotEqual(t, ended.ID, next.ask(t, question("s", 2)).ID)
	assert.Equal(t, "Saved: git push in /srv/proj", next.reply(t, open.ID, "always_here").Resolution)
	assert.Equal(t, v1.PromptAnswered, next.state(t, ended.ID))
	// The first book learns of it when it reads anew, and not before.
	require.NoError(t, h.Load(t.Context()))
	assert.Equal(t, v1.PromptAnswered, h.state(t, open.ID))
}

func TestListPages(t *testing.T) {
	h := build(t)
	for i := range 5 {
		h.ask(t, question([]string{"a", "b"}[i%2], byte(i)))
	}
	h.reply(t, "id-00003", "deny")
	var ids []string
	after := ""
	for range 3 {
		list, next, err := h.List(t.Context(), "", "", after, 2)
		require.NoError(t, err)
		for _, prompt := range list {
			ids = append(ids, prompt.ID)
		}
		after = next
	}
	assert.Equal(t, []string{"id-00001", "id-00002", "id-00003", "id-00004", "id-00005"}, ids)
	assert.Empty(t, after)
	assert.Equal(t, []string{"id-00003"}, h.listed(t, v1.PromptAnswered))
	list, next, err := h.List(t.Context(), v1.PromptPending, "a", "", 1)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "id-00001", list[0].ID)
	list, next, err = h.List(t.Context(), v1.PromptPending, "a", next, 1)
	require.NoError(t, err)
	assert.Equal(t, "id-00005", list[0].ID, "of one session")
	assert.Empty(t, next)
	h.pass(48 * time.Hour)
	assert.Empty(t, h.listed(t, v1.PromptPending), "what has expired is not pending")
}

// TestAReadingBringsNothingBack checks that a prompt that is answered while the store is read anew isn't
// pending again by what was read.
func TestAReadingBringsNothingBack(t *testing.T) {
	for name, read := range map[string]func(t *testing.T, h *house, id string, meanwhile func()){
		"load": func(t *testing.T, h *house, _ string, meanwhile func()) {
			t.Helper()
			h.store.listed = meanwhile
			require.NoError(t, h.Load(t.Context()))
		},
		"refresh": func(t *testing.T, h *house, id string, meanwhile func()) {
			t.Helper()
			h.store.looked = meanwhile
			require.NoError(t, h.Refresh(t.Context(), id))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			prompt := h.ask(t, question("s", 1))
			read(t, h, prompt.ID, func() { h.reply(t, prompt.ID, "deny") })
			assert.Equal(t, v1.PromptAnswered, h.state(t, prompt.ID))
			assert.NotEqual(t, prompt.ID, h.ask(t, question("s", 1)).ID, "it isn't joined")
		})
	}
}

// TestDelegatedPromptsAreKeptAndNotAnswered checks A9: what a host's own dialog asks is listed, counts to no
// limit, and can't be answered here.
func TestDelegatedPromptsAreKeptAndNotAnswered(t *testing.T) {
	h := build(t, func(options *prompts.Options) { options.PerSession = 1 })
	pending := h.ask(t, question("s-1", 1))
	delegated := h.Delegate(t.Context(), question("s-1", 1))
	assert.Equal(t, v1.PromptDelegated, delegated.State)
	assert.NotEqual(t, pending.ID, delegated.ID, "it joins nothing")
	assert.Equal(t, noon.Add(prompts.DefaultExpiry), delegated.ExpiresAt)
	assert.Equal(t, []string{delegated.ID}, h.listed(t, v1.PromptDelegated))
	assert.Contains(t, h.notified, delegated.ID+" delegated")
	_, err := h.Answer(t.Context(), delegated.ID, v1.AnswerRequest{Choice: "once"})
	assert.Equal(t, prompts.CodeEnded, code(err))
	assert.ErrorContains(t, err, "own dialog")
	assert.Equal(t, prompts.CodeEnded, code(h.Withdraw(t.Context(), delegated.ID)))
	assert.Equal(t, v1.PromptPending, h.state(t, pending.ID))
	h.reply(t, pending.ID, "once")

	again := over(t, h.store, h.ids)
	assert.Equal(t, v1.PromptDelegated, again.state(t, delegated.ID), "it outlives the process")
	gone, err := h.store.DeletePromptsBefore(t.Context(), noon.Add(time.Second), 100)
	require.NoError(t, err)
	assert.Equal(t, 2, gone, "the answered one, and this one: it is over for the store")

	h.store.broken.Store(true)
	assert.Equal(t, v1.PromptDelegated, h.Delegate(t.Context(), question("s-1", 2)).State)
	assert.NotEmpty(t, h.faults, "a store that is away keeps nobody from asking")
}
