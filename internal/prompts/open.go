package prompts

import (
	"context"
	"errors"
	"slices"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Open asks a question: it joins the pending prompt of the same question in the same session, or opens a new
// one. A pending prompt whose question changed with the disk or the policy is withdrawn. At a limit nothing
// is opened and the error's code is prompts_full. A failing store doesn't prevent the question.
func (b *Book) Open(ctx context.Context, question *v1.Question) (prompt v1.Prompt, joined bool, err error) {
	b.mu.Lock()
	replaced, joinable := b.same(question)
	if joinable != nil {
		joinable.join(question)
		b.keepCall(joinable, question)
		prompt = copied(&joinable.row.Prompt)
		b.mu.Unlock()
		return prompt, true, nil
	}
	var expired []*entry
	session := question.Prompt.Call.SessionID
	by, size := askerOf(&question.Scope), sizeOf(&question.Prompt, &question.Scope)
	if size > maxPromptBytes {
		b.mu.Unlock()
		b.persist(ctx, replaced)
		return v1.Prompt{}, false, coded(CodeTooLarge, "nobody can be asked: the prompt would be longer than 256 KiB; split the call")
	}
	if b.crowded(session, by, size) != "" || len(b.byID) >= 2*b.options.Most {
		expired = b.expire(b.options.Clock())
	}
	if crowd := b.crowded(session, by, size); crowd != "" {
		b.mu.Unlock()
		b.persist(ctx, append(expired, replaced)...)
		return v1.Prompt{}, false, coded(CodeFull,
			"too many prompts of %s are open; answer them, as with policyd prompts answer --all, or withdraw some", crowd)
	}
	opened := b.fresh(question)
	opened.answering.Lock() // an answer waits until the store has the question
	defer opened.answering.Unlock()
	b.add(opened)
	opened.join(question)
	b.keepCall(opened, question)
	prompt = copied(&opened.row.Prompt)
	b.mu.Unlock()
	b.persist(ctx, append(expired, replaced)...)
	b.keep(ctx, opened)
	b.options.Notify(prompt)
	return prompt, false, nil
}

// Delegate keeps a question that a host's own dialog asks: it is listed, nobody can answer it here, and it
// counts to no limit. A failing store doesn't prevent it.
func (b *Book) Delegate(ctx context.Context, question *v1.Question) v1.Prompt {
	delegated := b.fresh(question).row
	delegated.State = v1.PromptDelegated
	if b.options.Store != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if err := b.write(ctx, delegated); err != nil {
			b.options.Fault(err)
		}
	}
	prompt := copied(&delegated.Prompt)
	b.options.Notify(prompt)
	return prompt
}

// same returns the pending prompt of a question. replaced is a prompt with the same key and another question;
// it has been ended. The caller holds mu.
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

// crowded returns whose prompts leave no room for another, empty if there is room. One caller never fills the
// book: half of it is left to others.
func (b *Book) crowded(session string, by asker, size int) string {
	agent, caller := b.loads[by], b.loads[asker{caller: by.caller}]
	known := by.caller != ""
	switch {
	case b.pending[session] >= b.options.PerSession:
		return "this session"
	case known && (agent.prompts >= b.options.PerCaller || agent.bytes+size > maxPromptsBytes/4):
		return "this agent"
	case known && (caller.prompts >= max(b.options.Most/2, 1) || caller.bytes+size > maxPromptsBytes/2):
		return "this caller"
	case b.open >= b.options.Most || b.bytes+size > maxPromptsBytes:
		return "all callers"
	}
	return ""
}

// expire ends expired prompts. The caller holds mu.
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

// Expire ends expired prompts, notifies their waiters, and saves what the store missed.
func (b *Book) Expire(ctx context.Context) {
	b.mu.Lock()
	ended := b.expire(b.options.Clock())
	b.mu.Unlock()
	for _, held := range ended {
		b.persist(ctx, held)
	}
	b.saveLate(ctx)
}

