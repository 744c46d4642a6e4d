package prompts

import (
	"context"

	v1 "policyd/api/v1"
)

// join counts a call that awaits the answer. Its caller holds mu.
func (e *entry) join(question *v1.Question) {
	if question.Held {
		e.held++
		return
	}
	e.unheld++
}

// leave ends one wait, and reports whether no call awaits the answer any more. Its caller holds mu.
func (e *entry) leave(held bool) (last bool) {
	if held {
		e.held = max(0, e.held-1)
	} else {
		e.unheld = max(0, e.unheld-1)
	}
	return e.held == 0 && e.unheld == 0 && e.row.State == v1.PromptPending
}

// Leave ends the wait of a call whose caller is gone, or which was denied for another reason. held is how the
// question was opened. A prompt without waiting calls is withdrawn.
func (b *Book) Leave(ctx context.Context, id string, held bool) {
	b.mu.Lock()
	kept, known := b.byID[id]
	last := known && kept.leave(held)
	b.mu.Unlock()
	if !last {
		return
	}
	if err := b.Withdraw(ctx, id); err != nil {
		b.options.Fault(err)
	}
}

// Unhold notes that a call is no longer held, and that its caller repeats the request: the prompt stays open
// for it.
func (b *Book) Unhold(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if kept, known := b.byID[id]; known {
		kept.held, kept.unheld = max(0, kept.held-1), kept.unheld+1
	}
}
