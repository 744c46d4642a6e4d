package store

import (
	"context"
	"fmt"

	v1 "policyd/api/v1"
)

const grantColumns = `id, session, agent, path, mode, label, origin, created_at`

func scanGrant(row scanner) (v1.Grant, error) {
	var grant v1.Grant
	var created int64
	err := row.Scan(&grant.ID, &grant.Session, &grant.Agent, &grant.Path, &grant.Mode, &grant.Label, &grant.Origin, &created)
	grant.CreatedAt = fromMicros(created)
	return grant, err
}

func grantIdentity(grant *v1.Grant) []byte {
	return identity(grant.Session, grant.Agent, grant.Path)
}

// Grants returns all grants, in the order of their ids.
func (s *Store) Grants(ctx context.Context) ([]v1.Grant, error) {
	grants, err := listAll(ctx, s, scanGrant, `SELECT `+grantColumns+` FROM grants ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	return grants, nil
}

// PutGrant adds a grant, identified by session, agent and path. An existing one gets the mode and label of
// the new one, and keeps everything else. It returns the stored grant, and what changed: v1.ChangeNew,
// v1.ChangeMode or v1.ChangeUnchanged. The error is ErrConflict if the session was archived.
func (s *Store) PutGrant(ctx context.Context, grant v1.Grant) (v1.Grant, string, error) {
	var kept v1.Grant
	var change string
	err := s.write(ctx, 0, func(ctx context.Context, t *transaction) error {
		if err := t.live(ctx, grant.Session); err != nil {
			return err
		}
		var err error
		kept, change, err = t.putGrant(ctx, &grant)
		return err
	})
	if err != nil {
		return v1.Grant{}, "", fmt.Errorf("put grant: %w", err)
	}
	return kept, change, nil
}

func (t *transaction) putGrant(ctx context.Context, grant *v1.Grant) (v1.Grant, string, error) {
	added, err := list(ctx, t.tx, scanGrant,
		`INSERT INTO grants (identity, `+grantColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (identity) DO NOTHING RETURNING `+grantColumns,
		grantIdentity(grant), grant.ID, grant.Session, grant.Agent, grant.Path, grant.Mode, grant.Label, grant.Origin, micros(grant.CreatedAt))
	if err != nil {
		return v1.Grant{}, "", err
	}
	if len(added) == 1 {
		t.changed(tableGrants, added[0].ID)
		return added[0], v1.ChangeNew, nil
	}
	changed, err := list(ctx, t.tx, scanGrant,
		`UPDATE grants SET mode = $1, label = $2 WHERE identity = $3 AND mode <> $1 RETURNING `+grantColumns,
		grant.Mode, grant.Label, grantIdentity(grant))
	if err != nil {
		return v1.Grant{}, "", err
	}
	if len(changed) == 1 {
		t.changed(tableGrants, changed[0].ID)
		return changed[0], v1.ChangeMode, nil
	}
	kept, err := t.grantLike(ctx, grant)
	return kept, v1.ChangeUnchanged, err
}

// grantLike returns the grant for the same session, agent and path. If it went in this very moment that is a
// conflict.
func (t *transaction) grantLike(ctx context.Context, grant *v1.Grant) (v1.Grant, error) {
	found, err := list(ctx, t.tx, scanGrant, `SELECT `+grantColumns+` FROM grants WHERE identity = $1`, grantIdentity(grant))
	if err == nil && len(found) == 0 {
		err = ErrConflict
	}
	if err != nil {
		return v1.Grant{}, err
	}
	return found[0], nil
}

// DeleteGrants removes the grants with these ids, all or none, and returns how
// many there were.
func (s *Store) DeleteGrants(ctx context.Context, ids ...string) (int, error) {
	gone, err := s.deleteAll(ctx, tableGrants, ids)
	if err != nil {
		return 0, fmt.Errorf("delete grants: %w", err)
	}
	return gone, nil
}
