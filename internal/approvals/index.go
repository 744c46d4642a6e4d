package approvals

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Store is what the index needs of a store.
type Store interface {
	Approvals(ctx context.Context, now time.Time) ([]v1.ApprovalEntry, error)
	PutApprovals(ctx context.Context, entries ...v1.ApprovalEntry) ([]v1.ApprovalEntry, error)
	DeleteApprovals(ctx context.Context, ids ...string) (int, error)
	Onces(ctx context.Context, now time.Time) ([]store.Once, error)
	SpendOnce(ctx context.Context, prompt string) error
	Approval(ctx context.Context, id string) (v1.ApprovalEntry, error)
	Once(ctx context.Context, prompt string) (store.Once, error)
}

// Options are the collaborators of an Index; Store, Clock and NewID are required.
type Options struct {
	Store Store
	Clock func() time.Time
	NewID func() string
	// Lineage returns a session and its ancestors (C5); nil is the session alone.
	Lineage func(session string) []string
	// RunsAnything reports whether a verb of a tool kind runs whatever it is given;
	// nil is never.
	RunsAnything func(tool, verb string) bool
	// Chain is the verb chain that a shell line has which is the verb alone; nil
	// takes every verb for one.
	Chain func(tool, verb string) string
	// Changed, if set, hears of every change.
	Changed func()
}

// group is what a lookup knows of an answer but its directory. session is empty
// for answers that hold for every session.
type group struct {
	session  string
	audience v1.Audience
	agent    string
	tool     string
	verb     string
}

// places are the answers of one group.
type places struct {
	anywhere *v1.ApprovalEntry
	in       map[string]*v1.ApprovalEntry
}

// Index keeps approvals. It may be used concurrently.
type Index struct {
	options Options

	mu sync.RWMutex
	// without is set while the store could not be read.
	without error
	byID    map[string]*v1.ApprovalEntry
	groups  map[group]*places
	// sessions counts the answers that hold for one session alone.
	sessions map[string]int
	// onces are the one-shot answers by session.
	onces map[string][]store.Once
}

// New returns an index that knows nothing yet; Load reads the store.
func New(options Options) (*Index, error) {
	if options.Store == nil || options.Clock == nil || options.NewID == nil {
		return nil, errors.New("make approvals: a collaborator is missing")
	}
	if options.Lineage == nil {
		options.Lineage = func(session string) []string { return []string{session} }
	}
	if options.RunsAnything == nil {
		options.RunsAnything = func(string, string) bool { return false }
	}
	if options.Chain == nil {
		options.Chain = func(_, verb string) string { return verb }
	}
	if options.Changed == nil {
		options.Changed = func() {}
	}
	index := &Index{options: options, without: errors.New("approvals were not read yet")}
	index.clear()
	return index, nil
}

// clear forgets everything but what the store doesn't know.
func (x *Index) clear() {
	x.byID, x.groups, x.sessions = map[string]*v1.ApprovalEntry{}, map[group]*places{}, map[string]int{}
	unsaved := map[string][]store.Once{}
	for session, held := range x.onces {
		for _, once := range held {
			if once.Unsaved {
				unsaved[session] = append(unsaved[session], once)
			}
		}
	}
	x.onces = unsaved
}

// Load reads everything anew. Until it has succeeded nothing is remembered (D2).
func (x *Index) Load(ctx context.Context) error {
	now := x.options.Clock()
	entries, err := x.options.Store.Approvals(ctx, now)
	var onces []store.Once
	if err == nil {
		onces, err = x.options.Store.Onces(ctx, now)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clear()
	if err != nil {
		x.without = fmt.Errorf("read approvals: %w", err)
		return x.without
	}
	x.without = nil
	for i := range entries {
		x.add(&entries[i])
	}
	for _, once := range onces {
		x.onces[once.Session] = append(x.onces[once.Session], once)
	}
	return nil
}

// Refresh reads one approval anew, since another sidecar changed it.
func (x *Index) Refresh(ctx context.Context, id string) error {
	entry, err := x.options.Store.Approval(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read approval: %w", err)
	}
	x.mu.Lock()
	x.remove(id)
	if err == nil {
		x.add(&entry)
	}
	x.mu.Unlock()
	x.options.Changed()
	return nil
}

// RefreshOnce reads one one-shot answer anew, since another sidecar gave or spent it.
func (x *Index) RefreshOnce(ctx context.Context, prompt string) error {
	once, err := x.options.Store.Once(ctx, prompt)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read one-shot answer: %w", err)
	}
	x.takeOnce(prompt)
	if err == nil {
		x.Remember(nil, &once)
	}
	return nil
}

// Check says why nothing is remembered, nil when all is well.
func (x *Index) Check() error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.without
}

func groupOf(entry *v1.ApprovalEntry) group {
	return group{entry.Session, entry.Audience, entry.Agent, entry.Tool, entry.Verb}
}

// add takes an answer in, in place of the one with its id. The caller holds mu.
func (x *Index) add(entry *v1.ApprovalEntry) {
	x.remove(entry.ID)
	x.byID[entry.ID] = entry
	held := x.groups[groupOf(entry)]
	if held == nil {
		held = &places{in: map[string]*v1.ApprovalEntry{}}
		x.groups[groupOf(entry)] = held
	}
	if entry.Directory == nil {
		held.anywhere = entry
	} else {
		held.in[*entry.Directory] = entry
	}
	if entry.Session != "" {
		x.sessions[entry.Session]++
	}
}

// remove takes an answer out. The caller holds mu.
func (x *Index) remove(id string) {
	entry, known := x.byID[id]
	if !known {
		return
	}
	delete(x.byID, id)
	held := x.groups[groupOf(entry)]
	if entry.Directory == nil {
		held.anywhere = nil
	} else {
		delete(held.in, *entry.Directory)
	}
	if held.anywhere == nil && len(held.in) == 0 {
		delete(x.groups, groupOf(entry))
	}
	if entry.Session == "" {
		return
	}
	if x.sessions[entry.Session]--; x.sessions[entry.Session] == 0 {
		delete(x.sessions, entry.Session)
	}
}

// Remember takes answers in that are in the store already.
func (x *Index) Remember(entries []v1.ApprovalEntry, once *store.Once) {
	if len(entries) == 0 && once == nil {
		return
	}
	x.mu.Lock()
	for i := range entries {
		x.add(&entries[i])
	}
	if once != nil {
		x.onces[once.Session] = append(x.onces[once.Session], *once)
	}
	x.mu.Unlock()
	x.options.Changed()
}

// End forgets the answers of a session that was archived, as the store did.
func (x *Index) End(session string) {
	x.mu.Lock()
	delete(x.onces, session)
	changed := x.sessions[session] > 0
	if changed {
		for id, entry := range x.byID {
			if entry.Session == session {
				x.remove(id)
			}
		}
	}
	x.mu.Unlock()
	if changed {
		x.options.Changed()
	}
}
