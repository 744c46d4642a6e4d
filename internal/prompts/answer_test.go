package prompts_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/prompts"
)

// TestResolutions checks A3 and A4: what each choice saves and says.
func TestResolutions(t *testing.T) {
	shallow := func(q *v1.Question) {
		q.Scope.Items = append(q.Scope.Items, v1.PromptItem{Kind: v1.ItemCommand, Verb: "ls", Directory: "/etc", Shallow: true})
	}
	tests := []struct {
		name, choice, want string
		change             []func(*v1.Question)
		saved              []string
		once               bool
	}{
		{name: "once", choice: "once", want: "Approved (no save)", once: true},
		{name: "deny", choice: "deny", want: "Denied"},
		{name: "session", choice: "session", want: "Saved for this chat: git push in /srv/proj", saved: []string{"git push /srv/proj s"}},
		{name: "here", choice: "always_here", want: "Saved: git push in /srv/proj", saved: []string{"git push /srv/proj "}},
		{name: "anywhere", choice: "always_anywhere", want: "Saved: git push anywhere", saved: []string{"git push - "}},
		{
			// The person approved this call, and not all of it could be remembered.
			name: "shallow", choice: "always_here", once: true, change: []func(*v1.Question){shallow}, saved: []string{"git push /srv/proj "},
			want: "Saved: git push in /srv/proj; not saved, too shallow a directory: ls in /etc",
		},
		{
			name: "nothing but shallow", choice: "always_here", once: true,
			change: []func(*v1.Question){shallow, func(q *v1.Question) { q.Scope.Items = q.Scope.Items[1:] }},
			want:   "Approved (no save): too shallow a directory to remember: ls in /etc",
		},
		{
			name: "no directory", choice: "always_here", once: true,
			change: []func(*v1.Question){func(q *v1.Question) { q.Scope.Items[0].Directory = "" }},
			want:   "Approved (no save): too shallow a directory to remember: git push in an unknown directory",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := build(t)
			prompt := h.ask(t, question("s", 1, test.change...))
			response := h.reply(t, prompt.ID, test.choice)
			assert.Equal(t, test.want, response.Resolution)
			var saved []string
			for _, entry := range response.Saved {
				where := "-"
				if entry.Directory != nil {
					where = *entry.Directory
				}
				saved = append(saved, entry.Verb+" "+where+" "+entry.Session)
			}
			assert.Equal(t, test.saved, saved)
			assert.Equal(t, test.once, len(h.onces) == 1)
			kept, err := h.Get(t.Context(), prompt.ID)
			require.NoError(t, err)
			assert.Equal(t, response.Resolution, kept.Answer.Resolution)
			assert.Equal(t, "ada", kept.Answer.By)
		})
	}
}

// TestTwoAnswersCannotBothWin checks A9: also across two books on one store.
func TestTwoAnswersCannotBothWin(t *testing.T) {
	h := build(t)
	other := over(t, h.store, h.ids)
	for round := range 10 {
		prompt := h.ask(t, question("s", byte(round)))
		require.NoError(t, other.Refresh(t.Context(), prompt.ID))
		var group sync.WaitGroup
		begin := make(chan struct{})
		results := make(chan error, 8)
		for i := range cap(results) {
			group.Go(func() {
				<-begin
				_, err := []*house{h, other}[i%2].Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: []string{"always_here", "deny"}[i/2%2]})
				results <- err
			})
		}
		close(begin)
		group.Wait()
		won := 0
		for range cap(results) {
			if err := <-results; err == nil {
				won++
			} else {
				assert.Equal(t, prompts.CodeAnswered, code(err))
			}
		}
		assert.Equal(t, 1, won)
	}
}

