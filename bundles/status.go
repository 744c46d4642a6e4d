package bundles

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Status describes the active policy, and the results of later ones. It is a copy, for metrics and health
// probes.
type Status struct {
	// Source is Options.Source; empty is the embedded bundle.
	Source string
	// Revision and ActivatedAt are those of the active snapshot; empty while there is none.
	Revision    string
	ActivatedAt time.Time
	// LastError states why the latest reload of Source was refused, or what is wrong with a discovered
	// configuration; empty when nothing is. Bundles have their own.
	LastError string
	// Activating is since when Source is read and checked, zero while it is not. Until that ends, the active
	// snapshot stays, and later changes of Source wait.
	Activating time.Time
	// Failures counts refused reloads and fetches that failed, since the engine was made.
	Failures int
	// Waiting are the required bundles of services that never arrived; no policy is active before.
	Waiting []string
	// Bundles are those of services, by name.
	Bundles []BundleStatus
	// ConfirmedAt is when the last of the services confirmed the active policy; zero without services.
	ConfirmedAt time.Time
	// Stale is true when that is longer ago than Options.MaxAge.
	Stale bool
}

// BundleStatus is the status of one bundle.
type BundleStatus struct {
	Name string
	// File is the path of a bundle that isn't from a service.
	File string
	// Revision and ActivatedAt are those of the active bundle, empty for none.
	Revision    string
	ActivatedAt time.Time
	// ConfirmedAt is when the service last confirmed this bundle, zero for a bundle from disk.
	ConfirmedAt time.Time
	// Restored is true while the bundle is the one that an earlier process kept on disk.
	Restored bool
	// SignatureRequired is true when an unsigned bundle would be refused.
	SignatureRequired bool
	// Check and LastError are why the latest one was refused or could not be fetched; empty if it was not.
	// They stay until another becomes active.
	Check     string
	LastError string
	// unreachable is true if that is because its service could not be reached.
	unreachable bool
	// Activations and Failures count since the engine was made.
	Activations int
	Failures    int
}

// Status returns what is active and what was refused.
func (e *Engine) Status() Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	status := e.status
	if e.configuring != "" {
		status.LastError = strings.TrimPrefix(status.LastError+"; "+e.configuring, "; ")
	}
	for _, one := range e.remotes {
		status.Bundles = append(status.Bundles, *one)
		status.Failures += one.Failures
	}
	slices.SortFunc(status.Bundles, func(a, b BundleStatus) int { return cmp.Compare(a.Name, b.Name) })
	for _, one := range status.Bundles {
		if one.ActivatedAt.IsZero() {
			status.Waiting = append(status.Waiting, one.Name)
		}
	}
	status.ConfirmedAt, _ = e.confirmedAt()
	status.Stale = e.Stale()
	return status
}

// Stale reports whether policy of services is older than Options.MaxAge: no service has confirmed it for too
// long. It costs a look at the clock, and is false without services or without a limit.
func (e *Engine) Stale() bool {
	until := e.freshUntil.Load()
	return until != 0 && e.options.Now().UnixNano() > until
}

// confirmedAt is the oldest confirmation among bundles that are fetched.
func (e *Engine) confirmedAt() (oldest time.Time, fetched bool) {
	for _, one := range e.remotes {
		if one.ConfirmedAt.IsZero() {
			continue
		}
		if !fetched || one.ConfirmedAt.Before(oldest) {
			oldest, fetched = one.ConfirmedAt, true
		}
	}
	return oldest, fetched
}

// renewAge computes how long the policy is fresh. The caller holds e.mu.
func (e *Engine) renewAge() {
	oldest, fetched := e.confirmedAt()
	if e.options.MaxAge <= 0 || !fetched {
		e.freshUntil.Store(0)
		return
	}
	e.freshUntil.Store(oldest.Add(e.options.MaxAge).UnixNano())
}
