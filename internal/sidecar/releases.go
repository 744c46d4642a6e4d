package sidecar

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	v1 "policyd/api/v1"
)

// releases collects what has been approved or granted since pending prompts were
// last decided again. It may be used concurrently.
type releases struct {
	wake chan struct{}
	// count counts approvals and grants.
	count atomic.Uint64

	mu      sync.Mutex
	entries []v1.ApprovalEntry
	// all is true if every pending prompt is decided again.
	all bool
}

// maxReleases bounds the approvals that are collected. Beyond it every pending prompt
// is decided again, once.
const maxReleases = 256

func newReleases() *releases { return &releases{wake: make(chan struct{}, 1)} }

// countApprovals counts approvals.
func (r *releases) countApprovals(entries []v1.ApprovalEntry) {
	r.count.Add(1)
	r.mu.Lock()
	if r.all = r.all || len(r.entries)+len(entries) > maxReleases; !r.all {
		r.entries = append(r.entries, entries...)
	}
	r.mu.Unlock()
	r.awake()
}

// granted notes path grants.
func (r *releases) granted() {
	r.count.Add(1)
	r.everything()
}

// everything notes that any pending prompt may be allowed by now.
func (r *releases) everything() {
	r.mu.Lock()
	r.all = true
	r.mu.Unlock()
	r.awake()
}

func (r *releases) awake() {
	select {
	case r.wake <- struct{}{}:
	default: // it is awake
	}
}

// next takes the collected events: the prompts that they may allow, and by whom.
func (r *releases) next() (could func(*v1.PromptScope) bool, by string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, all := r.entries, r.all
	r.entries, r.all = nil, false
	if len(entries) > 0 {
		by = entries[0].By
	}
	for i := range entries {
		if entries[i].By != by {
			by = "" // several people; none is named for what another one did
		}
	}
	if all {
		return nil, ""
	}
	return func(scope *v1.PromptScope) bool {
		return slices.ContainsFunc(entries, func(entry v1.ApprovalEntry) bool { return concerns(&entry, scope) })
	}, by
}

// concerns reports whether an approval could cover anything of a prompt: it saves
// deciding the others again. Policy judges what it does cover.
func concerns(entry *v1.ApprovalEntry, scope *v1.PromptScope) bool {
	return entry.Audience == scope.Audience && (entry.Agent == "*" || entry.Agent == scope.Agent)
}

// release ends the pending prompts whose calls are allowed by now, after each approval or grant. One
// goroutine does so, a prompt at a time: many prompts take longer, and no decision waits for it.
func (m *Memory) release(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.releases.wake:
		}
		could, by := m.releases.next()
		for _, asked := range m.Prompts.Asking(could) {
			if ctx.Err() != nil {
				return
			}
			if !m.gate.Covered(ctx, asked.Call, asked.Caller) {
				continue
			}
			if err := m.Prompts.Release(ctx, asked.ID, by); err != nil {
				m.logger.Error("a prompt whose call is allowed by now stays open", "prompt", asked.ID, "error", err)
			}
		}
	}
}