// saveLate writes what the store missed, until it fails again: a missing prompt is neither listed nor kept
// after the process ends.
func (b *Book) saveLate(ctx context.Context) {
	if b.options.Store == nil {
		return
	}
	var late []*entry
	b.mu.Lock()
	for _, held := range b.byID {
		if held.owed != nil || !held.saved && held.row.State == v1.PromptPending {
			late = append(late, held)
		}
	}
	b.mu.Unlock()
	for _, held := range late {
		held.answering.Lock()
		saved := b.keep(ctx, held) && b.pay(ctx, held)
		held.answering.Unlock()
		if !saved {
			return
		}
	}
}

// owe keeps an end that the store missed.
func (b *Book) owe(held *entry, end store.Resolution) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if held.saved {
		held.owed = &end
	}
}

// pay writes an end that the store missed, and reports whether the store has it. Its one-shot answer stays in
// memory, where it may be in use already.
func (b *Book) pay(ctx context.Context, held *entry) bool {
	b.mu.Lock()
	owed := held.owed
	b.mu.Unlock()
	if owed == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_, _, err := b.options.Store.ResolvePrompt(ctx, *owed)
	if err != nil && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrNotFound) {
		b.options.Fault(err)
		return false
	}
	b.mu.Lock()
	held.owed = nil
	b.mu.Unlock()
	b.settle(held)
	return true
}

// asksTheSame compares the question of one call. The covered items may differ. The text may differ in inert
// arguments, and several paths may need the same grant.
func asksTheSame(a, b *v1.Prompt) bool {
	return a.Call.SessionID == b.Call.SessionID && a.Call.Agent == b.Call.Agent && a.Title == b.Title &&
		a.Directory == b.Directory && a.Messy == b.Messy && slices.Equal(a.Verbs, b.Verbs) &&
		slices.Equal(a.Choices, b.Choices) && a.Call.GrantRoot == b.Call.GrantRoot &&
		(a.Call.GrantRoot != "" || slices.Equal(a.Call.Paths, b.Call.Paths))
}

// patience bounds what a question waits for the store. A store on a busy disk needs its time: a question that it doesn't
// have is lost if the server is killed.
const patience = 2 * time.Second

// keep writes a prompt that the store doesn't have, and reports whether it has it now. The caller holds
// answering.
func (b *Book) keep(ctx context.Context, opened *entry) bool {
	if b.options.Store == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	b.mu.Lock()
	row, done := opened.row, opened.saved || opened.row.State != v1.PromptPending
	row.Prompt = copied(&row.Prompt)
	b.mu.Unlock()
	if done {
		return true
	}
	if err := b.write(ctx, row); err != nil {
		b.options.Fault(err)
		return false
	}
	b.mu.Lock()
	opened.saved = true
	ended := opened.row.State != v1.PromptPending
	b.mu.Unlock()
	if ended { // during the write
		b.persist(ctx, opened)
	}
	return true
}

// write creates a prompt in the store. If it exists, an earlier write succeeded although its caller got an
// error.
func (b *Book) write(ctx context.Context, row store.Prompt) error {
	err := b.options.Store.OpenPrompt(ctx, row)
	if !errors.Is(err, store.ErrConflict) {
		return err
	}
	if _, missing := b.options.Store.Prompt(ctx, row.ID); missing != nil {
		return err
	}
	return nil
}

// persist writes the ends of prompts without an answer; nil entries are skipped. The store decides by the
// prompt's time what it missed.
func (b *Book) persist(ctx context.Context, ended ...*entry) {
	for _, held := range ended {
		if held != nil {
			b.persistOne(ctx, held)
		}
	}
}

func (b *Book) persistOne(ctx context.Context, ended *entry) {
	b.mu.Lock()
	prompt, saved := copied(&ended.row.Prompt), ended.saved
	b.mu.Unlock()
	b.options.Notify(prompt)
	if b.options.Store == nil || !saved {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	resolution := store.Resolution{Prompt: prompt.ID, State: prompt.State, At: b.options.Clock()}
	// One that was archived or ended elsewhere meanwhile has ended all the same.
	_, _, err := b.options.Store.ResolvePrompt(ctx, resolution)
	if err != nil && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrNotFound) {
		b.options.Fault(err)
		b.owe(ended, resolution)
		return
	}
	b.settle(ended)
}
