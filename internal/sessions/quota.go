package sessions

import (
	"context"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// DefaultPerCaller is how many sessions a caller may have, active and archived ones.
const DefaultPerCaller = 50_000

// bytesPerSession is how long the sessions of a caller may be on average.
const bytesPerSession = 4 << 10

// How long a count of a caller's sessions is valid: until it reaches the limit, and then. Meanwhile other
// sidecars of a shared store add sessions, and old ones are deleted.
const (
	countedFor     = time.Minute
	countedForFull = time.Second
)

// counted is a caller's number of sessions at the last count, and those made since.
type counted struct {
	sessions int
	bytes    int64
	at       time.Time
}

func (c *counted) full(perCaller int) bool {
	return c.sessions >= perCaller || c.bytes >= int64(perCaller)*bytesPerSession
}

// checkLimit refuses a session beyond its owner's limit, with the code sessions_full. Operators have no limit. The
// caller holds writing.
func (r *Registry) checkLimit(ctx context.Context, row *store.Session) error {
	if row.Owner == "" {
		return nil
	}
	now := r.options.Clock()
	has, known := r.counted[row.Owner]
	if age := now.Sub(has.at); !known || age > countedFor || age > countedForFull && has.full(r.options.PerCaller) {
		sessions, bytes, err := r.options.Store.CountSessions(ctx, row.Owner)
		if err != nil {
			return r.failed(err)
		}
		has = counted{sessions, bytes, now}
	}
	full := has.full(r.options.PerCaller)
	if !full {
		has.sessions++
		has.bytes += int64((&entry{row: *row}).size())
	}
	r.counted[row.Owner] = has
	if full {
		r.refused.Add(1)
		return coded(CodeFull, "this caller has %d sessions with %d KiB, and may have no more; use a session again, wait until ended ones are deleted after retention, or raise limits.sessions_per_caller", has.sessions, has.bytes>>10)
	}
	return nil
}

// Refused is how many sessions were refused since the start because a caller had too many.
func (r *Registry) Refused() int64 { return r.refused.Load() }

// usedEvery is how exactly it is known when a session was last used.
const usedEvery = 24 * time.Hour

// used marks a session in the store as used, once a day. Unused ones are ended after a time. If the store
// fails, the next call tries again.
func (r *Registry) used(ctx context.Context, id string) {
	r.writing.Lock()
	defer r.writing.Unlock()
	known := r.inMemory(id)
	if known == nil || known.row.Archived || r.isResting() || !r.stale(known) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	row := known.row
	row.UpdatedAt = r.options.Clock()
	if _, err := r.update(ctx, row); err != nil {
		r.options.Fault(err)
	}
}

// stale reports whether the store needs a new mark.
func (r *Registry) stale(known *entry) bool {
	return r.options.Clock().Sub(known.row.UpdatedAt) >= usedEvery
}

// EndIdle ends up to limit sessions that no call has named since a time, to the day, and returns how
// many they were.
func (r *Registry) EndIdle(ctx context.Context, since time.Time, limit int) (int, error) {
	idle, err := r.options.Store.IdleSessions(ctx, since, limit)
	if err != nil {
		return 0, r.failed(err)
	}
	for _, id := range idle {
		if err := r.Archive(ctx, id, v1.Caller{Operator: true}); err != nil {
			return 0, err
		}
	}
	return len(idle), nil
}
