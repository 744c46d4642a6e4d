package main

import (
	"context"
	"time"
)

// Bounds of one sweep. What is left is swept an hour later, so that no change
// holds the store for long and no sweep lasts.
const (
	sweptAtOnce = 500
	sweepRounds = 40
)

// retain forgets prompts and archived sessions that ended before a time. Pending
// prompts and sessions in use are never among them.
func (m *memory) retain(ctx context.Context, before time.Time) error {
	for range sweepRounds {
		gone, err := m.store.DeletePromptsBefore(ctx, before, sweptAtOnce)
		if err != nil {
			return err
		}
		if gone < sweptAtOnce {
			break
		}
	}
	for range sweepRounds {
		gone, err := m.store.DeleteSessionsBefore(ctx, before, sweptAtOnce)
		if err != nil {
			return err
		}
		for _, id := range gone {
			m.sessions.Forget(id)
		}
		if len(gone) < sweptAtOnce {
			break
		}
	}
	return nil
}
