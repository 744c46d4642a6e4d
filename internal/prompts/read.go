package prompts

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// pageSize is how many prompts are read from the store at a time.
const pageSize = 1000

// Load reads the pending prompts of the store into memory. A prompt in memory that another sidecar ended in
// the store ends here too.
func (b *Book) Load(ctx context.Context) error {
	if b.options.Store == nil {
		return nil
	}
	defer b.beginReading()()
	still := map[string]bool{}
	for after := ""; ; {
		page, err := b.options.Store.Prompts(ctx, v1.PromptPending, after, pageSize)
		if err != nil {
			return fmt.Errorf("read prompts: %w", err)
		}
		for _, row := range page {
			still[row.ID] = true
			b.addPending(row)
		}
		if len(page) < pageSize {
			break
		}
		after = page[len(page)-1].ID
	}
	for _, id := range b.missing(still) {
		if err := b.Refresh(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// beginReading notes that the store is read, until the function that it returns is
// called.
func (b *Book) beginReading() func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.reading--; b.reading == 0 {
			clear(b.endedMeanwhile)
		}
	}
}

// addPending adds a pending prompt of the store that isn't in memory; nil is one that has ended since it was read.
func (b *Book) addPending(row store.Prompt) *entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	if held, known := b.byID[row.ID]; known {
		return held
	}
	if b.endedMeanwhile[row.ID] {
		return nil
	}
	// Its caller, perhaps in another process, may repeat the request.
	held := &entry{row: row, key: keyOf(&row), saved: true, unheld: 1, ended: make(chan struct{})}
	b.add(held)
	return held
}

// missing lists the saved prompts in memory that are not among the given ones.
func (b *Book) missing(still map[string]bool) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for id, held := range b.byID {
		if held.saved && !still[id] {
			out = append(out, id)
		}
	}
	return out
}

// Refresh reads one prompt anew, since another sidecar opened or ended it.
func (b *Book) Refresh(ctx context.Context, id string) error {
	defer b.beginReading()()
	row, err := b.options.Store.Prompt(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		row.State = v1.PromptWithdrawn
	} else if err != nil {
		return fmt.Errorf("read prompt: %w", err)
	}
	if row.State == v1.PromptPending {
		if held := b.addPending(row); held != nil {
			b.options.Notify(b.see(held))
		}
		return nil
	}
	b.mu.Lock()
	held, known := b.byID[id]
	b.mu.Unlock()
	if known {
		b.finish(held, &row)
		b.options.Notify(b.see(held))
	}
	return nil
}

// find returns the entry of a prompt. One that is in the store alone has ended, or belongs to another sidecar
// and is adopted.
func (b *Book) find(ctx context.Context, id string) (*entry, error) {
	b.mu.Lock()
	held, known := b.byID[id]
	b.mu.Unlock()
	if known {
		return held, nil
	}
	if b.options.Store == nil {
		return nil, coded(CodeNotFound, "there is no prompt %q", id)
	}
	defer b.beginReading()()
	row, err := b.options.Store.Prompt(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, coded(CodeNotFound, "there is no prompt %q", id)
	case err != nil:
		b.options.Fault(err)
		return nil, coded(CodeUnavailable, "the store can't be reached; see /readyz?verbose and try again")
	case row.State == v1.PromptPending:
		return b.adopt(ctx, row)
	}
	return endedEntry(row), nil
}

// endedEntry is an entry of what memory doesn't keep.
func endedEntry(row store.Prompt) *entry {
	ended := make(chan struct{})
	close(ended)
	return &entry{row: row, key: keyOf(&row), saved: true, ended: ended}
}

// adopt adopts a pending prompt of another process. It may have ended since it was read, when there was
// nothing here to end.
func (b *Book) adopt(ctx context.Context, row store.Prompt) (*entry, error) {
	held := b.addPending(row)
	now, err := b.options.Store.Prompt(ctx, row.ID)
	if err != nil {
		if held != nil {
			return held, nil // as far as is known it is pending
		}
		b.options.Fault(err)
		return nil, coded(CodeUnavailable, "the store can't be reached; see /readyz?verbose and try again")
	}
	if held == nil {
		return endedEntry(now), nil
	}
	if now.State == v1.PromptPending {
		return held, nil
	}
	b.finish(held, &now)
	return held, nil
}

// Get returns a prompt as it is now.
func (b *Book) Get(ctx context.Context, id string) (v1.Prompt, error) {
	held, err := b.find(ctx, id)
	if err != nil {
		return v1.Prompt{}, err
	}
	return b.see(held), nil
}

func (b *Book) see(held *entry) v1.Prompt {
	b.mu.Lock()
	defer b.mu.Unlock()
	return shown(&held.row.Prompt, b.options.Clock())
}

// List returns prompts in the order in which they were opened, at most limit after a given id, and the id to
// continue after, empty at the end. session and state filter the list unless they are empty.
func (b *Book) List(ctx context.Context, state, session, after string, limit int) (list []v1.Prompt, next string, err error) {
	list = []v1.Prompt{}
	for {
		rows, err := b.options.Store.Prompts(ctx, state, after, pageSize)
		if err != nil {
			b.options.Fault(err)
			return nil, "", coded(CodeUnavailable, "the store can't be reached; see /readyz?verbose and try again")
		}
		for i := range rows {
			after = rows[i].ID
			prompt := shown(&rows[i].Prompt, b.options.Clock())
			if session != "" && prompt.Call.SessionID != session || state != "" && prompt.State != state {
				continue
			}
			if len(list) == limit {
				return list, list[limit-1].ID, nil
			}
			list = append(list, prompt)
		}
		if len(rows) < pageSize {
			return list, "", nil
		}
	}
}

// Wait returns the prompt when it has ended, or as it is when ctx is done.
func (b *Book) Wait(ctx context.Context, id string) (v1.Prompt, error) {
	held, err := b.find(ctx, id)
	if err != nil {
		return v1.Prompt{}, err
	}
	b.mu.Lock()
	left := held.row.ExpiresAt.Sub(b.options.Clock())
	b.mu.Unlock()
	expiry := time.NewTimer(left)
	defer expiry.Stop()
	select {
	case <-held.ended:
	case <-ctx.Done():
	case <-expiry.C:
	}
	return b.see(held), nil
}
