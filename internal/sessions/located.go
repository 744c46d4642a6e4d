package sessions

import (
	"context"
	"slices"

	v1 "policyd/api/v1"
)

// located are the directories of a request, resolved on the disk. They are resolved once, before a lock is
// taken, so that a slow look-up delays only its own caller.
type located struct {
	scope Scope
	// viewer is the session for the look-up: the registered one, or else the requested one.
	viewer *v1.Session
	// places are by the request's names. It is empty without a policy.
	places map[string]Located
}

// locate resolves the directories of asked. kept is the registered session, nil for none. The look-up ends
// with ctx.
func (r *Registry) locate(ctx context.Context, kept, asked *v1.Session) (*located, error) {
	found := &located{scope: r.options.Scope(), viewer: asked, places: map[string]Located{}}
	if kept != nil {
		found.viewer = kept
	}
	if found.scope == nil {
		return found, nil
	}
	var names []string
	for _, name := range append([]string{asked.ProjectDir, asked.SessionDir}, asked.ExtraDirs...) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return found, nil
	}
	places, err := found.scope.Places(ctx, found.viewer, nil, names)
	if err != nil {
		return nil, coded(CodeUnavailable, "the directories of session %s were not looked up in time; try again", asked.ID)
	}
	for i, name := range names {
		found.places[name] = places[i]
	}
	return found, nil
}

// fits reports whether the look-up applies to a registered session: paths depend on its platform and home.
func (l *located) fits(r *Registry, kept *v1.Session) bool {
	now, then := r.normal(kept), r.normal(l.viewer)
	return now.Platform == then.Platform && now.Home == then.Home
}

// real is the real path of a directory, or the name if it can't be resolved: such a name gives no access.
func (l *located) real(dir string) string {
	if place, known := l.places[dir]; known && place.Err == nil {
		return place.Real
	}
	return dir
}

// session replaces the directories of a session by their real paths, so that a later link in their place
// changes nothing.
func (l *located) session(asked *v1.Session) v1.Session {
	session := *asked
	session.ProjectDir, session.SessionDir = l.real(asked.ProjectDir), l.real(asked.SessionDir)
	if asked.ExtraDirs != nil {
		session.ExtraDirs = make([]string, len(asked.ExtraDirs))
		for i, dir := range asked.ExtraDirs {
			session.ExtraDirs[i] = l.real(dir)
		}
	}
	return session
}

// under returns the real path of a directory, and whether it is in a kept one, which is real. Without a
// policy nothing does.
func (l *located) under(dir, kept string) (real string, below bool) {
	place, known := l.places[dir]
	if !known || place.Err != nil {
		return "", false
	}
	return place.Real, l.scope.Under(place.Real, kept, l.viewer)
}
