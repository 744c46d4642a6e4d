package approvals

import (
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// wider finds an answer that holds wherever and for as long as another does: the
// widest of those for the same audience, tool and verb, for every agent or the
// same one, for every session or the same one, and anywhere or in a directory
// above. The caller holds mu.
func (x *Index) wider(entry *v1.ApprovalEntry, now time.Time) *v1.ApprovalEntry {
	for _, session := range distinct("", entry.Session) {
		for _, agent := range distinct(everyAgent, entry.Agent) {
			held := x.groups[group{session, entry.Audience, agent, entry.Tool, entry.Verb}]
			if held == nil {
				continue
			}
			if found := covering(held.anywhere, entry, now); found != nil {
				return found
			}
			for _, directory := range above(entry.Directory) {
				if found := covering(held.in[directory], entry, now); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// covering is the first of some answers that holds for as long and for as much.
func covering(held []*v1.ApprovalEntry, entry *v1.ApprovalEntry, now time.Time) *v1.ApprovalEntry {
	for _, found := range held {
		if covers(found, entry, now) && !slices.ContainsFunc(entry.Risks, func(risk string) bool { return !slices.Contains(found.Risks, risk) }) {
			return found
		}
	}
	return nil
}

func covers(wider, entry *v1.ApprovalEntry, now time.Time) bool {
	switch {
	case wider.ID == entry.ID, wider.Directory != nil && entry.Worktrees && !wider.Worktrees:
		return false
	case wider.ExpiresAt == nil:
		return true
	case entry.ExpiresAt == nil || !now.Before(*wider.ExpiresAt):
		return false
	}
	return !wider.ExpiresAt.Before(*entry.ExpiresAt)
}

// distinct lists two values, or one where they are the same.
func distinct(first, second string) []string {
	if first == second {
		return []string{first}
	}
	return []string{first, second}
}

// above lists a directory and those above it, the highest first; none for
// anywhere.
func above(directory *string) []string {
	if directory == nil {
		return nil
	}
	var out []string
	for i, r := range *directory {
		if i > 0 && strings.ContainsRune(`/\`, r) {
			out = append(out, (*directory)[:i])
		}
	}
	return append(out, *directory)
}
