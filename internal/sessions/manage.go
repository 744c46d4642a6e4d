package sessions

import (
	"context"
	"errors"
	"slices"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Register keeps a session before its first call, or narrows one that is known. created is true if the id was
// not in use.
func (r *Registry) Register(ctx context.Context, asked *v1.Session, caller v1.Caller) (info v1.SessionInfo, created bool, err error) {
	err = r.withLocated(ctx, asked, func(found *located) (err error) {
		if found.scope == nil {
			return coded(CodeUnavailable, "no policy is active; see /readyz")
		}
		info, created, err = r.register(ctx, found, asked, caller)
		return err
	})
	return info, created, err
}

// register registers or narrows a session. The caller holds writing.
func (r *Registry) register(
	ctx context.Context, places *located, asked *v1.Session, caller v1.Caller,
) (info v1.SessionInfo, created bool, err error) {
	found, created, err := r.findOrMake(ctx, places, asked, caller, true)
	if err != nil {
		return v1.SessionInfo{}, false, err
	}
	if err := r.owns(found, caller); err != nil {
		return v1.SessionInfo{}, false, err
	}
	if created {
		return r.info(found), true, nil
	}
	session, err := r.narrow(places, &found.row.Session, asked, true)
	if err == nil {
		err = places.usable(asked)
	}
	if err != nil {
		return v1.SessionInfo{}, false, err
	}
	if equal(&session, &found.row.Session) {
		return r.info(found), false, nil
	}
	row := found.row
	row.Session, row.UpdatedAt = session, r.options.Clock()
	if found, err = r.update(ctx, row); err != nil {
		return v1.SessionInfo{}, false, err
	}
	return r.info(found), false, nil
}

// usable refuses an invalid registration: a relative directory, or one that can't be a project (P6).
func (l *located) usable(asked *v1.Session) error {
	for _, field := range []struct {
		name string
		dirs []string
	}{
		{"project_dir", []string{asked.ProjectDir}},
		{"session_dir", []string{asked.SessionDir}},
		{"extra_dirs", asked.ExtraDirs},
	} {
		for _, dir := range field.dirs {
			if dir == "" {
				continue
			}
			place := l.places[dir]
			switch {
			case place.Err != nil:
				return coded(CodeInvalidPath, "%s %q can't be used: %v", field.name, dir, place.Err)
			case place.Sensitive || place.Own:
				return coded(CodeSensitive, "%s %q is a sensitive directory or holds one, and can't be worked in; name a directory below it", field.name, dir)
			}
		}
	}
	return nil
}

// Session returns a registered session. Only its owner and operators see it; for anybody else it doesn't
// exist.
func (r *Registry) Session(ctx context.Context, id string, caller v1.Caller) (v1.SessionInfo, error) {
	found, err := r.find(ctx, id, caller)
	if err != nil {
		return v1.SessionInfo{}, err
	}
	return r.info(found), nil
}

// find reads a session from memory or the store, archived ones too.
func (r *Registry) find(ctx context.Context, id string, caller v1.Caller) (*entry, error) {
	found := r.inMemory(id)
	if found == nil {
		row, err := r.options.Store.Session(ctx, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, coded(CodeNotFound, "there is no session %q", id)
		case err != nil:
			return nil, r.failed(err)
		}
		found = &entry{row: row}
	}
	if r.owns(found, caller) != nil {
		return nil, coded(CodeNotFound, "there is no session %q of yours", id)
	}
	return found, nil
}

// active is find for what has not ended.
func (r *Registry) active(ctx context.Context, id string, caller v1.Caller) (*entry, error) {
	found, err := r.find(ctx, id, caller)
	if err != nil {
		return nil, err
	}
	if found.row.Archived {
		return nil, coded(CodeArchived, "session %s has ended; register it again", id)
	}
	return found, nil
}

// List returns at most limit sessions with ids after a given one, in the order of ids, and the id to continue
// after, empty at the end.
func (r *Registry) List(ctx context.Context, after string, limit int) (list []v1.SessionInfo, next string, err error) {
	rows, err := r.options.Store.Sessions(ctx, after, limit+1)
	if err != nil {
		return nil, "", r.failed(err)
	}
	if len(rows) > limit {
		rows = rows[:limit]
		next = rows[limit-1].ID
	}
	list = make([]v1.SessionInfo, 0, len(rows))
	for _, row := range rows {
		list = append(list, r.info(&entry{row: row}))
	}
	return list, next, nil
}

// Archive ends a session, with its grants, its approvals and its open prompts (P9). Ending it twice isn't an
// error.
func (r *Registry) Archive(ctx context.Context, id string, caller v1.Caller) error {
	found, err := r.find(ctx, id, caller)
	if err != nil {
		return err
	}
	if found.row.Archived {
		return nil
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.options.Store.ArchiveSession(ctx, id, r.options.Clock()); err != nil && !errors.Is(err, store.ErrNotFound) {
		return r.failed(err)
	}
	r.mu.Lock()
	r.forget(id)
	delete(r.grants, v1.Holder{Session: id})
	r.mu.Unlock()
	if r.asker != nil {
		r.asker.Archive(id)
	}
	r.options.Ended(id)
	ended := *found
	ended.row.Archived, ended.row.UpdatedAt = true, r.options.Clock()
	r.options.Changed(r.info(&ended))
	return nil
}

// info is a session as it is shown.
func (r *Registry) info(session *entry) v1.SessionInfo {
	row := &session.row
	info := v1.SessionInfo{
		Session: row.Session, State: v1.SessionActive, ReadPaths: []string{}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if row.Archived {
		info.State = v1.SessionArchived
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, grant := range r.grants[v1.Holder{Session: row.ID}] {
		info.ReadPaths = append(info.ReadPaths, grant.Path)
	}
	return info
}

// equal compares what is kept of sessions.
func equal(a, b *v1.Session) bool {
	return a.Agent == b.Agent && a.ParentID == b.ParentID && a.Audience == b.Audience && a.ProjectDir == b.ProjectDir &&
		slices.Equal(a.ExtraDirs, b.ExtraDirs) && a.SessionDir == b.SessionDir && a.Attended() == b.Attended() &&
		a.Platform == b.Platform && a.Home == b.Home && a.Shell == b.Shell && slices.Equal(a.Tools, b.Tools) &&
		slices.Equal(a.Enforces, b.Enforces) && a.LastingShell == b.LastingShell &&
		slices.EqualFunc(a.Peers, b.Peers, func(a, b v1.Peer) bool {
			return a.ID == b.ID && slices.Equal(a.Capabilities, b.Capabilities)
		})
}
