package approvals

import (
	"slices"

	v1 "policyd/api/v1"
)

// readers is what a lookup of reading knows of an answer but its project.
type readers struct {
	session  string
	audience v1.Audience
	agent    string
}

// Reading are the directories outside that a session may read by an answer, as grants of
// their own mode: those that hold for the session or an ancestor of it, and those for its project.
func (x *Index) Reading(session *v1.Session) []v1.PathGrant {
	x.mu.RLock()
	none := len(x.readable) == 0
	x.mu.RUnlock()
	if none {
		return nil
	}
	project := ""
	if session.ProjectDir != "" {
		if place, err := x.options.Place(session.ProjectDir); err == nil {
			project = place.Real
		}
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	now := x.options.Clock()
	var grants []v1.PathGrant
	for _, id := range x.lineage(session.ID) {
		for _, agent := range [...]string{session.Agent, everyAgent} {
			for _, entry := range x.readable[readers{id, session.Audience, agent}] {
				root, ok := entry.Reads()
				elsewhere := entry.Directory != nil && *entry.Directory != project
				if !ok || elsewhere || entry.ExpiresAt != nil && !now.Before(*entry.ExpiresAt) {
					continue
				}
				grants = append(grants, v1.PathGrant{ID: entry.ID, Root: root, Mode: v1.GrantReading})
			}
		}
	}
	return grants
}

// addReading notes an answer that lets a directory be read. The caller holds mu.
func (x *Index) addReading(entry *v1.ApprovalEntry) {
	if _, reads := entry.Reads(); reads {
		who := readers{entry.Session, entry.Audience, entry.Agent}
		x.readable[who] = append(x.readable[who], entry)
	}
}

// removeReading forgets one. The caller holds mu.
func (x *Index) removeReading(entry *v1.ApprovalEntry) {
	if _, reads := entry.Reads(); !reads {
		return
	}
	who := readers{entry.Session, entry.Audience, entry.Agent}
	left := slices.DeleteFunc(slices.Clone(x.readable[who]), func(known *v1.ApprovalEntry) bool { return known.ID == entry.ID })
	if x.readable[who] = left; len(left) == 0 {
		delete(x.readable, who)
	}
}
