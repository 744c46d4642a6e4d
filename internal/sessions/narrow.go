package sessions

import (
	"slices"

	v1 "policyd/api/v1"
)

// narrowing compares a registered session with a later request's description of it (C5).
type narrowing struct {
	registry          *Registry
	located           *located
	stored, requested *v1.Session
	// register is true for a registration, which gets an error if it would widen the session; a call
	// continues with the registered values.
	register bool
	out      v1.Session
}

// narrow returns the session of a request: the registered one, or the request's values if they are narrower.
// A fixed value that differs is an error that wraps a *v1.CodedError.
func (r *Registry) narrow(found *located, kept, asked *v1.Session, register bool) (v1.Session, error) {
	n := &narrowing{registry: r, located: found, stored: kept, requested: asked, register: register, out: *kept}
	for _, step := range []func() error{n.fixed, n.audience, n.interactive, n.directories, n.extraDirs} {
		if err := step(); err != nil {
			return v1.Session{}, err
		}
	}
	// None of these adds trust: hints mention the tools, and methods go to a peer. Every caller declares
	// itself what it enforces.
	if asked.Tools != nil {
		n.out.Tools = asked.Tools
	}
	if asked.Enforces != nil {
		n.out.Enforces, n.out.LastingShell = asked.Enforces, asked.LastingShell
	}
	if asked.Peers != nil {
		n.out.Peers = asked.Peers
	}
	return n.out, nil
}

func (n *narrowing) conflict(field, kept, asked string) error {
	if kept == "" {
		return coded(CodeConflict, "session %s has no %s, and a later request can't add %q; use another session id",
			n.stored.ID, field, asked)
	}
	return coded(CodeConflict, "session %s has the %s %q, which a later request can't change to %q; use another session id",
		n.stored.ID, field, kept, asked)
}

// fixed compares what never changes. What a request leaves out is as it was.
func (n *narrowing) fixed() error {
	kept, asked := n.registry.normal(n.stored), n.registry.normal(n.requested)
	for _, field := range []struct {
		name, kept, asked string
		explicit          bool
	}{
		{"agent", kept.Agent, asked.Agent, n.requested.Agent != ""},
		{"home", kept.Home, asked.Home, n.requested.Home != ""},
		{"platform", kept.Platform, asked.Platform, n.requested.Platform != ""},
		{"shell", kept.Shell, asked.Shell, n.requested.Shell != ""},
		{"parent_id", kept.ParentID, asked.ParentID, n.requested.ParentID != ""},
	} {
		if field.explicit && field.kept != field.asked {
			return n.conflict(field.name, field.kept, field.asked)
		}
	}
	return nil
}

// normal replaces an empty field by its meaning, so that an explicit default changes nothing.
func (r *Registry) normal(session *v1.Session) v1.Session {
	out := *session
	if out.Platform == "" {
		out.Platform = r.options.Platform
	}
	if out.Home == "" {
		out.Home = r.options.Home
	}
	if out.Shell == "" && out.Platform != "windows" {
		out.Shell = "bash"
	}
	return out
}

// width orders audiences; an unknown one is read as the narrowest.
func width(audience v1.Audience) int {
	switch audience {
	case v1.AudiencePersonal:
		return 2
	case v1.AudienceTeam:
		return 1
	case v1.AudiencePublic:
	}
	return 0
}

func (n *narrowing) audience() error {
	asked := n.requested.Audience
	switch {
	case asked == "" || width(asked) == width(n.stored.Audience):
	case width(asked) < width(n.stored.Audience):
		n.out.Audience = asked
		if width(asked) == 0 {
			n.out.Audience = v1.AudiencePublic
		}
	case n.register:
		return n.conflict("audience", string(n.stored.Audience), string(asked))
	}
	return nil
}

func (n *narrowing) interactive() error {
	if n.requested.Interactive == nil {
		return nil
	}
	switch {
	case !*n.requested.Interactive:
		n.out.Interactive = n.requested.Interactive
	case !n.stored.Attended() && n.register:
		return n.conflict("interactive", "false", "true")
	}
	return nil
}

// directories compares the base directories of relative paths. A directory that isn't below the registered
// one is an error for a call, too: the call would run in one directory and be judged in another.
func (n *narrowing) directories() error {
	for _, field := range []struct {
		name        string
		kept, asked string
		out         *string
	}{
		{"project_dir", n.stored.ProjectDir, n.requested.ProjectDir, &n.out.ProjectDir},
		{"session_dir", n.stored.SessionDir, n.requested.SessionDir, &n.out.SessionDir},
	} {
		if field.asked == "" || field.asked == field.kept {
			continue
		}
		real, below := "", false
		if field.kept != "" {
			real, below = n.located.under(field.asked, field.kept)
		}
		if !below {
			return n.conflict(field.name, field.kept, field.asked)
		}
		*field.out = real
	}
	return nil
}

func (n *narrowing) extraDirs() error {
	if n.requested.ExtraDirs == nil || slices.Equal(n.requested.ExtraDirs, n.stored.ExtraDirs) {
		return nil
	}
	places := append([]string{}, n.stored.ExtraDirs...)
	if n.stored.ProjectDir != "" {
		places = append(places, n.stored.ProjectDir)
	}
	n.out.ExtraDirs = []string{}
	for _, dir := range n.requested.ExtraDirs {
		real, below := dir, false
		for _, place := range places {
			if below = place == dir; below {
				break
			}
			if real, below = n.located.under(dir, place); below {
				break
			}
		}
		if !below {
			return n.conflict("extra_dirs", "", dir)
		}
		n.out.ExtraDirs = append(n.out.ExtraDirs, real)
	}
	return nil
}
