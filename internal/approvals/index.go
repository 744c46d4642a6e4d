package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	// RunsAnything reports whether a verb of a tool kind runs its operands as commands. If it is nil, no verb
	// does.
	RunsAnything func(tool, verb string) bool
	// Place resolves a directory as the facts of a call have it: every symbolic link followed, in one
	// spelling. If it is nil, directories stay as they are.
	Place func(directory string) (Place, error)
	// WorkTree returns the top of the git work tree that contains a real path, and the top of the
	// repository's main work tree. If it is nil, there are no work trees.
	WorkTree func(directory string) (top, main string, ok bool)
	// Chain returns the verb chain of a shell line that consists of the verb alone. If it is nil, every verb
	// is a chain.
	Chain func(tool, verb string) string
	// Changed, if set, is called for every change.
	Changed func()
	// Given, if set, is called for each new answer, since it may allow the calls of open prompts. It has to
	// be quick.
	Given func(entries []v1.ApprovalEntry)
}

// Place is what is known of a directory that an approval names.
type Place struct {
	// Real is its name in the facts of a call.
	Real string
	// Sensitive is true for a directory that can be neither a project nor a grant.
	Sensitive bool
	// Missing is true if the directory doesn't exist.
	Missing bool
}

// group is the key of a lookup, without the directory. session is empty for answers that hold for every
// session.
type group struct {
	session  string
	audience v1.Audience
	agent    string
	tool     string
	verb     string
}

// places are the answers of one group: for each place one for every set of risks.
type places struct {
	anywhere    []*v1.ApprovalEntry
	byDirectory map[string][]*v1.ApprovalEntry
}

// Index keeps approvals. It may be used concurrently.
type Index struct {
	options Options

	// reading is locked while everything is read anew.
	reading sync.Mutex

	mu sync.RWMutex
	// during are the changes since a reading began. The data that is read may be older, so the changes are
	// applied again. It is nil while no reading runs.
	during []func(again bool)
	// loadErr is set while the store could not be read.
	loadErr error
	byID    map[string]*v1.ApprovalEntry
	groups  map[group]*places
	// readable are the answers that let a directory outside be read.
	readable map[readers][]*v1.ApprovalEntry
	// worktrees counts the answers that hold in every work tree of a repository.
	worktrees int
	// sessions counts the answers that hold for one session alone.
	sessions map[string]int
	// onces are the one-shot answers by session.
	onces map[string][]store.Once
}

// New returns an empty index; Load reads the store.
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
	if options.Place == nil {
		options.Place = func(directory string) (Place, error) { return Place{Real: directory}, nil }
	}
	if options.Chain == nil {
		options.Chain = func(_, verb string) string { return verb }
	}
	if options.WorkTree == nil {
		options.WorkTree = func(string) (string, string, bool) { return "", "", false }
	}
	if options.Given == nil {
		options.Given = func([]v1.ApprovalEntry) {}
	}
	if options.Changed == nil {
		options.Changed = func() {}
	}
	index := &Index{options: options, loadErr: errors.New("approvals were not read yet")}
	index.clear()
	return index, nil
}

// clear forgets everything.
func (x *Index) clear() {
	x.byID, x.groups = map[string]*v1.ApprovalEntry{}, map[group]*places{}
	x.readable, x.worktrees = map[readers][]*v1.ApprovalEntry{}, 0
	x.sessions, x.onces = map[string]int{}, map[string][]store.Once{}
}

