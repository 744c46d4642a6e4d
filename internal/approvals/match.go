package approvals

import (
	"context"
	"slices"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// everyAgent is the agent of an answer that holds for all.
const everyAgent = "*"

// Matching returns the answers that could apply to a call: for each item those of its verb, in its
// directories or anywhere. It computes call's digest only if the session has a one-shot answer.
func (x *Index) Matching(facts *v1.Facts, call v1.Digester) []v1.Approval {
	trees := x.treesOf(facts)
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.byID) == 0 && len(x.onces) == 0 {
		return nil // while the store can't be read, only answers that are in memory alone apply
	}
	now := x.options.Clock()
	var out []v1.Approval
	if once := x.once(facts.Session.ID, call, now); once != nil {
		out = append(out, v1.Approval{ID: once.Prompt, Tool: facts.Tool.JudgedAs(), Once: true})
	}
	sessions := x.lineage(facts.Session.ID)
	out = x.projectTools(out, facts, trees, sessions, now)
	for i := range facts.Items {
		item := &facts.Items[i]
		if item.Verb == "" || item.Kind == v1.ItemPath {
			continue
		}
		for _, session := range sessions {
			for _, agent := range [...]string{facts.Session.Agent, everyAgent} {
				held := x.groups[group{session, facts.Session.Audience, agent, facts.Tool.JudgedAs(), item.Verb}]
				if held != nil {
					out = held.applying(out, item, now)
					out = held.inMain(out, trees.forItem(item), item.Within, now)
				}
			}
		}
	}
	return out
}

// projectTools adds trust in the tools of the session's project, and of projects that an item is in.
func (x *Index) projectTools(out []v1.Approval, facts *v1.Facts, trees workTrees, sessions []string, now time.Time) []v1.Approval {
	for _, session := range sessions {
		for _, agent := range [...]string{facts.Session.Agent, everyAgent} {
			held := x.groups[group{session, facts.Session.Audience, agent, v1.ToolProject, v1.VerbProject}]
			if held == nil {
				continue
			}
			for _, entry := range held.byDirectory[facts.Session.ProjectDir] {
				out = appendLive(out, entry, now)
			}
			out = held.inMain(out, trees.project, []string{facts.Session.ProjectDir}, now)
			for i := range facts.Items {
				out = held.inMain(out, trees.forItem(&facts.Items[i]), facts.Items[i].Within, now)
				for _, directory := range facts.Items[i].Within {
					for _, entry := range held.byDirectory[directory] {
						out = appendLive(out, entry, now)
					}
				}
			}
		}
	}
	return out
}

// lineage lists the sessions whose answers apply: the empty one, and those of the session and its ancestors
// that have any.
func (x *Index) lineage(session string) []string {
	out := make([]string, 1, 4)
	if len(x.sessions) == 0 {
		return out
	}
	for _, id := range x.options.Lineage(session) {
		if x.sessions[id] > 0 {
			out = append(out, id)
		}
	}
	return out
}

// applying adds the answers that an item could be covered by.
func (p *places) applying(out []v1.Approval, item *v1.Item, now time.Time) []v1.Approval {
	for _, entry := range p.anywhere {
		out = appendLive(out, entry, now)
	}
	if len(p.byDirectory) == 0 {
		return out
	}
	for _, directory := range item.Within {
		for _, entry := range p.byDirectory[directory] {
			out = appendLive(out, entry, now)
		}
	}
	return out
}

func appendLive(out []v1.Approval, entry *v1.ApprovalEntry, now time.Time) []v1.Approval {
	return appendApproval(out, entry, entry.Approval(), now)
}

// appendApproval adds an entry in the form for the policy, if it is current and not there yet.
func appendApproval(out []v1.Approval, entry *v1.ApprovalEntry, seen v1.Approval, now time.Time) []v1.Approval {
	if entry.ExpiresAt != nil && !now.Before(*entry.ExpiresAt) {
		return out
	}
	if slices.ContainsFunc(out, func(known v1.Approval) bool { return known.ID == seen.ID && known.Directory == seen.Directory }) {
		return out
	}
	return append(out, seen)
}

// once returns the one-shot answer to a call.
func (x *Index) once(session string, call v1.Digester, now time.Time) *store.Once {
	held := x.onces[session]
	if len(held) == 0 {
		return nil
	}
	digest := call.Digest()
	for i := range held {
		if now.Before(held[i].ExpiresAt) && string(held[i].Key) == string(digest[:]) {
			return &held[i]
		}
	}
	return nil
}

// Spend uses up a one-shot answer, in memory and in the store. An error means that another call used it, or
// that the store failed.
func (x *Index) Spend(ctx context.Context, prompt string) error {
	once := x.takeOnce(prompt)
	switch {
	case once == nil:
		return store.ErrConflict
	case once.Unsaved:
		return nil
	}
	return x.options.Store.SpendOnce(context.WithoutCancel(ctx), prompt)
}

// takeOnce removes a one-shot answer from memory, for one caller alone.
func (x *Index) takeOnce(prompt string) *store.Once {
	var taken *store.Once
	x.change(func(again bool) {
		for session, held := range x.onces {
			at := slices.IndexFunc(held, func(once store.Once) bool { return once.Prompt == prompt })
			if at < 0 {
				continue
			}
			if !again {
				taken = &held[at]
			}
			x.onces[session] = slices.Delete(slices.Clone(held), at, at+1)
			if len(x.onces[session]) == 0 {
				delete(x.onces, session)
			}
		}
	})
	return taken
}
