package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "policyd/api/v1"
)

const sessionColumns = `id, owner, archived, version, created_at, updated_at, body`

func scanSession(row scanner) (Session, error) {
	var session Session
	var id, body string
	var created, updated int64
	if err := row.Scan(&id, &session.Owner, &session.Archived, &session.Version, &created, &updated, &body); err != nil {
		return Session{}, err
	}
	if err := decode(body, &session.Session); err != nil {
		return Session{}, err
	}
	session.ID = id
	session.CreatedAt, session.UpdatedAt = fromMicros(created), fromMicros(updated)
	return session, nil
}

// encodeSession returns the session's body.
func encodeSession(session *v1.Session) (string, error) {
	if session.ID == "" {
		// A row without a session has an empty one: it would be archived with this.
		return "", errors.New("the id is empty")
	}
	if err := checkText(session.Agent, session.ParentID, session.ProjectDir, session.SessionDir, session.Home); err != nil {
		return "", err
	}
	for _, directory := range session.ExtraDirs {
		if err := checkText(directory); err != nil {
			return "", err
		}
	}
	return encode(session)
}

// Session returns a session, archived or not. The error is ErrNotFound if there is none.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	session, err := one(ctx, s.reader, scanSession, `SELECT `+sessionColumns+` FROM sessions WHERE id = $1`, id)
	if err != nil {
		return Session{}, fmt.Errorf("read session: %w", err)
	}
	return session, nil
}

// Sessions returns up to limit sessions, archived ones too, with ids after the given one, in the order of
// their ids' bytes. A limit below one returns none.
func (s *Store) Sessions(ctx context.Context, after string, limit int) ([]Session, error) {
	sessions, err := listAll(ctx, s, scanSession,
		`SELECT `+sessionColumns+` FROM sessions WHERE id > $1 ORDER BY id LIMIT $2`, after, limited(limit))
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sessions, nil
}

// CountSessions returns the number of an owner's sessions, archived ones too, and their size in bytes.
func (s *Store) CountSessions(ctx context.Context, owner string) (sessions int, bytes int64, err error) {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	type load struct {
		sessions int
		bytes    int64
	}
	found, err := one(ctx, s.reader, func(row scanner) (out load, err error) {
		err = row.Scan(&out.sessions, &out.bytes)
		return out, err
	}, `SELECT COUNT(*), CAST(COALESCE(SUM(OCTET_LENGTH(body)), 0) AS BIGINT) FROM sessions WHERE owner = $1`, owner)
	if err != nil {
		return 0, 0, fmt.Errorf("count sessions: %w", err)
	}
	return found.sessions, found.bytes, nil
}

// IdleSessions returns the ids of up to limit active sessions that were not changed since a time,
// those of the longest ago first.
func (s *Store) IdleSessions(ctx context.Context, before time.Time, limit int) ([]string, error) {
	idle, err := listAll(ctx, s, scanText, `SELECT id FROM sessions WHERE archived = $1 AND updated_at < $2 ORDER BY updated_at LIMIT $3`,
		false, micros(before), limited(limit))
	if err != nil {
		return nil, fmt.Errorf("list idle sessions: %w", err)
	}
	return idle, nil
}

// CreateSession adds a session and returns it with version 1. The error is ErrConflict if its id is in use.
func (s *Store) CreateSession(ctx context.Context, session Session) (Session, error) {
	session.Version = 1
	session.CreatedAt, session.UpdatedAt = rounded(session.CreatedAt), rounded(session.UpdatedAt)
	body, err := encodeSession(&session.Session)
	if err != nil {
		return Session{}, fmt.Errorf("create session: %w", err)
	}
	err = s.write(ctx, 0, func(ctx context.Context, t *transaction) error {
		added, err := t.exec(ctx, `INSERT INTO sessions (`+sessionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`,
			session.ID, session.Owner, session.Archived, session.Version, micros(session.CreatedAt), micros(session.UpdatedAt), body)
		if err == nil && added == 0 {
			err = ErrConflict
		}
		t.changed(tableSessions, session.ID)
		return err
	})
	if err != nil {
		return Session{}, fmt.Errorf("create session: %w", err)
	}
	return session, nil
}

// UpdateSession replaces the session of that id if its version is still the given one, and returns it with
// the next. Its creation time stays. The error is ErrConflict if it changed since, and ErrNotFound if there
// is none.
func (s *Store) UpdateSession(ctx context.Context, session Session) (Session, error) {
	body, err := encodeSession(&session.Session)
	if err != nil {
		return Session{}, fmt.Errorf("update session: %w", err)
	}
	var updated Session
	err = s.write(ctx, 0, func(ctx context.Context, t *transaction) error {
		changed, err := list(ctx, t.tx, scanSession,
			`UPDATE sessions SET owner = $1, archived = $2, version = version + 1, updated_at = $3, body = $4
			WHERE id = $5 AND version = $6 RETURNING `+sessionColumns,
			session.Owner, session.Archived, micros(session.UpdatedAt), body, session.ID, session.Version)
		if err != nil {
			return err
		}
		if len(changed) == 0 {
			return t.missing(ctx, `SELECT id FROM sessions WHERE id = $1`, session.ID)
		}
		updated = changed[0]
		t.changed(tableSessions, session.ID)
		return nil
	})
	if err != nil {
		return Session{}, fmt.Errorf("update session: %w", err)
	}
	return updated, nil
}

// ArchiveSession ends a session with everything that belongs to it alone: it deletes its grants, approvals
// and one-shot answers, and withdraws its pending prompts. The error is ErrNotFound if there is no such
// session.
func (s *Store) ArchiveSession(ctx context.Context, id string, at time.Time) error {
	err := s.write(ctx, 0, func(ctx context.Context, t *transaction) error {
		// First, since writers of a session lock this row (see live).
		archived, err := t.changing(ctx, tableSessions,
			`UPDATE sessions SET archived = $1, version = version + 1, updated_at = $2 WHERE id = $3 RETURNING id`, true, micros(at), id)
		if err != nil {
			return err
		}
		if archived == 0 {
			return ErrNotFound
		}
		if _, err := t.changing(ctx, tablePrompts,
			`UPDATE prompts SET state = $1, ended_at = $2 WHERE session = $3 AND state = 'pending' RETURNING id`,
			v1.PromptWithdrawn, micros(at), id); err != nil {
			return err
		}
		for _, gone := range []struct{ table, query string }{
			{tableGrants, `DELETE FROM grants WHERE session = $1 RETURNING id`},
			{tableApprovals, `DELETE FROM approvals WHERE session = $1 AND session <> '' RETURNING id`},
			{tableOnces, `DELETE FROM onces WHERE session = $1 RETURNING prompt`},
		} {
			if _, err := t.changing(ctx, gone.table, gone.query, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("archive session: %w", err)
	}
	return nil
}

// missing is the error for a row that a statement didn't change: ErrNotFound if the query doesn't return it,
// and else ErrConflict.
func (t *transaction) missing(ctx context.Context, query, id string) error {
	if _, err := one(ctx, t.tx, scanText, query, id); err != nil {
		return err
	}
	return ErrConflict
}
