package approvals

import (
	"slices"

	v1 "policyd/api/v1"
)

// readers is the key of a lookup of read approvals, without the project.
type readers struct {
	session  string
	audience v1.Audience
	agent    string
}

// Opened returns, as grants, the directories outside that answers let a session read or change. These are
// answers for the session, for an ancestor of it, and for its project.
func (x *Index) Opened(session *v1.Session) []v1.PathGrant {
	held := x.readers(session)
	if len(held) == 0 {
		return nil
	}
	project := x.projectOf(session)
	var grants []v1.PathGrant
	inMain := x.inMainOnce(project)
	for _, entry := range held {
		here := entry.Directory == nil || *entry.Directory == project || entry.Worktrees && *entry.Directory == inMain()
		if root, mode, ok := entry.Opens(); ok && here {
			grants = append(grants, v1.PathGrant{ID: entry.ID, Root: root, Mode: mode})
		}
	}
	return grants
}

// projectOf returns the real path of a session's project, empty if it has none. A project that resolves to
// another path than when the session began doesn't count, as in the facts (P14).
func (x *Index) projectOf(session *v1.Session) string {
	if session.ProjectDir == "" {
		return ""
	}
	place, err := x.options.Place(session.ProjectDir)
	if err != nil || session.Resolved && place.Real != session.ProjectDir {
		return ""
	}
	return place.Real
}

// readers are the current answers that open directories for a session's agent and audience, in any project.
// Entries are never changed.
func (x *Index) readers(session *v1.Session) []*v1.ApprovalEntry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.readable) == 0 {
		return nil
	}
	now := x.options.Clock()
	var held []*v1.ApprovalEntry
	for _, id := range x.lineage(session.ID) {
		for _, agent := range [...]string{session.Agent, everyAgent} {
			for _, entry := range x.readable[readers{id, session.Audience, agent}] {
				if entry.ExpiresAt == nil || now.Before(*entry.ExpiresAt) {
					held = append(held, entry)
				}
			}
		}
	}
	return held
}

// addReading adds an answer that opens a directory outside. The caller holds mu.
func (x *Index) addReading(entry *v1.ApprovalEntry) {
	if _, _, opens := entry.Opens(); opens {
		who := readers{entry.Session, entry.Audience, entry.Agent}
		x.readable[who] = append(x.readable[who], entry)
	}
}

// removeReading removes one. The caller holds mu.
func (x *Index) removeReading(entry *v1.ApprovalEntry) {
	if _, _, opens := entry.Opens(); !opens {
		return
	}
	who := readers{entry.Session, entry.Audience, entry.Agent}
	left := slices.DeleteFunc(slices.Clone(x.readable[who]), func(known *v1.ApprovalEntry) bool { return known.ID == entry.ID })
	if x.readable[who] = left; len(left) == 0 {
		delete(x.readable, who)
	}
}
