package approvals

import (
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// wider returns an answer that covers everything that another one covers, for at least as long. It has the
// same audience, tool and verb; its agent, session and directory are equal or more general. The caller holds
// mu.
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
				if found := covering(held.byDirectory[directory], entry, now); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// covering returns the first answer that holds for as long and covers as much.
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

// distinct returns two values, or one if they are equal.
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
