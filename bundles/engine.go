package bundles

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/storage"
)

// Engine contains the active policy and replaces it. It is safe for concurrent use.
type Engine struct {
	options Options
	current atomic.Pointer[Snapshot]
	watches []*watcher
	// store orders activations: only the holder of its one write transaction may propose.
	store *engineStore
	// services is nil without a configuration of OPA's.
	services *services

	// local and fetched are the current bundles. They change with a commit alone, and are read in write
	// transactions, so the store guards them.
	local   []part
	fetched map[string]part
	// embedded is read once.
	embedded func() (part, error)

	// ready is closed by the first activation.
	ready      chan struct{}
	firstReady sync.Once
	freshUntil atomic.Int64
	tally      tally

	mu      sync.Mutex // guards what follows
	status  Status
	remotes map[string]*BundleStatus
	// configuring states why a discovered configuration was refused.
	configuring string
}

// New loads the policy and returns its engine. A local bundle that can't be activated is an error, and so is
// an invalid configuration. With bundles of services, Current is nil until all of them have arrived; see
// Ready. Close ends watches and polls.
func New(ctx context.Context, options Options) (*Engine, error) {
	e := &Engine{
		options: options.withDefaults(), fetched: map[string]part{}, ready: make(chan struct{}),
		remotes: map[string]*BundleStatus{},
	}
	e.embedded = sync.OnceValues(func() (part, error) { return readEmbedded(options.FS) })
	if options.Ahead != nil {
		e.embedded = options.Ahead.part
	}
	e.status.Source = options.Source
	if err := e.start(ctx); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *Engine) start(ctx context.Context) (err error) {
	if e.store, err = newEngineStore(ctx, e); err != nil {
		return fmt.Errorf("make store of bundles: %w", err)
	}
	if len(e.options.Services) > 0 {
		if e.services, err = newServices(e); err != nil {
			return fmt.Errorf("configure bundles: %w", err)
		}
	}
	var source *watcher
	if e.options.Watch && e.options.Source != "" {
		// The watch begins before the first load, so that no change falls between.
		if source, err = e.watch(e.options.Source); err != nil {
			return err
		}
	}
	if err := e.Reload(ctx); err != nil {
		return err
	}
	if source != nil {
		source.start(e, e.Reload)
	}
	if e.services != nil {
		return e.services.start(ctx)
	}
	if e.options.Source == "" {
		e.dropData()
	}
	return nil
}

// dropData frees the data that only a build needs, if none is expected.
func (e *Engine) dropData() {
	if embedded, err := e.embedded(); err == nil && embedded.embedded != nil {
		embedded.embedded.drop()
	}
}

// watch makes a watcher that Close ends.
func (e *Engine) watch(source string) (*watcher, error) {
	w, err := newWatcher(source)
	if err != nil {
		return nil, fmt.Errorf("watch bundle: %w", err)
	}
	e.watches = append(e.watches, w)
	return w, nil
}

// Current returns the active snapshot: nil while bundles of services are awaited, and never again once there
// was one.
func (e *Engine) Current() *Snapshot { return e.current.Load() }

// Repeats states how often judgements were remembered.
func (e *Engine) Repeats() RepeatCounts {
	counts := RepeatCounts{Hits: e.tally.hits.Load(), Misses: e.tally.misses.Load()}
	if current := e.Current(); current != nil {
		counts.Entries = current.repeats.entries()
	}
	return counts
}

// Ready is closed once a policy is active.
func (e *Engine) Ready() <-chan struct{} { return e.ready }

// Reload reads the local source again and activates it. On error the earlier snapshot stays active, and
// Status has the reason; the error gives file and row if there is one.
func (e *Engine) Reload(ctx context.Context) error {
	defer e.activating()()
	err := e.store.transact(ctx, func() (*proposal, error) {
		local, err := e.load()
		if err != nil {
			check := CheckContents
			var roots *rootsError
			if errors.As(err, &roots) {
				check = CheckRoots
			}
			return nil, e.refused(refuse(e.sourceName(), check, err))
		}
		proposed, err := e.check(ctx, local, e.fetched, e.sourceName())
		if err != nil {
			return nil, e.refused(err)
		}
		return proposed, nil
	})
	if err != nil {
		return fmt.Errorf("activate bundle: %w", err)
	}
	return nil
}

