package prompts

import (
	"context"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Limits of the calls that are kept for pending prompts, in bytes: one call, and
// all of them. A prompt without its call awaits its own answer.
const (
	maxKeptCall  = 64 << 10
	maxKeptCalls = 32 << 20
)

// keepCall keeps the call of a pending prompt, within the limits. The caller holds mu.
func (b *Book) keepCall(held *entry, question *v1.Question) {
	if held.call != nil || question.Call == nil {
		return
	}
	size := len(question.Call.Args)
	if size > maxKeptCall || b.callBytes+size > maxKeptCalls {
		return
	}
	b.callBytes += size
	call := *question.Call // a batch keeps its calls in one slice
	held.call, held.caller = &call, question.Caller
}

// dropCall drops the call of a prompt. The caller holds mu.
func (b *Book) dropCall(held *entry) {
	if held.call != nil {
		b.callBytes -= len(held.call.Args)
		held.call = nil
	}
}

// Asked is a pending prompt with its call.
type Asked struct {
	ID     string
	Call   *v1.Call
	Caller v1.Caller
}

// Asking lists the pending prompts whose call is kept, the oldest first. If could isn't nil, it filters by
// scope.
func (b *Book) Asking(could func(scope *v1.PromptScope) bool) []Asked {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Asked
	for id, held := range b.byID {
		if held.call != nil && (could == nil || could(&held.row.Scope)) {
			out = append(out, Asked{ID: id, Call: held.call, Caller: held.caller})
		}
	}
	slices.SortFunc(out, func(a, b Asked) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Release ends a pending prompt whose call is allowed by now, through a person's answer to another question.
// by is the person, if known. Its callers decide again. A prompt that has ended stays as it is.
func (b *Book) Release(ctx context.Context, id, by string) error {
	held, err := b.find(ctx, id)
	if err != nil {
		return err
	}
	held.answering.Lock()
	defer held.answering.Unlock()
	prompt := b.see(held)
	if answerable(&prompt) != nil {
		return nil
	}
	answer := &v1.PromptAnswer{
		Choice: v1.ChoiceCovered, Decision: v1.EffectAllow, By: by, At: b.options.Clock(),
		Resolution: "Covered by an answer to another question",
	}
	if _, _, err := b.resolve(ctx, held, store.Resolution{Prompt: id, State: v1.PromptAnswered, Answer: answer}); err != nil {
		return err
	}
	b.close(held, answer)
	return nil
}

// ReleaseSame ends the pending prompt of a call that was allowed without an answer, if its session has one.
func (b *Book) ReleaseSame(ctx context.Context, session string, call v1.Digester) {
	b.mu.Lock()
	asks := b.pending[session] > 0
	b.mu.Unlock()
	if !asks {
		return
	}
	digest := call.Digest()
	b.mu.Lock()
	held := b.byKey[key{session: session, digest: digest}]
	b.mu.Unlock()
	if held == nil {
		return
	}
	if err := b.Release(ctx, held.row.ID, ""); err != nil {
		b.options.Fault(err)
	}
}
