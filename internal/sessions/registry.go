package sessions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Store is what the registry needs of a store.
type Store interface {
	Session(ctx context.Context, id string) (store.Session, error)
	Sessions(ctx context.Context, after string, limit int) ([]store.Session, error)
	CreateSession(ctx context.Context, row store.Session) (store.Session, error)
	UpdateSession(ctx context.Context, row store.Session) (store.Session, error)
	CountSessions(ctx context.Context, owner string) (sessions int, bytes int64, err error)
	IdleSessions(ctx context.Context, before time.Time, limit int) ([]string, error)
	ArchiveSession(ctx context.Context, id string, at time.Time) error
	Grants(ctx context.Context) ([]v1.Grant, error)
	PutGrant(ctx context.Context, grant v1.Grant) (v1.Grant, string, error)
	DeleteGrants(ctx context.Context, ids ...string) (int, error)
}

// Place describes a directory or file before a grant for it is made. Names are those that the agent uses.
type Place struct {
	Real      string
	Space     string
	Sensitive bool
	Own       bool
	Exists    bool
	Dir       bool
	Links     []string
	Visible   bool
	// Changeable is true if a remembered answer may let files be changed.
	Changeable bool
	// Data is true if the name is that of a file that holds data and no settings.
	Data bool
	// Temporary is the pattern of all files of the directory for temporary files that the place lies in, such as
	// "/tmp/*"; empty elsewhere.
	Temporary string
}

// Located is a Place, or the reason why a path leads to no place that is known.
type Located struct {
	Place
	Err error
}

// Scope is the active policy's view of paths. It may be used concurrently.
type Scope interface {
	// Place looks at an absolute path. An error states that it leads nowhere known.
	Place(session *v1.Session, grants []v1.PathGrant, path string) (Place, error)
	// Places is Place for several paths, and ends with ctx, whose error it returns. It looks the session's
	// own directories up once.
	Places(ctx context.Context, session *v1.Session, grants []v1.PathGrant, names []string) ([]Located, error)
	// RepositoryShaped reports whether a directory has the files of a project's top.
	RepositoryShaped(dir string) bool
	// Under reports whether a real path is root or is below it.
	Under(path, root string, session *v1.Session) bool
	// Projects are the registered project roots, Whitelist the roots under which
	// a repository-shaped directory can be granted.
	Projects() []string
	Whitelist() []string
	// Standing are the grants that settings give an agent.
	Standing(agent string) []v1.PathGrant
}

// Asker opens questions.
type Asker interface {
	// Open asks a person, or joins the same question of the same session.
	Open(ctx context.Context, question *v1.Question) (prompt v1.Prompt, joined bool, err error)
	// Wait returns the prompt when it has ended, or as it is when ctx is done.
	Wait(ctx context.Context, id string) (v1.Prompt, error)
	// Archive forgets the questions of a session that has ended.
	Archive(session string)
}

// Options are the collaborators of a Registry and its limit.
type Options struct {
	Store Store
	// Scope returns the active scope; nil means that no policy is active yet.
	Scope func() Scope
	// Reads decides whether a session may read a path now, as any read is decided.
	Reads func(ctx context.Context, session *v1.Session, path string, caller v1.Caller) v1.Decision
	Clock func() time.Time
	NewID func() string
	// Platform and Home are the sidecar's own: what a session means that names none.
	Platform, Home string
	// PerCaller is how many sessions a caller may have, active and archived ones. Zero is the
	// default.
	PerCaller int
	// Fault gets store errors that a decision continued without.
	Fault func(err error)
	// Changed, if set, is called for every session that changed.
	Changed func(session v1.SessionInfo)
	// Granted, if set, is called after new path grants that are made here, since they may allow the calls of
	// open prompts. It has to be quick.
	Granted func()
	// Ended, if set, is called when a session was archived.
	Ended func(session string)
}

// Registry keeps sessions and grants. It may be used concurrently.
type Registry struct {
	options Options
	asker   Asker

	// writing is locked while the store and then memory are changed, so that the two agree. No disk look-up
	// runs under it: see located.
	writing sync.Mutex
	// counted are the sessions of callers, by owner. writing guards it.
	counted map[string]counted
	// refused counts the sessions that exceeded a limit.
	refused atomic.Int64

	mu       sync.RWMutex
	sessions map[string]*entry
	// bytes is how long the texts of sessions are.
	bytes int
	// forgotten are the sessions as they were when Load forgot them. They are used while the store fails.
	forgotten map[string]*entry
	// bytesBefore is at least how long the texts of before are.
	bytesBefore int
	// grants are those of sessions and agents, by holder.
	grants map[v1.Holder][]v1.Grant
	// loadErr is set while grants could not be read.
	loadErr error
	// resting is until when the store is left alone after it failed.
	resting time.Time
}

// entry is a session in memory. It is replaced and never changed.
type entry struct {
	row store.Session
	// names are the host's latest names of the directories; row has their real paths.
	names directories
	// passing is true for the replacement of a session while the store fails, for one call.
	passing bool
}

// directories are those of a session under the host's names.
type directories struct {
	project, session string
	extra            []string
}