// TestAnAnswerAgainstAWithdrawal checks that one of the two wins, and both know which.
func TestAnAnswerAgainstAWithdrawal(t *testing.T) {
	h := build(t)
	for round := range 20 {
		prompt := h.ask(t, question("s", byte(round)))
		begin := make(chan struct{})
		answered, withdrawn := make(chan error, 1), make(chan error, 1)
		go func() {
			<-begin
			_, err := h.Answer(context.Background(), prompt.ID, v1.AnswerRequest{Choice: "once"})
			answered <- err
		}()
		go func() {
			<-begin
			withdrawn <- h.Withdraw(context.Background(), prompt.ID)
		}()
		close(begin)
		yes, no := <-answered, <-withdrawn
		row, err := h.store.Prompt(t.Context(), prompt.ID)
		require.NoError(t, err)
		if yes == nil {
			assert.Equal(t, prompts.CodeAnswered, code(no))
			assert.Equal(t, v1.PromptAnswered, row.State)
			continue
		}
		require.NoError(t, no)
		assert.Equal(t, prompts.CodeEnded, code(yes))
		assert.Equal(t, v1.PromptWithdrawn, row.State)
	}
}

func TestATimedAnswer(t *testing.T) {
	h := build(t)
	prompt := h.ask(t, question("s", 1))
	for _, ttl := range []string{"soon", "-1h", "0s", "100000h"} {
		_, err := h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: "always_here", TTL: ttl})
		assert.Equal(t, prompts.CodeInvalid, code(err), ttl)
	}
	_, err := h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: "once", TTL: "1h"})
	assert.Equal(t, prompts.CodeInvalid, code(err))
	_, err = h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: "maybe"})
	assert.Equal(t, prompts.CodeNotOffered, code(err))
	response, err := h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: "always_here", TTL: "2h"})
	require.NoError(t, err)
	assert.Equal(t, noon.Add(2*time.Hour), *response.Saved[0].ExpiresAt)
	assert.Equal(t, "Saved: git push in /srv/proj for 2h", response.Resolution)
}

// TestTheStoreFailsAtTheAnswer checks that an answer that remembers is refused and the prompt stays open, and
// that one that doesn't is taken (D2).
func TestTheStoreFailsAtTheAnswer(t *testing.T) {
	h := build(t)
	prompt := h.ask(t, question("s", 1))
	h.store.broken.Store(true)
	_, err := h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: "always_here"})
	assert.Equal(t, prompts.CodeUnavailable, code(err))
	assert.Empty(t, h.given)
	assert.Equal(t, v1.PromptPending, h.state(t, prompt.ID))
	assert.Equal(t, "Approved (no save)", h.reply(t, prompt.ID, "once").Resolution)
	require.Len(t, h.onces, 1)
	assert.True(t, h.onces[0].Unsaved, "the store doesn't know of it")
	assert.NotEmpty(t, h.faults)
	again := func() string {
		_, err := h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: "once"})
		return code(err)
	}
	assert.Equal(t, prompts.CodeAnswered, again())
	h.store.broken.Store(false)
	assert.Equal(t, prompts.CodeAnswered, again(), "though the store still says that it is pending")
	h.Expire(t.Context())
	assert.Equal(t, []string{prompt.ID}, h.listed(t, v1.PromptAnswered), "now it knows")
	assert.Equal(t, prompts.CodeAnswered, again())
	onces, err := h.store.Onces(t.Context(), noon)
	require.NoError(t, err)
	assert.Empty(t, onces, "the one-shot answer is in memory, and not twice")
}

// TestTheStoreFailsAtTheWithdrawal checks that the store learns of it later.
func TestTheStoreFailsAtTheWithdrawal(t *testing.T) {
	h := build(t)
	prompt := h.ask(t, question("s", 1))
	h.store.broken.Store(true)
	require.NoError(t, h.Withdraw(t.Context(), prompt.ID))
	assert.Equal(t, v1.PromptWithdrawn, h.state(t, prompt.ID))
	h.store.broken.Store(false)
	h.Expire(t.Context())
	assert.Equal(t, []string{prompt.ID}, h.listed(t, v1.PromptWithdrawn))
}

