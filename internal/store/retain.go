package store

import (
	"context"
	"fmt"
	"time"

	v1 "policyd/api/v1"
)

// DeletePromptsBefore removes up to limit prompts that ended before a time, and
// returns how many they were.
func (s *Store) DeletePromptsBefore(ctx context.Context, at time.Time, limit int) (int, error) {
	gone := 0
	err := s.write(ctx, limit, func(ctx context.Context, t *transaction) error {
		var err error
		gone, err = t.changing(ctx, tablePrompts, `DELETE FROM prompts WHERE id IN
			(SELECT id FROM prompts WHERE state <> 'pending' AND ended_at < $1 ORDER BY ended_at LIMIT $2) RETURNING id`, micros(at), limit)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("delete prompts: %w", err)
	}
	return gone, nil
}

// DeleteSessionsBefore removes up to limit sessions that were archived before a
// time, and returns their ids. One that is another's parent stays: what the other
// has of its ancestors is found through it.
func (s *Store) DeleteSessionsBefore(ctx context.Context, at time.Time, limit int) ([]string, error) {
	var gone []string
	err := s.write(ctx, limit, func(ctx context.Context, t *transaction) error {
		gone = nil
		parents, err := t.parents(ctx)
		if err != nil {
			return err
		}
		old, err := list(ctx, t.tx, scanText, `SELECT id FROM sessions WHERE archived = $1 AND updated_at < $2 ORDER BY updated_at LIMIT $3`,
			true, micros(at), limit+len(parents))
		if err != nil {
			return err
		}
		for _, id := range old {
			if len(gone) < limit && !parents[id] {
				gone = append(gone, id)
			}
		}
		_, err = t.delete(ctx, tableSessions, gone)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("delete sessions: %w", err)
	}
	return gone, nil
}

// parents are the sessions that others name as their parent.
func (t *transaction) parents(ctx context.Context) (map[string]bool, error) {
	bodies, err := list(ctx, t.tx, scanText, `SELECT body FROM sessions WHERE body LIKE '%"parent_id":"%'`)
	if err != nil {
		return nil, err
	}
	parents := make(map[string]bool, len(bodies))
	for _, body := range bodies {
		var session v1.Session
		if err := decode(body, &session); err != nil {
			return nil, err
		}
		parents[session.ParentID] = true
	}
	return parents, nil
}
