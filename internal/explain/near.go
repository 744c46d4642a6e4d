package explain

import (
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// mostNear bounds what is shown for one item.
const mostNear = 3

// near are the approvals and grants that came closest to covering the uncovered items.
func near(question *Question) []v1.NearMiss {
	found := []v1.NearMiss{}
	for _, index := range uncovered(question.Decision) {
		item := &question.Input.Items[index]
		if item.Kind == v1.ItemPath {
			if miss, any := nearestGrant(question, index); any {
				found = append(found, miss)
			}
			continue
		}
		found = append(found, nearApprovals(question, index)...)
	}
	return found
}

// nearApprovals are those for the verb of an item, the fewest differences first.
func nearApprovals(question *Question, index int) []v1.NearMiss {
	item := &question.Input.Items[index]
	type miss struct {
		v1.NearMiss
		differences int
	}
	var misses []miss
	for i := range question.Remembered {
		entry := &question.Remembered[i]
		if entry.Verb != item.Verb {
			continue
		}
		why := differences(question, entry, item)
		misses = append(misses, miss{v1.NearMiss{
			Kind: "approval", Text: approvalText(entry), Item: index, Why: strings.Join(why, "; "),
		}, len(why)})
	}
	slices.SortStableFunc(misses, func(a, b miss) int { return a.differences - b.differences })
	var told []v1.NearMiss
	for i := range misses[:min(len(misses), mostNear)] {
		told = append(told, misses[i].NearMiss)
	}
	return told
}

// differences state why an approval for the verb does not cover the item.
func differences(question *Question, entry *v1.ApprovalEntry, item *v1.Item) []string {
	session := &question.Input.Session
	var why []string
	if entry.Tool != question.Input.Tool.Kind {
		why = append(why, "it is for tools of kind "+entry.Tool)
	}
	if entry.Audience != session.Audience {
		why = append(why, fmt.Sprintf("it is for audience %s, and this session's is %s", entry.Audience, session.Audience))
	}
	if entry.Agent != "*" && entry.Agent != session.Agent {
		why = append(why, "it is for agent "+line(entry.Agent))
	}
	if entry.Session != "" && entry.Session != session.ID {
		why = append(why, "it is for another session")
	}
	if entry.Directory != nil && !item.Within.Has(*entry.Directory) {
		why = append(why, "not everything that the command touches lies in "+line(*entry.Directory))
	}
	if len(why) > 0 {
		return why
	}
	if question.Account != nil && len(question.Account.Missing) > 0 {
		return []string{"it tolerates none of what is said of the item"}
	}
	return []string{"it came after this decision, or its time is over"}
}

func approvalText(entry *v1.ApprovalEntry) string {
	if entry.Directory == nil {
		return line(entry.Verb) + " anywhere"
	}
	return line(entry.Verb) + " in " + line(*entry.Directory)
}

// nearestGrant is the grant whose root shares most segments with the item's path.
func nearestGrant(question *Question, index int) (v1.NearMiss, bool) {
	in := question.Input
	at := in.Items[index].Path
	if at < 0 || at >= len(in.Paths) || len(question.Grants) == 0 {
		return v1.NearMiss{}, false
	}
	wanted := &in.Paths[at]
	best, shared := question.Grants[0], -1
	for _, grant := range question.Grants {
		if common := sharedSegments(grant.Root, wanted.Real); common > shared {
			best, shared = grant, common
		}
	}
	mode := "read-only"
	if best.Mode == v1.GrantReadWrite {
		mode = "read-write"
	}
	why := fmt.Sprintf("%s does not lie below it", line(wanted.Real))
	if wanted.Space == v1.SpaceGrantRead {
		why = "it is a grant to read, and this is to " + wanted.Op
	}
	return v1.NearMiss{Kind: "grant", Text: fmt.Sprintf("%s (%s)", line(best.Root), mode), Item: index, Why: why}, true
}

// sharedSegments counts the leading segments that two paths share.
func sharedSegments(a, b string) int {
	as, bs := strings.Split(path.Clean(a), "/"), strings.Split(path.Clean(b), "/")
	count := 0
	for count < len(as) && count < len(bs) && as[count] == bs[count] {
		count++
	}
	return count
}
