package approvals

import (
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
			if covers(held.anywhere, entry, now) {
				return held.anywhere
			}
			for _, directory := range above(entry.Directory) {
				if found := held.in[directory]; covers(found, entry, now) {
					return found
				}
			}
		}
	}
	return nil
}

func covers(wider, entry *v1.ApprovalEntry, now time.Time) bool {
	switch {
	case wider == nil || wider.ID == entry.ID:
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
