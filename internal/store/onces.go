package store

import (
	"context"
	"fmt"
	"time"
)

func scanOnce(row scanner) (Once, error) {
	var once Once
	var expires int64
	err := row.Scan(&once.Prompt, &once.Session, &once.Key, &expires)
	once.ExpiresAt = fromMicros(expires)
	return once, err
}

// Onces returns the one-shot answers that are not spent and have not expired at
// now, in the order of their prompts.
func (s *Store) Onces(ctx context.Context, now time.Time) ([]Once, error) {
	onces, err := listAll(ctx, s, scanOnce,
		`SELECT prompt, session, call_key, expires_at FROM onces WHERE expires_at > $1 ORDER BY prompt`, micros(now))
	if err != nil {
		return nil, fmt.Errorf("list one-shot answers: %w", err)
	}
	return onces, nil
}

// Once returns the one-shot answer of a prompt, unless it is spent. The error is ErrNotFound if there is
// none.
func (s *Store) Once(ctx context.Context, prompt string) (Once, error) {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	once, err := one(ctx, s.reader, scanOnce, `SELECT prompt, session, call_key, expires_at FROM onces WHERE prompt = $1`, prompt)
	if err != nil {
		return Once{}, fmt.Errorf("look up one-shot answer: %w", err)
	}
	return once, nil
}

// SpendOnce uses up the one-shot answer of a prompt. Of concurrent calls, in any process, one succeeds; for
// the others the error is ErrConflict, and so it is if there never was one. It ignores the time.
//
// When the connection to PostgreSQL breaks just as this is committed, the answer
// may be spent though there is an error.
func (s *Store) SpendOnce(ctx context.Context, prompt string) error {
	err := s.write(ctx, 0, func(ctx context.Context, t *transaction) error {
		spent, err := t.changing(ctx, tableOnces, `DELETE FROM onces WHERE prompt = $1 RETURNING prompt`, prompt)
		if err == nil && spent == 0 {
			err = ErrConflict
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("spend one-shot answer: %w", err)
	}
	return nil
}

func (t *transaction) addOnce(ctx context.Context, once *Once) error {
	if once == nil {
		return nil
	}
	t.changed(tableOnces, once.Prompt)
	_, err := t.exec(ctx, `INSERT INTO onces (prompt, session, call_key, expires_at) VALUES ($1, $2, $3, $4)`,
		once.Prompt, once.Session, once.Key, micros(once.ExpiresAt))
	return err
}
