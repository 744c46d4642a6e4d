package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

const approvalColumns = `id, audience, agent, tool, verb, directory, session, given_by, created_at, expires_at, risks, worktrees`

func scanApproval(row scanner) (v1.ApprovalEntry, error) {
	var entry v1.ApprovalEntry
	var created int64
	var expires *int64
	var risks string
	var worktrees int64
	err := row.Scan(&entry.ID, &entry.Audience, &entry.Agent, &entry.Tool, &entry.Verb, &entry.Directory, &entry.Session,
		&entry.By, &created, &expires, &risks, &worktrees)
	entry.CreatedAt, entry.Worktrees = fromMicros(created), worktrees != 0
	if risks != "" {
		entry.Risks = strings.Split(risks, "\n")
	}
	if expires != nil {
		at := fromMicros(*expires)
		entry.ExpiresAt = &at
	}
	return entry, err
}

// approvalIdentity distinguishes anywhere from the directory with an empty name.
func approvalIdentity(entry *v1.ApprovalEntry) []byte {
	where, directory := "anywhere", ""
	if entry.Directory != nil {
		where, directory = "in", *entry.Directory
	}
	parts := []string{string(entry.Audience), entry.Agent, entry.Tool, entry.Verb, where, directory, entry.Session}
	if risks := entry.RiskLines(); risks != "" { // without any it is what it was before there were risks
		parts = append(parts, risks)
	}
	if entry.Worktrees { // the same applies to worktrees; no risk begins with a line feed
		parts = append(parts, "\nworktrees")
	}
	return identity(parts...)
}

// Approvals returns the approvals that have not expired at now, in the order of
// their ids.
func (s *Store) Approvals(ctx context.Context, now time.Time) ([]v1.ApprovalEntry, error) {
	entries, err := listAll(ctx, s, scanApproval,
		`SELECT `+approvalColumns+` FROM approvals WHERE expires_at IS NULL OR expires_at > $1 ORDER BY id`, micros(now))
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	return entries, nil
}

// Approval returns one approval, also an expired one. The error is ErrNotFound if there is none.
func (s *Store) Approval(ctx context.Context, id string) (v1.ApprovalEntry, error) {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	entry, err := one(ctx, s.reader, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE id = $1`, id)
	if err != nil {
		return v1.ApprovalEntry{}, fmt.Errorf("look up approval: %w", err)
	}
	return entry, nil
}

// PutApprovals adds approvals, all or none, and returns the stored ones, in the order of the arguments. An
// approval is identified by audience, agent, tool, verb, directory (none is one, too) and session. An
// existing one stays, and expires at the later of the two times; never is the latest. The error is
// ErrConflict if a session was archived.
func (s *Store) PutApprovals(ctx context.Context, entries ...v1.ApprovalEntry) ([]v1.ApprovalEntry, error) {
	if len(entries) == 0 {
		return []v1.ApprovalEntry{}, nil
	}
	var kept []v1.ApprovalEntry
	err := s.write(ctx, len(entries), func(ctx context.Context, t *transaction) error {
		if err := t.live(ctx, sessionsOf(&Resolution{Approvals: entries})...); err != nil {
			return err
		}
		var err error
		kept, err = t.putApprovals(ctx, entries)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("put approvals: %w", err)
	}
	return kept, nil
}

const putApproval = `INSERT INTO approvals (identity, ` + approvalColumns + `)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
	ON CONFLICT (identity) DO UPDATE SET expires_at = CASE
		WHEN approvals.expires_at IS NULL OR excluded.expires_at IS NULL THEN NULL
		WHEN approvals.expires_at > excluded.expires_at THEN approvals.expires_at
		ELSE excluded.expires_at END
	RETURNING ` + approvalColumns

// putApprovals writes the entries in one order for all callers, so that two callers with the same entries
// don't deadlock.
func (t *transaction) putApprovals(ctx context.Context, entries []v1.ApprovalEntry) ([]v1.ApprovalEntry, error) {
	type numbered struct {
		identity []byte
		place    int
	}
	order := make([]numbered, len(entries))
	for i := range entries {
		order[i] = numbered{approvalIdentity(&entries[i]), i}
	}
	slices.SortFunc(order, func(a, b numbered) int { return bytes.Compare(a.identity, b.identity) })
	statement, err := t.tx.PrepareContext(ctx, putApproval)
	if err != nil {
		return nil, err
	}
	defer statement.Close()
	kept := make([]v1.ApprovalEntry, len(entries))
	for _, next := range order {
		entry := &entries[next.place]
		var directory any
		if entry.Directory != nil {
			directory = *entry.Directory
		}
		kept[next.place], err = one(ctx, prepared{statement}, scanApproval, "", next.identity, entry.ID, string(entry.Audience),
			entry.Agent, entry.Tool, entry.Verb, directory, entry.Session, entry.By, micros(entry.CreatedAt), microsOrNull(entry.ExpiresAt),
			entry.RiskLines(), flag(entry.Worktrees))
		if err != nil {
			return nil, err
		}
		t.changed(tableApprovals, kept[next.place].ID)
	}
	return kept, nil
}

// flag is how a truth is kept.
func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// DeleteApprovals removes the approvals with these ids, all or none, and returns
// how many there were.
func (s *Store) DeleteApprovals(ctx context.Context, ids ...string) (int, error) {
	gone, err := s.deleteAll(ctx, tableApprovals, ids)
	if err != nil {
		return 0, fmt.Errorf("delete approvals: %w", err)
	}
	return gone, nil
}