// Load reads everything anew. Until it has succeeded nothing is remembered (D2).
func (x *Index) Load(ctx context.Context) error {
	x.reading.Lock()
	defer x.reading.Unlock()
	x.mu.Lock()
	x.during = []func(bool){}
	x.mu.Unlock()
	now := x.options.Clock()
	entries, err := x.options.Store.Approvals(ctx, now)
	var onces []store.Once
	if err == nil {
		onces, err = x.options.Store.Onces(ctx, now)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	during, unsaved := x.during, x.unsaved()
	x.during = nil
	x.clear()
	for i := range unsaved {
		x.addOnce(&unsaved[i])
	}
	if err != nil {
		x.loadErr = fmt.Errorf("read approvals: %w", err)
		return x.loadErr
	}
	x.loadErr = nil
	for i := range entries {
		x.add(&entries[i])
	}
	for i := range onces {
		x.addOnce(&onces[i])
	}
	for _, again := range during {
		again(true)
	}
	return nil
}

// Refresh reads one approval anew, since another sidecar changed it.
func (x *Index) Refresh(ctx context.Context, id string) error {
	entry, err := x.options.Store.Approval(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read approval: %w", err)
	}
	x.change(func(bool) {
		x.remove(id)
		if err == nil {
			x.add(&entry)
		}
	})
	x.options.Changed()
	if err == nil {
		x.options.Given([]v1.ApprovalEntry{entry})
	}
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

// unsaved are the one-shot answers that aren't in the store. The caller holds mu.
func (x *Index) unsaved() []store.Once {
	var out []store.Once
	for _, held := range x.onces {
		for i := range held {
			if held[i].Unsaved {
				out = append(out, held[i])
			}
		}
	}
	return out
}

// change changes memory, and repeats the change after a running reading.
func (x *Index) change(apply func(again bool)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	apply(false)
	if x.during != nil {
		x.during = append(x.during, apply)
	}
}

// Check states why nothing is remembered, nil when all is well.
func (x *Index) Check() error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.loadErr
}

func groupOf(entry *v1.ApprovalEntry) group {
	return group{entry.Session, entry.Audience, entry.Agent, entry.Tool, entry.Verb}
}

// add adds an answer. It replaces the one with its id, and one for the same purpose that the store no longer
// has. The caller holds mu.
func (x *Index) add(entry *v1.ApprovalEntry) {
	x.remove(entry.ID)
	held := x.groups[groupOf(entry)]
	if held != nil {
		if before := held.same(entry); before != nil {
			x.remove(before.ID)
			held = x.groups[groupOf(entry)]
		}
	}
	if held == nil {
		held = &places{byDirectory: map[string][]*v1.ApprovalEntry{}}
		x.groups[groupOf(entry)] = held
	}
	x.byID[entry.ID] = entry
	x.addReading(entry)
	if entry.Worktrees {
		x.worktrees++
	}
	held.put(entry.Directory, append(held.inDirectory(entry.Directory), entry))
	if entry.Session != "" {
		x.sessions[entry.Session]++
	}
}

// addOnce adds a one-shot answer, once. The caller holds mu.
func (x *Index) addOnce(once *store.Once) {
	for i := range x.onces[once.Session] {
		if x.onces[once.Session][i].Prompt == once.Prompt {
			return
		}
	}
	x.onces[once.Session] = append(x.onces[once.Session], *once)
}

// inDirectory are the answers for a directory, nil for anywhere.
func (p *places) inDirectory(directory *string) []*v1.ApprovalEntry {
	if directory == nil {
		return p.anywhere
	}
	return p.byDirectory[*directory]
}

func (p *places) put(directory *string, entries []*v1.ApprovalEntry) {
	switch {
	case directory == nil:
		p.anywhere = entries
	case len(entries) == 0:
		delete(p.byDirectory, *directory)
	default:
		p.byDirectory[*directory] = entries
	}
}

// same is the answer for the same place and the same risks, nil if there is none.
func (p *places) same(entry *v1.ApprovalEntry) *v1.ApprovalEntry {
	for _, known := range p.inDirectory(entry.Directory) {
		if known.RiskLines() == entry.RiskLines() && known.Worktrees == entry.Worktrees {
			return known
		}
	}
	return nil
}

// remove removes an answer. The caller holds mu.
func (x *Index) remove(id string) {
	entry, known := x.byID[id]
	if !known {
		return
	}
	delete(x.byID, id)
	x.removeReading(entry)
	if entry.Worktrees {
		x.worktrees--
	}
	held := x.groups[groupOf(entry)]
	held.put(entry.Directory, slices.DeleteFunc(slices.Clone(held.inDirectory(entry.Directory)), func(known *v1.ApprovalEntry) bool {
		return known.ID == id
	}))
	if len(held.anywhere) == 0 && len(held.byDirectory) == 0 {
		delete(x.groups, groupOf(entry))
	}
	if entry.Session == "" {
		return
	}
	if x.sessions[entry.Session]--; x.sessions[entry.Session] == 0 {
		delete(x.sessions, entry.Session)
	}
}

// Remember adds answers that are in the store already.
func (x *Index) Remember(entries []v1.ApprovalEntry, once *store.Once) {
	if len(entries) == 0 && once == nil {
		return
	}
	x.change(func(bool) {
		for i := range entries {
			x.add(&entries[i])
		}
		if once != nil {
			x.addOnce(once)
		}
	})
	x.options.Changed()
	if len(entries) > 0 {
		x.options.Given(entries)
	}
}

// End forgets the answers of a session that was archived, as the store did.
func (x *Index) End(session string) {
	changed := false
	x.change(func(again bool) {
		delete(x.onces, session)
		if x.sessions[session] == 0 {
			return
		}
		if !again {
			changed = true
		}
		for id, entry := range x.byID {
			if entry.Session == session {
				x.remove(id)
			}
		}
	})
	if changed {
		x.options.Changed()
	}
}