// TestTheStoreFailsAtTheQuestion checks that a person is asked all the same, and that the question is in the
// store once it is back.
func TestTheStoreFailsAtTheQuestion(t *testing.T) {
	h := build(t)
	h.store.broken.Store(true)
	first, second := h.ask(t, question("s", 1)), h.ask(t, question("s", 2))
	_, joined, err := h.Open(t.Context(), question("s", 1))
	require.NoError(t, err)
	assert.True(t, joined)
	_, err = h.Answer(t.Context(), first.ID, v1.AnswerRequest{Choice: "always_here"})
	assert.Equal(t, prompts.CodeUnavailable, code(err))
	_, _, err = h.List(t.Context(), "", "", "", 10)
	assert.Equal(t, prompts.CodeUnavailable, code(err))
	assert.Equal(t, v1.PromptPending, h.state(t, first.ID))
	h.store.broken.Store(false)
	assert.Equal(t, "Saved: git push in /srv/proj", h.reply(t, first.ID, "always_here").Resolution, "the answer brings it into the store")
	assert.Empty(t, h.listed(t, v1.PromptPending))
	h.Expire(t.Context())
	assert.Equal(t, []string{second.ID}, h.listed(t, v1.PromptPending), "what could not be kept then is kept now")
	next := over(t, h.store, h.ids)
	assert.Equal(t, v1.PromptPending, next.state(t, second.ID))
	assert.Equal(t, v1.PromptAnswered, next.state(t, first.ID))
}

func TestAccessIsGrantedByWhatIsThereNow(t *testing.T) {
	access := func(q *v1.Question) {
		q.Kind, q.Prompt.Choices = v1.PromptKindAccess, []v1.Choice{{Key: v1.ChoiceAllow}, {Key: v1.ChoiceDeny}}
	}
	refusal := ""
	h := build(t, func(o *prompts.Options) {
		o.Grant = func(_ context.Context, _ *v1.Prompt, kind string) (v1.Grant, string) {
			assert.Equal(t, v1.PromptKindAccess, kind)
			return v1.Grant{ID: "g", Session: "s", Path: "/srv/other", Mode: v1.GrantRead, Label: "/srv/other (read-only)"}, refusal
		}
	})
	given := h.reply(t, h.ask(t, question("s", 1, access)).ID, "allow")
	assert.Equal(t, "Granted: /srv/other (read-only)", given.Resolution)
	assert.Len(t, given.Grants, 1)
	refusal = "it is gone"
	denied := h.reply(t, h.ask(t, question("s", 2, access)).ID, "allow")
	assert.Equal(t, v1.EffectDeny, denied.Decision)
	assert.Equal(t, "Denied: it is gone", denied.Resolution)
	assert.Empty(t, denied.Grants)
}

// TestAConflictOverAPendingPromptEndsNothing checks that a prompt whose answer came too late for its session
// is not half ended: it can be withdrawn, once.
func TestAConflictOverAPendingPromptEndsNothing(t *testing.T) {
	h := build(t)
	prompt := h.ask(t, question("s", 1))
	h.store.lost.Store(true)
	_, err := h.Answer(t.Context(), prompt.ID, v1.AnswerRequest{Choice: v1.ChoiceOnce})
	assert.Equal(t, prompts.CodeEnded, code(err))
	h.store.lost.Store(false)
	require.NoError(t, h.Withdraw(t.Context(), prompt.ID))
	assert.Equal(t, v1.PromptWithdrawn, h.state(t, prompt.ID))
}

// A store that fails keeps nobody from being asked, here or there.
func TestDelegatedPromptsNeedNoStore(t *testing.T) {
	h := build(t)
	h.store.broken.Store(true)
	prompt := h.Delegate(t.Context(), question("s", 1))
	assert.Equal(t, v1.PromptDelegated, prompt.State)
	assert.Len(t, h.faults, 1)
}
