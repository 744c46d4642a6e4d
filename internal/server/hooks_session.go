package server

import (
	"context"
	"slices"

	v1 "policyd/api/v1"
)

// describedSession is a session as the host's side of a hook describes it.
func (h *hookCall) describedSession(id string) v1.Session {
	launch := h.launch()
	session := v1.Session{
		ID: id, Agent: h.client.Agent, Audience: h.query.audience, Interactive: new(h.query.interactive),
		Platform: h.query.platform, Home: h.query.home, Shell: h.query.shell, Tools: h.query.tools,
	}
	if len(launch) > 0 {
		session.ProjectDir, session.ExtraDirs = launch[0], launch[1:]
	}
	return session
}

// launch are the directories that the launch fixed: those in the hook's query, else those in the payload
// (P14).
func (h *hookCall) launch() []string {
	if h.query.project != "" {
		return []string{h.query.project}
	}
	return h.event.Launch
}

// session is the session of the event's call. If it can't be registered, the gate handles it: it refuses the
// call or judges it as one without access, and records it.
func (h *hookCall) session(ctx context.Context) v1.Session {
	own, id := h.client.SessionID(&h.event), h.client.ChildID(&h.event)
	if h.event.ParentID != "" {
		began := h.event
		began.SessionID = h.event.ParentID
		own, id = h.client.SessionID(&began), own
	}
	session := h.describedSession(own)
	kept, err := h.meet(ctx, session)
	if err != nil {
		return bare(session)
	}
	if id == "" {
		return h.counting(session, kept)
	}
	child := h.childOf(kept, id)
	if _, err := h.meet(ctx, child); err != nil {
		return bare(child)
	}
	if dir := h.counting(session, kept).ProjectDir; dir != "" {
		child.ProjectDir = dir
	}
	child.ExtraDirs = nil
	return child
}

// bare is a session without directories.
func bare(session v1.Session) v1.Session {
	session.ProjectDir, session.ExtraDirs = "", nil
	return session
}

// counting is a call's description of a registered session. A session that was launched in a directory that
// can't be a project never has one. A session with a project that is launched elsewhere is refused by the
// rules for sessions.
func (h *hookCall) counting(session v1.Session, kept v1.SessionInfo) v1.Session {
	session.ExtraDirs = nil
	if kept.ProjectDir == "" || slices.Contains(h.launch(), kept.ProjectDir) {
		session.ProjectDir = ""
	}
	return session
}

// meet returns the session of an id. It registers a new one, and restores an archived one as it was. A new
// one whose directories can't be a project has none (P14).
func (h *hookCall) meet(ctx context.Context, session v1.Session) (v1.SessionInfo, error) {
	sessions := h.server.options.Sessions
	kept, err := sessions.Session(ctx, session.ID, h.caller)
	switch {
	case err == nil && kept.State == v1.SessionArchived:
		kept, _, err = sessions.Register(ctx, &v1.Session{ID: session.ID, Agent: session.Agent}, h.caller)
		return kept, err
	case codeOf(err) != codeNotFound:
		return kept, err
	}
	kept, _, err = sessions.Register(ctx, &session, h.caller)
	if code := codeOf(err); code == "sensitive_root" || code == "invalid_path" {
		session = bare(session)
		kept, _, err = sessions.Register(ctx, &session, h.caller)
	}
	return kept, err
}

// childOf is a sub-agent's session: no wider than its parent is now (C5).
func (h *hookCall) childOf(parent v1.SessionInfo, id string) v1.Session {
	child := h.describedSession(id)
	child.ParentID = parent.ID
	child.ProjectDir, child.ExtraDirs = parent.ProjectDir, parent.ExtraDirs
	child.Platform, child.Home, child.Shell = parent.Platform, parent.Home, parent.Shell
	child.Audience = narrower(child.Audience, parent.Audience)
	child.Interactive = new(child.Attended() && parent.Attended())
	return child
}

// narrower is the narrower of two audiences; an unknown one is the narrowest.
func narrower(a, b v1.Audience) v1.Audience {
	for _, audience := range []v1.Audience{v1.AudiencePersonal, v1.AudienceTeam} {
		if a == audience {
			return b
		}
		if b == audience {
			return a
		}
	}
	return v1.AudiencePublic
}