// Renew activates the active bundles again, with the current settings. It reads no source.
// On error the snapshot before it stays, and Status is what it was.
func (e *Engine) Renew(ctx context.Context) error {
	if e.Current() == nil {
		return nil // the first activation fetches the settings
	}
	err := e.store.transact(ctx, func() (*proposal, error) {
		proposed, err := e.check(ctx, e.local, e.fetched, e.sourceName())
		if err != nil {
			return nil, err
		}
		proposed.renewed = true
		return proposed, nil
	})
	if err != nil {
		return fmt.Errorf("renew policy: %w", err)
	}
	return nil
}

// activating notes that the local source is read and checked, until what it returns is called.
func (e *Engine) activating() (done func()) {
	set := func(at time.Time) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.status.Activating = at
	}
	set(e.options.Now())
	return func() { set(time.Time{}) }
}

// refused remembers a refusal of the local source.
func (e *Engine) refused(err error) error {
	e.mu.Lock()
	e.status.LastError = err.Error()
	e.status.Failures++
	e.mu.Unlock()
	e.options.OnReject(err)
	return err
}

// unwatched remembers that changes of a source may go unnoticed.
func (e *Engine) unwatched(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status.LastError = err.Error()
	e.status.Failures++
}

func (e *Engine) sourceName() string {
	if e.options.Source == "" {
		return embeddedName
	}
	return e.options.Source
}

// Poll polls the services of all bundles whose trigger is manual. It returns after all have answered, and
// their bundles are active or refused. The error lists failures; Status has them as well. It must not be
// called concurrently.
func (e *Engine) Poll(ctx context.Context) error {
	if e.services == nil {
		return nil
	}
	return e.services.poll(ctx)
}

// Close ends watches and polls, and waits for them. Snapshots stay usable. Close may be
// called twice.
func (e *Engine) Close() {
	for _, w := range e.watches {
		w.close()
	}
	if e.services != nil {
		e.services.close()
	}
}

// commit is called with every commit to the store: what was proposed becomes active.
func (e *Engine) commit(ctx context.Context, txn storage.Transaction, event storage.TriggerEvent) {
	if event.Context == nil {
		return
	}
	if proposed, made := event.Context.Get(proposalKey{}).(*proposal); made {
		e.accept(proposed)
		return
	}
	e.forget(ctx, txn)
}

// accept activates what was proposed. The status states it afterwards, so that a policy that is active by the
// status decides.
func (e *Engine) accept(p *proposal) {
	before := e.fetched
	e.local, e.fetched = p.local, p.fetched
	if p.snapshot != nil {
		p.snapshot.repeats = newRepeats(e.options.Remembered, &e.tally)
		e.current.Store(p.snapshot)
		e.options.OnActivate(p.snapshot)
	}
	e.report(p, before)
	if p.snapshot != nil {
		e.firstReady.Do(func() { close(e.ready) })
	}
}

// report writes into the status what became active. The fetched bundles are those that were active before.
func (e *Engine) report(p *proposal, before map[string]part) {
	now := e.options.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	for name := range before {
		if _, left := p.fetched[name]; !left {
			delete(e.remotes, name)
		}
	}
	if one, fetched := e.remotes[p.changed]; fetched {
		changed := p.fetched[p.changed]
		one.Revision = changed.Manifest.Revision
		if one.Revision == "" {
			one.Revision = changed.version()
		}
		one.ActivatedAt = now
		one.Activations++
		one.Check, one.LastError, one.unreachable = "", "", false
		e.restored(one)
	} else if !p.renewed {
		e.status.LastError = ""
	}
	if p.snapshot != nil {
		e.status.Revision = p.snapshot.revision
		e.status.ActivatedAt = now
	}
	e.renewAge()
}
