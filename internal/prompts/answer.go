package prompts

import (
	"context"
	"errors"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Answer ends a prompt by a person's choice. Everything that it grants is in the store when Answer returns.
// The second of two answers gets the code prompt_answered.
func (b *Book) Answer(ctx context.Context, id string, request v1.AnswerRequest) (v1.AnswerResponse, error) {
	held, err := b.find(ctx, id)
	if err != nil {
		return v1.AnswerResponse{}, err
	}
	held.answering.Lock()
	defer held.answering.Unlock()
	prompt := b.see(held)
	if err := answerable(&prompt); err != nil {
		return v1.AnswerResponse{}, err
	}
	outcome, err := b.outcome(ctx, held, &prompt, request)
	if err != nil {
		return v1.AnswerResponse{}, err
	}
	answer := &v1.PromptAnswer{
		Choice: request.Choice, Decision: outcome.decision, By: request.By, At: b.options.Clock(), Resolution: outcome.text,
	}
	approvals, grants, err := b.resolve(ctx, held, store.Resolution{
		Prompt: id, State: v1.PromptAnswered, Answer: answer, Approvals: outcome.approvals, Grants: outcome.grants, Once: outcome.once,
	})
	if err != nil {
		return v1.AnswerResponse{}, err
	}
	b.options.Given(approvals, grants, outcome.once)
	b.close(held, answer)
	response := v1.AnswerResponse{Decision: outcome.decision, Resolution: outcome.text, Saved: approvals, Grants: grants}
	if response.Saved == nil {
		response.Saved = []v1.ApprovalEntry{}
	}
	if response.Grants == nil {
		response.Grants = []v1.Grant{}
	}
	return response, nil
}

// close ends a prompt that is answered in the store, and notifies everybody.
func (b *Book) close(held *entry, answer *v1.PromptAnswer) {
	b.mu.Lock()
	b.end(held, v1.PromptAnswered, answer)
	prompt := copied(&held.row.Prompt)
	b.mu.Unlock()
	b.settle(held)
	b.options.Notify(prompt)
}

// answerable refuses an answer to what has ended.
func answerable(prompt *v1.Prompt) error {
	switch prompt.State {
	case v1.PromptPending:
		return nil
	case v1.PromptAnswered:
		text := "the prompt is answered already"
		if prompt.Answer != nil {
			text += ": " + prompt.Answer.Resolution
		}
		return coded(CodeAnswered, "%s", text)
	case v1.PromptDelegated:
		return coded(CodeEnded, "the prompt is delegated: it is answered in the agent's own dialog, and can't be answered here")
	}
	return coded(CodeEnded, "the prompt is %s; the call has to be made again", prompt.State)
}

func offered(prompt *v1.Prompt, choice string) error {
	keys := make([]string, 0, len(prompt.Choices))
	for _, offer := range prompt.Choices {
		keys = append(keys, offer.Key)
	}
	if slices.Contains(keys, choice) {
		return nil
	}
	return coded(CodeNotOffered, "the choice %q is not offered; allowed: %s", choice, strings.Join(keys, ", "))
}

// resolve writes an answer. An answer without anything to remember is accepted even if the store fails: it
// ends with the process, and people must be able to answer while the store is unreachable.
func (b *Book) resolve(
	ctx context.Context, held *entry, resolution store.Resolution,
) ([]v1.ApprovalEntry, []v1.Grant, error) {
	if b.options.Store == nil {
		return resolution.Approvals, resolution.Grants, nil
	}
	b.keep(ctx, held) // what the store could not take when it was asked
	// An answer is accepted, whether or not the person waits for the result.
	approvals, grants, err := b.options.Store.ResolvePrompt(context.WithoutCancel(ctx), resolution)
	switch {
	case err == nil:
		return approvals, grants, nil
	case errors.Is(err, store.ErrConflict):
		return nil, nil, b.lost(ctx, held)
	case errors.Is(err, store.ErrNotFound) && !held.saved:
	default:
		b.options.Fault(err)
	}
	if len(resolution.Approvals)+len(resolution.Grants) == 0 {
		if resolution.Once != nil {
			resolution.Once.Unsaved = true
		}
		b.owe(held, store.Resolution{Prompt: resolution.Prompt, State: resolution.State, Answer: resolution.Answer})
		return nil, nil, nil
	}
	return nil, nil, coded(CodeUnavailable, "the store can't be written, so nothing was saved and the prompt is still open; see /readyz?verbose, or answer once")
}

// lost states who was first, by what the store has.
func (b *Book) lost(ctx context.Context, held *entry) error {
	row, err := b.options.Store.Prompt(ctx, held.row.ID)
	if err != nil {
		b.options.Fault(err)
		return coded(CodeAnswered, "the prompt is answered already")
	}
	if row.State == v1.PromptPending { // it is not ended, and must not end twice
		return coded(CodeEnded, "the session has ended; the call has to be made again")
	}
	b.finish(held, &row)
	return answerable(&row.Prompt)
}

// Withdraw ends a prompt whose call was cancelled.
func (b *Book) Withdraw(ctx context.Context, id string) error {
	held, err := b.find(ctx, id)
	if err != nil {
		return err
	}
	held.answering.Lock()
	defer held.answering.Unlock()
	b.mu.Lock()
	prompt := shown(&held.row.Prompt, b.options.Clock())
	b.mu.Unlock()
	if err := answerable(&prompt); err != nil {
		return err
	}
	b.mu.Lock()
	b.end(held, v1.PromptWithdrawn, nil)
	b.mu.Unlock()
	b.persist(ctx, held)
	return nil
}

// Archive ends the prompts of a session that has ended, as the store did.
func (b *Book) Archive(session string) {
	b.mu.Lock()
	var ended []*entry
	for _, held := range b.byID {
		if held.key.session == session && held.row.State == v1.PromptPending {
			b.end(held, v1.PromptWithdrawn, nil)
			ended = append(ended, held)
		}
	}
	b.mu.Unlock()
	for _, held := range ended {
		b.settle(held)
		b.options.Notify(b.see(held))
	}
}
