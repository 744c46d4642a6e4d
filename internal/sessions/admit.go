package sessions

import (
	"context"
	"errors"
	"slices"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Admit returns the session of a call: the registered one, narrowed by the call's description. A new session
// is registered as the call describes it. An error wraps a *v1.CodedError. If the store can't return the
// session, the call is judged as one without any directory, so that the calls that the session would allow
// prompt (D2).
func (r *Registry) Admit(ctx context.Context, asked *v1.Session, caller v1.Caller) (v1.Session, error) {
	known := r.inMemory(asked.ID)
	if known == nil || known.row.Archived {
		var err error
		if known, err = r.meet(ctx, asked, caller); err != nil {
			return v1.Session{}, err
		}
	}
	if known.passing {
		return known.row.Session, nil
	}
	if err := r.owns(known, caller); err != nil {
		return v1.Session{}, err
	}
	if known.row.Owner == "" && !caller.Operator && caller.Identity != "" {
		r.claim(ctx, known, caller)
	}
	if r.stale(known) {
		r.used(ctx, known.row.ID)
	}
	if adds, session := nothingNew(known, asked); !adds {
		session.Resolved = true
		return session, nil
	}
	found, err := r.locate(ctx, &known.row.Session, asked)
	if err != nil {
		return v1.Session{}, err
	}
	session, err := r.narrow(found, &known.row.Session, asked, false)
	session.Resolved = true
	if err == nil && sameDirectories(&session, &known.row.Session) {
		r.storeNames(known, asked)
	}
	return session, err
}

// Peek returns the session that Admit would, and registers nothing: neither a new session, nor its first
// user. It is for questions that no agent asks.
func (r *Registry) Peek(ctx context.Context, asked *v1.Session, caller v1.Caller) (v1.Session, error) {
	known := r.remembered(ctx, asked.ID)
	var kept *v1.Session
	if known != nil {
		if err := r.owns(known, caller); err != nil {
			return v1.Session{}, err
		}
		kept = &known.row.Session
	}
	found, err := r.locate(ctx, kept, asked)
	if err != nil {
		return v1.Session{}, err
	}
	if known == nil {
		session := found.session(asked)
		session.Interactive = new(asked.Attended())
		return session, nil
	}
	session, err := r.narrow(found, kept, asked, false)
	session.Resolved = true
	return session, err
}

func sameDirectories(a, b *v1.Session) bool {
	return a.ProjectDir == b.ProjectDir && a.SessionDir == b.SessionDir && slices.Equal(a.ExtraDirs, b.ExtraDirs)
}

// storeNames maps a host's names of directories to their stored real paths, so that the next call needs no disk
// access.
func (r *Registry) storeNames(known *entry, asked *v1.Session) {
	next := *known
	next.names = directories{asked.ProjectDir, asked.SessionDir, asked.ExtraDirs}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions[known.row.ID] == known {
		r.sessions[known.row.ID] = &next
		r.bytes += next.size() - known.size()
	}
}

// nothingNew is the fast path of nearly every call: its description of the session is known, or contains
// less.
func nothingNew(known *entry, asked *v1.Session) (adds bool, session v1.Session) {
	kept := &known.row.Session
	if !repeatsFields(kept, asked) || !repeatsDirectories(known, asked) {
		return true, v1.Session{}
	}
	session = *kept
	if asked.Tools != nil {
		session.Tools = asked.Tools
	}
	if asked.Peers != nil {
		session.Peers = asked.Peers
	}
	return false, session
}

// repeatsFields reports whether each field but the directories is left out or as it is kept.
func repeatsFields(kept, asked *v1.Session) bool {
	if asked.Interactive != nil && *asked.Interactive != kept.Attended() {
		return false
	}
	for _, field := range [...]struct{ kept, asked string }{
		{kept.Agent, asked.Agent},
		{kept.ParentID, asked.ParentID},
		{kept.Platform, asked.Platform},
		{kept.Home, asked.Home},
		{kept.Shell, asked.Shell},
		{string(kept.Audience), string(asked.Audience)},
	} {
		if field.asked != "" && field.asked != field.kept {
			return false
		}
	}
	return true
}

// repeatsDirectories reports whether each directory is left out, as it is kept, or as the
// host last named it.
func repeatsDirectories(known *entry, asked *v1.Session) bool {
	kept, said := &known.row.Session, &known.names
	repeats := func(asked, kept, said string) bool { return asked == "" || asked == kept || asked == said }
	return repeats(asked.ProjectDir, kept.ProjectDir, said.project) &&
		repeats(asked.SessionDir, kept.SessionDir, said.session) &&
		(asked.ExtraDirs == nil || slices.Equal(kept.ExtraDirs, asked.ExtraDirs) || slices.Equal(said.extra, asked.ExtraDirs))
}

// claim gives a session that an operator registered to the first agent that
// uses it. A store that fails is asked again with the next call.
func (r *Registry) claim(ctx context.Context, known *entry, caller v1.Caller) {
	r.writing.Lock()
	defer r.writing.Unlock()
	known = r.inMemory(known.row.ID)
	if known == nil || known.row.Owner != "" || r.isResting() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	row := known.row
	row.Owner, row.UpdatedAt = caller.Identity, r.options.Clock()
	if _, err := r.update(ctx, row); err != nil {
		r.options.Fault(err)
	}
}

// owns refuses a caller to whom the session doesn't belong.
func (r *Registry) owns(known *entry, caller v1.Caller) error {
	if caller.Operator || known.row.Owner == "" || known.row.Owner == caller.Identity {
		return nil
	}
	return coded(CodeForeign, "session %s belongs to another caller; use a session id of your own", known.row.ID)
}

// meet returns a session from the store or makes it.
func (r *Registry) meet(ctx context.Context, asked *v1.Session, caller v1.Caller) (*entry, error) {
	var known *entry
	err := r.withLocated(ctx, asked, func(found *located) (err error) {
		if known = r.inMemory(asked.ID); known != nil && !known.row.Archived {
			return nil // another caller met it meanwhile
		}
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		known, _, err = r.findOrMake(bounded, found, asked, caller, false)
		return err
	})
	if refused := new(v1.CodedError); errors.As(err, &refused) && refused.Code == CodeUnavailable {
		if before := r.atLastReading(asked.ID); before != nil {
			return before, nil
		}
		return unknown(asked, caller), nil
	}
	return known, err
}

// errMoved is for a session that was changed while its directories were looked up.
var errMoved = errors.New("the session was changed meanwhile")

// mostLooks bounds how often directories are looked up again since the session changed.
const mostLooks = 3

// withLocated resolves the directories in asked, and then calls do while writing is held.
func (r *Registry) withLocated(ctx context.Context, asked *v1.Session, do func(*located) error) error {
	for range mostLooks {
		kept, err := r.peek(ctx, asked.ID)
		if err != nil {
			return err
		}
		found, err := r.locate(ctx, kept, asked)
		if err != nil {
			return err
		}
		err = func() error {
			r.writing.Lock()
			defer r.writing.Unlock()
			return do(found)
		}()
		if !errors.Is(err, errMoved) {
			return err
		}
	}
	return coded(CodeConflict, "session %s was changed by another request; try again", asked.ID)
}

// peek returns the session that is kept under an id, archived or not, and nil for none.
// It keeps nothing in memory.
func (r *Registry) peek(ctx context.Context, id string) (*v1.Session, error) {
	if known := r.inMemory(id); known != nil {
		return &known.row.Session, nil
	}
	if r.isResting() {
		return nil, nil //nolint:nilnil // nothing is known of it; a caller that needs the store gets an error
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	row, err := r.options.Store.Session(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, r.failed(err)
	}
	return &row.Session, nil
}

// unknown is the session of a call while the store fails. The stored session could be narrower than the
// call's description, so this one has the narrowest audience and no directory.
func unknown(asked *v1.Session, caller v1.Caller) *entry {
	session := v1.Session{
		ID: asked.ID, Agent: asked.Agent, Audience: v1.AudiencePublic, Interactive: new(asked.Attended()),
		Platform: asked.Platform, Home: asked.Home, Shell: asked.Shell, Tools: asked.Tools, Peers: asked.Peers,
	}
	return &entry{row: store.Session{Session: session, Owner: caller.Identity}, passing: true}
}

// findOrMake returns the session as it is in the store. It creates it or restores it from the archive if
// necessary. made is true if it was not there. The caller holds writing.
func (r *Registry) findOrMake(
	ctx context.Context, places *located, asked *v1.Session, caller v1.Caller, register bool,
) (found *entry, made bool, err error) {
	if r.isResting() {
		return nil, false, &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	row, err := r.options.Store.Session(ctx, asked.ID)
	if errors.Is(err, store.ErrNotFound) {
		if register {
			if err := places.usable(asked); err != nil {
				return nil, false, err
			}
		}
		return r.make(ctx, places, asked, caller)
	}
	if err != nil {
		return nil, false, r.failed(err)
	}
	if !places.fits(r, &row.Session) {
		return nil, false, errMoved
	}
	found = &entry{row: row}
	if !row.Archived {
		r.keep(found)
		return found, false, nil
	}
	if err := r.owns(found, caller); err != nil {
		return nil, false, err
	}
	found, err = r.revive(ctx, places, row, asked, register)
	return found, false, err
}

func (r *Registry) make(
	ctx context.Context, places *located, asked *v1.Session, caller v1.Caller,
) (made *entry, isNew bool, err error) {
	row, err := r.newRow(ctx, places, asked, caller)
	if err != nil {
		return nil, false, err
	}
	if err := r.checkLimit(ctx, &row); err != nil {
		return nil, false, err
	}
	row, err = r.options.Store.CreateSession(ctx, row)
	if errors.Is(err, store.ErrConflict) { // another sidecar was first
		row, err = r.options.Store.Session(ctx, asked.ID)
		isNew = false
	} else {
		isNew = true
	}
	if err != nil {
		return nil, false, r.failed(err)
	}
	made = &entry{row: row, names: directories{asked.ProjectDir, asked.SessionDir, asked.ExtraDirs}}
	r.keep(made)
	r.options.Changed(r.info(made))
	return made, isNew, nil
}

// revive restores an archived session as narrow as it was.
func (r *Registry) revive(
	ctx context.Context, places *located, row store.Session, asked *v1.Session, register bool,
) (*entry, error) {
	session, err := r.narrow(places, &row.Session, asked, register)
	if err == nil && register {
		err = places.usable(asked)
	}
	if err != nil {
		return nil, err
	}
	row.Session, row.Archived, row.UpdatedAt = session, false, r.options.Clock()
	return r.update(ctx, row)
}

// update writes a changed row. The caller holds writing.
func (r *Registry) update(ctx context.Context, row store.Session) (*entry, error) {
	row, err := r.options.Store.UpdateSession(ctx, row)
	if errors.Is(err, store.ErrConflict) {
		r.Forget(row.ID)
		return nil, coded(CodeConflict, "session %s was changed by another request; try again", row.ID)
	}
	if err != nil {
		return nil, r.failed(err)
	}
	changed := &entry{row: row}
	r.keep(changed)
	r.options.Changed(r.info(changed))
	return changed, nil
}

// newRow makes the row of a new session. A missing field gets its narrowest value.
func (r *Registry) newRow(
	ctx context.Context, places *located, asked *v1.Session, caller v1.Caller,
) (store.Session, error) {
	session := places.session(asked)
	if session.Audience != v1.AudiencePersonal && session.Audience != v1.AudienceTeam {
		session.Audience = v1.AudiencePublic
	}
	session.Interactive = new(asked.Attended())
	if session.ParentID != "" {
		if err := r.checkParent(ctx, &session, caller); err != nil {
			return store.Session{}, err
		}
	}
	now := r.options.Clock()
	row := store.Session{Session: session, Owner: caller.Identity, CreatedAt: now, UpdatedAt: now}
	if caller.Operator {
		row.Owner = "" // the first user of an operator's registration becomes the owner
	}
	return row, nil
}

// remembered returns a session from memory, or reads it from the store; nil if there is none. It may be
// called while writing is held.
func (r *Registry) remembered(ctx context.Context, id string) *entry {
	if known := r.inMemory(id); known != nil || r.isResting() {
		return known
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	row, err := r.options.Store.Session(ctx, id)
	if err != nil {
		if !errors.Is(err, store.ErrNotFound) {
			_ = r.failed(err) // reported to the operator; the caller continues without it
		}
		return nil
	}
	found := &entry{row: row}
	r.keep(found)
	return found
}

// checkParent requires that a child inherits only the approvals of its own agent's parent (C5).
func (r *Registry) checkParent(ctx context.Context, session *v1.Session, caller v1.Caller) error {
	if !caller.Adapter && !caller.Operator {
		return coded(CodeParent, "parent_id %q: only policyd's client adapters name a parent; leave it out", session.ParentID)
	}
	parent := r.remembered(ctx, session.ParentID)
	switch {
	case session.ParentID == session.ID || parent == nil || parent.row.Archived:
		return coded(CodeParent, "parent_id %q is no active session", session.ParentID)
	case parent.row.Agent != session.Agent || parent.row.ProjectDir != session.ProjectDir:
		return coded(CodeParent, "parent_id %q is a session of another agent or project", session.ParentID)
	}
	return r.owns(parent, caller)
}