// rest is how long the store is left alone after it failed, so that decisions
// don't each wait for it.
const rest = time.Second

// patience bounds what a decision waits for the store.
const patience = 500 * time.Millisecond

// maxHeld bounds the sessions in memory, and maxHeldBytes the texts in them; others are read
// again from the store when they are named.
const (
	maxHeld      = 10_000
	maxHeldBytes = 16 << 20
)

// New returns an empty registry; Load reads the grants, and SetAsker provides a way to ask people.
func New(options Options) (*Registry, error) {
	switch {
	case options.Store == nil || options.Scope == nil || options.Reads == nil:
		return nil, errors.New("make registry: a collaborator is missing")
	case options.Clock == nil || options.NewID == nil:
		return nil, errors.New("make registry: no clock or no ids")
	}
	if options.PerCaller <= 0 {
		options.PerCaller = DefaultPerCaller
	}
	if options.Fault == nil {
		options.Fault = func(error) {}
	}
	if options.Changed == nil {
		options.Changed = func(v1.SessionInfo) {}
	}
	if options.Granted == nil {
		options.Granted = func() {}
	}
	if options.Ended == nil {
		options.Ended = func(string) {}
	}
	return &Registry{
		options: options, sessions: map[string]*entry{}, forgotten: map[string]*entry{},
		counted: map[string]counted{}, grants: map[v1.Holder][]v1.Grant{}, loadErr: errors.New("grants were not read yet"),
	}, nil
}

// SetAsker sets the collaborator that asks people. It is called once, before the registry is used.
func (r *Registry) SetAsker(asker Asker) { r.asker = asker }

// Load reads all grants anew and forgets the sessions, which are read again on their next use. Until it has
// succeeded there are only standing grants. Granted is not called.
func (r *Registry) Load(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	all, err := r.options.Store.Grants(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.loadErr = fmt.Errorf("read grants: %w", err)
		r.grants = map[v1.Holder][]v1.Grant{}
		return r.loadErr
	}
	r.loadErr = nil
	r.resting = time.Time{}
	r.grants = map[v1.Holder][]v1.Grant{}
	for _, grant := range all {
		who := v1.Holder{Session: grant.Session, Agent: grant.Agent}
		r.grants[who] = append(r.grants[who], grant)
	}
	if len(r.forgotten)+len(r.sessions) > maxHeld || r.bytesBefore+r.bytes > maxHeldBytes {
		clear(r.forgotten)
		r.bytesBefore = 0
	}
	maps.Copy(r.forgotten, r.sessions)
	r.bytesBefore += r.bytes
	r.sessions, r.bytes = map[string]*entry{}, 0
	return nil
}

// Check states why the registry has no store to rely on, nil when it has.
func (r *Registry) Check() error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.loadErr != nil {
		return r.loadErr
	}
	if r.options.Clock().Before(r.resting) {
		return errUnavailable
	}
	return nil
}

// keep adds a session to memory.
func (r *Registry) keep(session *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(session.row.ID)
	size := session.size()
	for id := range r.sessions {
		if len(r.sessions) < maxHeld && r.bytes+size <= maxHeldBytes {
			break
		}
		r.evict(id) // any: it is read again when it is named
	}
	r.sessions[session.row.ID] = session
	r.bytes += size
}

// evict removes a session from memory. The caller holds mu.
func (r *Registry) evict(id string) {
	if known, found := r.sessions[id]; found {
		r.bytes -= known.size()
		delete(r.sessions, id)
	}
}

// size is about how long the texts of a session are.
func (h *entry) size() int {
	s := &h.row.Session
	size := len(s.ID) + len(s.Agent) + len(s.ParentID) + len(s.ProjectDir) + len(s.SessionDir) + len(s.Home) + len(s.Shell) + len(s.Platform)
	for _, list := range [][]string{s.ExtraDirs, s.Tools, h.names.extra} {
		for _, text := range list {
			size += len(text)
		}
	}
	for i := range s.Peers {
		size += len(s.Peers[i].ID)
		for _, text := range s.Peers[i].Capabilities {
			size += len(text)
		}
	}
	return size + len(h.names.project) + len(h.names.session)
}

func (r *Registry) inMemory(id string) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.sessions[id]
}

// atLastReading is a session as it was before the store was read anew; nil when it
// wasn't known, had ended, or was changed since.
func (r *Registry) atLastReading(id string) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if known := r.forgotten[id]; known != nil && !known.row.Archived {
		return known
	}
	return nil
}

// Forget removes a session from memory after another process changed it.
func (r *Registry) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(id)
}

// forget drops it while the caller holds mu.
func (r *Registry) forget(id string) {
	r.evict(id)
	delete(r.forgotten, id)
}

// failed notes that the store failed, and returns the error for the caller. A conflict isn't a failure.
func (r *Registry) failed(err error) error {
	if errors.Is(err, store.ErrConflict) {
		return coded(CodeArchived, "the session has ended meanwhile; register it again")
	}
	r.mu.Lock()
	r.resting = r.options.Clock().Add(rest)
	r.mu.Unlock()
	r.options.Fault(err)
	return &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
}

func (r *Registry) isResting() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.options.Clock().Before(r.resting)
}
