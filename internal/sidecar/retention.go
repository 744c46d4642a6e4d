package sidecar

import (
	"context"
	"time"
)

// Bounds of one sweep. The rest is swept an hour later, so that no change blocks the store for long and no
// sweep lasts.
const (
	sweptAtOnce = 500
	sweepRounds = 40
)

// leastIdle is how long a session is kept in use at least that no call names.
const leastIdle = 7 * 24 * time.Hour

// idleSince is the time since when a session has to have been used to stay active.
func (m *Memory) idleSince(now time.Time) time.Time { return now.Add(-max(m.retention, leastIdle)) }

// endIdle ends sessions without a call since a time. An id that comes back is as narrow as it was, while the
// ended session is stored.
func (m *Memory) endIdle(ctx context.Context, since time.Time) error {
	for range sweepRounds {
		ended, err := m.Sessions.EndIdle(ctx, since, sweptAtOnce)
		if err != nil || ended < sweptAtOnce {
			return err
		}
	}
	return nil
}

// retain forgets prompts and archived sessions that ended before a time. Pending
// prompts and sessions in use are never among them.
func (m *Memory) retain(ctx context.Context, before time.Time) error {
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
			m.Sessions.Forget(id)
		}
		if len(gone) < sweptAtOnce {
			break
		}
	}
	return nil
}
