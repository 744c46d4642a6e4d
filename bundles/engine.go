package bundles

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Engine holds the policy in force and replaces it. It is safe for concurrent use.
type Engine struct {
	options Options
	current atomic.Pointer[Snapshot]
	watch   *watcher

	// reloading serializes activations, so that an older bundle never lands on a newer one.
	reloading sync.Mutex
	mu        sync.Mutex // guards status
	status    Status
}

// Status says which policy is in force, and what became of later ones.
type Status struct {
	// Source is Options.Source; empty is the embedded bundle.
	Source string
	// Revision and ActivatedAt are those of the snapshot in force.
	Revision    string
	ActivatedAt time.Time
	// LastError says why the latest reload was refused; empty when it was not.
	LastError string
	// Failures counts refused reloads since the engine was made.
	Failures int
}

// New loads the policy and returns an engine that holds it. A bundle that can't be
// activated is an error: an engine without policy does not exist. Close ends the watch.
func New(ctx context.Context, options Options) (*Engine, error) {
	e := &Engine{options: options.withDefaults()}
	e.status.Source = options.Source
	if options.Watch && options.Source != "" {
		// The watch begins before the first load, so that no change falls between.
		watch, err := newWatcher(options.Source)
		if err != nil {
			return nil, fmt.Errorf("watch bundle: %w", err)
		}
		e.watch = watch
	}
	if err := e.Reload(ctx); err != nil {
		e.Close()
		return nil, err
	}
	if e.watch != nil {
		e.watch.start(e)
	}
	return e, nil
}

// Current returns the snapshot in force. It is never nil.
func (e *Engine) Current() *Snapshot { return e.current.Load() }

// Status returns what is in force and what was refused.
func (e *Engine) Status() Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.status
}

// Reload reads the source again and puts it in force. On error the snapshot before it
// stays, and Status tells why; the error names file and row where there is one.
func (e *Engine) Reload(ctx context.Context) error {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	snapshot, err := build(ctx, e.options)
	if err != nil {
		err = fmt.Errorf("activate bundle: %w", err)
		e.refuse(err)
		e.options.OnReject(err)
		return err
	}
	e.accept(snapshot)
	e.options.OnActivate(snapshot)
	return nil
}

// Close ends the watch and waits for it. Snapshots stay usable. Close may be called twice.
func (e *Engine) Close() {
	if e.watch != nil {
		e.watch.close()
	}
}

func (e *Engine) accept(snapshot *Snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current.Store(snapshot)
	e.status.Revision = snapshot.revision
	e.status.ActivatedAt = e.options.Now()
	e.status.LastError = ""
}

func (e *Engine) refuse(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status.LastError = err.Error()
	e.status.Failures++
}
