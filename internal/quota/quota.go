// Package quota bounds what one agent may ask for, so that the others are
// served: requests per second, requests at a time, and requests that are held
// for an answer, which have a bound of their own.
//
// It trusts the name of a caller, and not the name that an agent gives itself:
// a caller that goes by many names shares one bound among the later ones.
package quota

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits bound one holder. Zero is no limit.
type Limits struct {
	// PerSecond is how many calls a second, on the average of ten seconds.
	PerSecond int
	// Concurrent is how many requests at a time, and Held how many that wait.
	Concurrent, Held int
}

// Holder is who is bounded: an agent of a caller. Agent is empty for what a
// caller asks on its own behalf.
type Holder struct{ Caller, Agent string }

// Request is what is asked for.
type Request struct {
	// Calls is how many calls it brings; at least one is counted.
	Calls int
	// Held is true for a request that waits for a person. It counts among those
	// that are held and not among those at a time.
	Held bool
}

// Bound is a limit that was reached.
type Bound string

// The limits.
const (
	Rate       Bound = "rate"
	Concurrent Bound = "concurrent"
	Held       Bound = "held"
)

// Refusal states which limit was reached, and when asking again may help.
type Refusal struct {
	Bound Bound
	After time.Duration
}

const (
	// largestRequest is how many calls one request may bring, whatever the rate.
	largestRequest = 100
	// burstSeconds is over how many seconds the rate counts: agents work in bursts.
	burstSeconds = 10
	// mostNames is how many agents of one caller have bounds of their own.
	mostNames = 256
	// sweepEvery is how often idle names are looked for where there are too many.
	sweepEvery = time.Second
	// otherNames represents the agents of a caller beyond mostNames.
	otherNames = "\x00"
)

// Quota counts. It may be used concurrently.
type Quota struct {
	limits Limits
	now    func() time.Time

	mu      sync.Mutex
	holders map[Holder]*account
	names   map[string]int // of each caller
	swept   time.Time
}

// account is what one holder has taken.
type account struct {
	holder           Holder
	bucket           *rate.Limiter // nil for no limit
	concurrent, held int
}

// New returns a quota by which nobody has taken anything. now is the clock; nil
// is the system's.
func New(limits Limits, now func() time.Time) *Quota {
	if now == nil {
		now = time.Now
	}
	return &Quota{limits: limits, now: now, holders: map[Holder]*account{}, names: map[string]int{}}
}

// Slot is what was taken. The zero value is nothing.
type Slot struct {
	quota *Quota
	from  *account
	held  bool
}

// Release gives a slot back. It is called once.
func (s Slot) Release() {
	if s.quota == nil {
		return
	}
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	if s.held {
		s.from.held--
	} else {
		s.from.concurrent--
	}
}

// Take takes a slot, or states why there is none. A refused request takes nothing.
func (q *Quota) Take(holder Holder, request Request) (Slot, *Refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	from := q.account(holder, now)
	taken, limit, bound := &from.concurrent, q.limits.Concurrent, Concurrent
	if request.Held {
		taken, limit, bound = &from.held, q.limits.Held, Held
	}
	if limit > 0 && *taken >= limit {
		return Slot{}, &Refusal{Bound: bound, After: time.Second}
	}
	if calls := min(max(request.Calls, 1), largestRequest); from.bucket != nil && !from.bucket.AllowN(now, calls) {
		asked := from.bucket.ReserveN(now, calls)
		after := asked.DelayFrom(now)
		asked.CancelAt(now)
		return Slot{}, &Refusal{Bound: Rate, After: after}
	}
	*taken++
	return Slot{quota: q, from: from, held: request.Held}, nil
}

// account finds the account of a holder. The caller holds mu.
func (q *Quota) account(holder Holder, now time.Time) *account {
	if found, known := q.holders[holder]; known {
		return found
	}
	if q.names[holder.Caller] >= mostNames && now.Sub(q.swept) >= sweepEvery {
		q.swept = now
		q.forget(now)
	}
	if q.names[holder.Caller] >= mostNames && holder.Agent != otherNames && holder.Agent != "" {
		return q.account(Holder{Caller: holder.Caller, Agent: otherNames}, now)
	}
	made := &account{holder: holder}
	if q.limits.PerSecond > 0 {
		made.bucket = rate.NewLimiter(rate.Limit(q.limits.PerSecond), q.burst())
	}
	q.holders[holder] = made
	q.names[holder.Caller]++
	return made
}

// burst is what may be asked for at once: what ten seconds allow, and the largest
// request.
func (q *Quota) burst() int { return max(burstSeconds*q.limits.PerSecond, largestRequest) }

// forget drops the accounts of holders that have taken nothing for a while, and
// that a new account would not give more to.
func (q *Quota) forget(now time.Time) {
	for holder, account := range q.holders {
		idle := account.concurrent == 0 && account.held == 0 &&
			(account.bucket == nil || account.bucket.TokensAt(now) >= float64(q.burst()))
		if !idle {
			continue
		}
		delete(q.holders, holder)
		if q.names[holder.Caller]--; q.names[holder.Caller] <= 0 {
			delete(q.names, holder.Caller)
		}
	}
}

// Seconds rounds up to whole seconds, at least one, as Retry-After wants it.
func Seconds(after time.Duration) int {
	return max(1, int(math.Ceil(after.Seconds())))
}
