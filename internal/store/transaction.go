package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// transaction is a change under way.
type transaction struct {
	tx      *sql.Tx
	dialect dialect
	// changes are reported to other processes when the transaction ends well.
	changes []Change
}

// Tables, as changes name them.
const (
	tableSessions  = "sessions"
	tableGrants    = "grants"
	tableApprovals = "approvals"
	tablePrompts   = "prompts"
	tableOnces     = "onces"
)

// write runs change in a transaction, which commits to disk as a whole or not at all. It fails with
// ErrReplaced if the database on disk is another by then. Change may run more than once; its results are
// valid only if it returns nil.
func (s *Store) write(ctx context.Context, rows int, change func(context.Context, *transaction) error) error {
	ctx, cancel := s.bounded(ctx, rows)
	defer cancel()
	err := s.repeated(ctx, func() error { return s.attempt(ctx, change) })
	if err != nil && s.dialect.duplicate(err) {
		err = ErrConflict
	}
	ours := errors.Is(err, ErrConflict) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrText)
	s.failed.Store(err != nil && !ours)
	return err
}

// repeated repeats a change that was rolled back because of another process. If the time ends in the middle
// of a run, the error is that of the run before.
func (s *Store) repeated(ctx context.Context, run func() error) error {
	var stood error
	for {
		err := run()
		if err == nil || !s.dialect.retryable(err) {
			if stood != nil && errors.Is(err, context.DeadlineExceeded) {
				err = fmt.Errorf("%w: %w", err, stood)
			}
			return err
		}
		stood = err
		select {
		case <-ctx.Done():
			return err
		case <-time.After(repeatAfter):
		}
	}
}

const repeatAfter = 5 * time.Millisecond

func (s *Store) attempt(ctx context.Context, change func(context.Context, *transaction) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	running := &transaction{tx: tx, dialect: s.dialect}
	err = change(ctx, running)
	if err == nil && s.dialect.notifies {
		err = running.notify(ctx, s.id)
	}
	if err != nil {
		// The connection is discarded if it can't be rolled back.
		_ = tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return s.present()
}

// changed notes a row that the transaction changes.
func (t *transaction) changed(table, id string) {
	t.changes = append(t.changes, Change{Table: table, ID: id})
}

// exec returns how many rows it changed.
func (t *transaction) exec(ctx context.Context, query string, arguments ...any) (int64, error) {
	if err := checkText(arguments...); err != nil {
		return 0, err
	}
	result, err := t.tx.ExecContext(ctx, query, arguments...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// changing runs a statement that returns the ids of the rows it changed.
func (t *transaction) changing(ctx context.Context, table, query string, arguments ...any) (int, error) {
	ids, err := list(ctx, t.tx, scanText, query, arguments...)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		t.changed(table, id)
	}
	return len(ids), nil
}

// live refuses to add anything to an archived session, and locks the sessions until the transaction ends: an
// answer during the archival of a session must not outlive it.
func (t *transaction) live(ctx context.Context, sessions ...string) error {
	for _, id := range sessions {
		if id == "" {
			continue
		}
		archived, err := one(ctx, t.tx, scanBool, `SELECT archived FROM sessions WHERE id = $1`+t.dialect.share, id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("look up session: %w", err)
		}
		if archived {
			return ErrConflict
		}
	}
	return nil
}
