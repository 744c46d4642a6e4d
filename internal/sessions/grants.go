package sessions

import (
	"context"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// maxGrants bounds the grants of one holder: every read looks at them.
const maxGrants = 1000

// Grants are the path grants of a session: its own, its agent's, and the standing ones of the settings. While
// the store can't be read, there are none of the first two (D2).
func (r *Registry) Grants(session *v1.Session) []v1.PathGrant {
	var out []v1.PathGrant
	if scope := r.options.Scope(); scope != nil {
		out = scope.Standing(session.Agent)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	own, shared := r.grants[v1.Holder{Session: session.ID}], r.grants[v1.Holder{Agent: session.Agent}]
	if session.Agent == "" {
		shared = nil
	}
	if len(own)+len(shared) == 0 {
		return out
	}
	all := make([]v1.PathGrant, 0, len(out)+len(own)+len(shared))
	all = append(all, out...)
	for _, list := range [][]v1.Grant{own, shared} {
		for _, grant := range list {
			all = append(all, v1.PathGrant{ID: grant.ID, Root: grant.Path, Mode: grant.Mode})
		}
	}
	return all
}

// Grant adds a path grant for a person, or changes the mode of an existing one (P5).
func (r *Registry) Grant(ctx context.Context, who v1.Holder, request v1.GrantRequest) (v1.GrantResponse, error) {
	session, err := r.sessionOf(ctx, who)
	if err != nil {
		return v1.GrantResponse{}, err
	}
	root, err := r.grantable(session, request.Path)
	if err != nil {
		return v1.GrantResponse{}, err
	}
	mode := request.Mode
	if mode == "" {
		mode = v1.GrantRead
	}
	if mode != v1.GrantRead && mode != v1.GrantReadWrite {
		return v1.GrantResponse{}, coded(CodeInvalid, "mode %q is not known; allowed: read, read_write", request.Mode)
	}
	return r.put(ctx, r.newGrant(who, root, mode, v1.OriginOperator))
}

func (r *Registry) newGrant(who v1.Holder, root, mode, origin string) v1.Grant {
	return labelled(v1.Grant{
		ID: r.options.NewID(), Session: who.Session, Agent: who.Agent, Path: root, Mode: mode, Origin: origin,
		CreatedAt: r.options.Clock(),
	})
}

// labelled sets the label, which follows from path and mode (P5).
func labelled(grant v1.Grant) v1.Grant {
	grant.Label = grant.Path + " (read-only)"
	if grant.Mode == v1.GrantReadWrite {
		grant.Label = grant.Path + " (read-write)"
	}
	return grant
}

// sessionOf returns the session that a grant's path is looked at for. An agent's
// is looked at as a session of the sidecar's own platform.
func (r *Registry) sessionOf(ctx context.Context, who v1.Holder) (*v1.Session, error) {
	if who.Session == "" {
		if who.Agent == "" {
			return nil, coded(CodeInvalid, "the agent's name is empty")
		}
		return &v1.Session{Agent: who.Agent, Audience: v1.AudiencePersonal}, nil
	}
	found, err := r.active(ctx, who.Session, v1.Caller{Operator: true})
	if err != nil {
		return nil, err
	}
	return &found.row.Session, nil
}

// grantable returns the real path of what may be granted at all (P6).
func (r *Registry) grantable(session *v1.Session, dir string) (string, error) {
	scope := r.options.Scope()
	if scope == nil {
		return "", coded(CodeUnavailable, "no policy is active; see /readyz")
	}
	if hasDots(dir) {
		return "", coded(CodeInvalidPath, `path %q holds ".."; give the path that it leads to`, dir)
	}
	place, err := scope.Place(session, r.Grants(session), dir)
	switch {
	case err != nil:
		return "", coded(CodeInvalidPath, "path %q can't be granted: %v", dir, err)
	case place.Sensitive || place.Own:
		return "", coded(CodeSensitive, "%s is a sensitive directory or holds one, and can't be granted", place.Real)
	case !place.Visible:
		return "", coded(CodeNotVisible, "%s is on a disk that policyd can't see; scope.path_map says where it lies", place.Real)
	case !place.Exists:
		return "", coded(CodeInvalidPath, "%s doesn't exist; make it first", place.Real)
	}
	return place.Real, nil
}

func hasDots(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "..")
}

// put writes a grant and adds it to memory.
func (r *Registry) put(ctx context.Context, grant v1.Grant) (v1.GrantResponse, error) {
	who := v1.Holder{Session: grant.Session, Agent: grant.Agent}
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.RLock()
	full := len(r.grants[who]) >= maxGrants &&
		!slices.ContainsFunc(r.grants[who], func(other v1.Grant) bool { return other.Path == grant.Path })
	r.mu.RUnlock()
	if full {
		return v1.GrantResponse{}, coded(CodeTooMany, "there are %d grants already; revoke some first", maxGrants)
	}
	kept, change, err := r.options.Store.PutGrant(ctx, grant)
	if err != nil {
		return v1.GrantResponse{}, r.failed(err)
	}
	kept = labelled(kept)
	r.remember(kept)
	return v1.GrantResponse{Grant: kept, Change: change}, nil
}

// remember adds a grant from the store to memory.
func (r *Registry) remember(grant v1.Grant) {
	grant = labelled(grant)
	who := v1.Holder{Session: grant.Session, Agent: grant.Agent}
	r.mu.Lock()
	list := slices.Clone(r.grants[who])
	at := slices.IndexFunc(list, func(other v1.Grant) bool { return other.Path == grant.Path })
	if at >= 0 {
		list[at] = grant
	} else {
		list = append(list, grant)
	}
	r.grants[who] = list
	r.mu.Unlock()
	r.changed(grant.Session)
	r.options.Granted()
}

// changed reports a session whose grants changed.
func (r *Registry) changed(id string) {
	if session := r.inMemory(id); session != nil {
		r.options.Changed(r.info(session))
	}
}

// ListGrants returns the grants of a session or an agent. An agent's standing grants are among them; they
// have no id, since only settings change them.
func (r *Registry) ListGrants(ctx context.Context, who v1.Holder) ([]v1.Grant, error) {
	if _, err := r.sessionOf(ctx, who); err != nil {
		return nil, err
	}
	out := []v1.Grant{}
	if scope := r.options.Scope(); scope != nil && who.Agent != "" {
		for _, grant := range scope.Standing(who.Agent) {
			out = append(out, labelled(v1.Grant{Agent: who.Agent, Path: grant.Root, Mode: grant.Mode, Origin: v1.OriginSettings}))
		}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.loadErr != nil {
		return nil, &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	return append(out, r.grants[who]...), nil
}

// Revoke revokes one grant of a holder.
func (r *Registry) Revoke(ctx context.Context, who v1.Holder, id string) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.RLock()
	known := slices.ContainsFunc(r.grants[who], func(grant v1.Grant) bool { return grant.ID == id })
	r.mu.RUnlock()
	if !known {
		return coded(CodeNotFound, "there is no grant %q here", id)
	}
	return r.drop(ctx, who, id)
}

// drop deletes grants from the store and from memory. The caller holds writing.
func (r *Registry) drop(ctx context.Context, who v1.Holder, ids ...string) error {
	if _, err := r.options.Store.DeleteGrants(ctx, ids...); err != nil {
		return r.failed(err)
	}
	r.mu.Lock()
	r.grants[who] = slices.DeleteFunc(slices.Clone(r.grants[who]), func(grant v1.Grant) bool {
		return slices.Contains(ids, grant.ID)
	})
	r.mu.Unlock()
	r.changed(who.Session)
	return nil
}

// KeepGrants is PATCH read_paths: the named grants of a session stay and the
// others go. It can only remove, so every entry has to be there already (P10).
func (r *Registry) KeepGrants(ctx context.Context, id string, roots []string, caller v1.Caller) (v1.SessionInfo, error) {
	found, err := r.active(ctx, id, caller)
	if err != nil {
		return v1.SessionInfo{}, err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	who := v1.Holder{Session: id}
	r.mu.RLock()
	present := slices.Clone(r.grants[who])
	r.mu.RUnlock()
	if err := removesOnly(roots, present); err != nil {
		return v1.SessionInfo{}, err
	}
	var gone []string
	for _, grant := range present {
		if !slices.Contains(roots, grant.Path) {
			gone = append(gone, grant.ID)
		}
	}
	if len(gone) > 0 {
		if err := r.drop(ctx, who, gone...); err != nil {
			return v1.SessionInfo{}, err
		}
	}
	return r.info(found), nil
}

func removesOnly(roots []string, present []v1.Grant) error {
	for i, root := range roots {
		known := slices.ContainsFunc(present, func(grant v1.Grant) bool { return grant.Path == root })
		switch {
		case slices.Contains(roots[:i], root):
			return coded(CodeListedTwice, "read_paths entry %q is repeated", root)
		case known:
		case !path.IsAbs(root) || hasDots(root):
			return coded(CodeInvalidPath, `read_paths entry %q is relative or holds ".."; entries are those that GET lists`, root)
		default:
			return coded(CodeNotPresent, "read_paths entry %q is not granted, and this request can only remove; ask for access instead", root)
		}
	}
	return nil
}
