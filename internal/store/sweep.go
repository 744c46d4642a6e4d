package store

import (
	"context"
	"fmt"
	"time"

	v1 "policyd/api/v1"
)

// SweepExpired removes approvals and one-shot answers that have expired at now,
// and turns pending prompts that have into expired ones.
func (s *Store) SweepExpired(ctx context.Context, now time.Time) error {
	err := s.write(ctx, 0, func(ctx context.Context, t *transaction) error {
		for _, expired := range []struct {
			table, query string
			arguments    []any
		}{
			{tableApprovals, `DELETE FROM approvals WHERE expires_at <= $1 RETURNING id`, []any{micros(now)}},
			{tableOnces, `DELETE FROM onces WHERE expires_at <= $1 RETURNING prompt`, []any{micros(now)}},
			{
				tablePrompts, `UPDATE prompts SET state = $2, ended_at = expires_at WHERE state = 'pending' AND expires_at <= $1 RETURNING id`,
				[]any{micros(now), v1.PromptExpired},
			},
		} {
			if _, err := t.changing(ctx, expired.table, expired.query, expired.arguments...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("sweep expired: %w", err)
	}
	return nil
}
