package prompts

import (
	"context"
	"slices"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Open asks a question: it joins the pending prompt of the same question in the
// same session, or opens a new one. A pending prompt that asks something else by
// now, since the disk or the policy changed, is withdrawn. At a limit nothing is
// opened and the error's code is prompts_full. A store that fails doesn't keep
// the question from being asked.
func (b *Book) Open(ctx context.Context, question *v1.Question) (prompt v1.Prompt, joined bool, err error) {
	b.mu.Lock()
	replaced, joinable := b.same(question)
	if joinable != nil {
		prompt = copied(&joinable.row.Prompt)
		b.mu.Unlock()
		return prompt, true, nil
	}
	session := question.Prompt.Call.SessionID
	if b.crowded(session) || len(b.byID) >= 2*b.options.Most {
		b.expire(b.options.Clock())
	}
	if b.crowded(session) {
		b.mu.Unlock()
		b.persist(ctx, replaced)
		return v1.Prompt{}, false, coded(CodeFull, "too many questions are open; answer or withdraw some of them first")
	}
	opened := b.fresh(question)
	opened.answering.Lock() // an answer waits until the store knows the question
	defer opened.answering.Unlock()
	b.add(opened)
	prompt = copied(&opened.row.Prompt)
	b.mu.Unlock()
	b.persist(ctx, replaced)
	b.keep(ctx, opened)
	b.options.Notify(prompt)
	return prompt, false, nil
}

// same finds the pending prompt of a question. replaced is one that has the same
// key and asks something else, and has been ended. The caller holds mu.
func (b *Book) same(question *v1.Question) (replaced, joinable *entry) {
	held, found := b.byKey[key{session: question.Prompt.Call.SessionID, digest: question.Key}]
	if !found {
		return nil, nil
	}
	now := b.options.Clock()
	if now.Before(held.row.ExpiresAt) && asksTheSame(&held.row.Prompt, &question.Prompt) {
		return nil, held
	}
	state := v1.PromptWithdrawn
	if !now.Before(held.row.ExpiresAt) {
		state = v1.PromptExpired
	}
	b.end(held, state, nil)
	return held, nil
}

func (b *Book) fresh(question *v1.Question) *entry {
	now := b.options.Clock()
	row := store.Prompt{Prompt: question.Prompt, Kind: question.Kind, Key: question.Key[:], Scope: question.Scope}
	row.Prompt = copied(&row.Prompt)
	row.ID, row.State, row.CreatedAt, row.ExpiresAt = b.options.NewID(), v1.PromptPending, now, now.Add(b.options.Expiry)
	return &entry{row: row, key: keyOf(&row), ended: make(chan struct{})}
}

func (b *Book) crowded(session string) bool {
	return b.pending[session] >= b.options.PerSession || b.open >= b.options.Most
}

// expire ends what is past its time. The caller holds mu.
func (b *Book) expire(now time.Time) []*entry {
	var ended []*entry
	for id, held := range b.byID {
		switch {
		case now.Before(held.row.ExpiresAt):
		case held.row.State == v1.PromptPending:
			b.end(held, v1.PromptExpired, nil)
			ended = append(ended, held)
		default:
			delete(b.byID, id)
		}
	}
	return ended
}

// Expire ends what is past its time, and tells of it.
func (b *Book) Expire() {
	b.mu.Lock()
	ended := b.expire(b.options.Clock())
	b.mu.Unlock()
	for _, held := range ended {
		b.options.Notify(copied(&held.row.Prompt))
	}
}

// asksTheSame compares what a person is asked of one call: what of it is covered
// can change. The text can differ in arguments that change nothing.
func asksTheSame(a, b *v1.Prompt) bool {
	return a.Call.SessionID == b.Call.SessionID && a.Call.Agent == b.Call.Agent && a.Title == b.Title &&
		a.Directory == b.Directory && a.Messy == b.Messy && slices.Equal(a.Verbs, b.Verbs) &&
		slices.Equal(a.Choices, b.Choices) && slices.Equal(a.Call.Paths, b.Call.Paths) && a.Call.GrantRoot == b.Call.GrantRoot
}

// patience bounds what a question waits for the store.
const patience = 500 * time.Millisecond

// keep writes a new prompt to the store.
func (b *Book) keep(ctx context.Context, opened *entry) {
	if b.options.Store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := b.options.Store.OpenPrompt(ctx, opened.row); err != nil {
		b.options.Fault(err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	opened.saved = true
	if opened.row.State != v1.PromptPending {
		delete(b.byID, opened.row.ID)
	}
}

// persist writes the end of a prompt that nobody answered. The store finds what
// it missed by the prompt's time.
func (b *Book) persist(ctx context.Context, ended *entry) {
	if ended == nil {
		return
	}
	b.options.Notify(copied(&ended.row.Prompt))
	if b.options.Store == nil || !ended.saved {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	resolution := store.Resolution{Prompt: ended.row.ID, State: ended.row.State}
	if _, _, err := b.options.Store.ResolvePrompt(ctx, resolution); err != nil {
		b.options.Fault(err)
	}
}
