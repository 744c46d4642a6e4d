// Package quota bounds the requests of one agent, so that others are served: requests per second, concurrent
// requests, and requests that are held for an answer, which have a bound of their own.
//
// It trusts the name of a caller, and not an agent's own name: the later names of a caller with many names
// share one bound.
package quota

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits bound one holder. Zero means no limit.
type Limits struct {
	// PerSecond is how many calls a second, on the average of ten seconds.
	PerSecond int
	// Concurrent bounds the requests at a time, and Held those that wait.
	Concurrent, Held int
}

// Holder is who is bounded: an agent of a caller. Agent is empty for requests on the caller's own behalf.
type Holder struct{ Caller, Agent string }

// Request is the size of a request.
type Request struct {
	// Calls is the number of its calls; at least one is counted.
	Calls int
	// Held is true for a request that waits for a person. It counts to Held and not to Concurrent.
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
	// largestRequest is how many calls one request may contain, whatever the rate.
	largestRequest = 100
	// burstSeconds is the period of the rate: agents work in bursts.
	burstSeconds = 10
	// mostNames is how many agents of one caller have bounds of their own.
	mostNames = 256
	// sweepEvery is the interval at which idle names are removed if there are too many.
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

// account is the use of one holder.
type account struct {
	holder           Holder
	bucket           *rate.Limiter // nil for no limit
	concurrent, held int
}

// New returns an unused quota. now is the clock; nil is the system's.
func New(limits Limits, now func() time.Time) *Quota {
	if now == nil {
		now = time.Now
	}
	return &Quota{limits: limits, now: now, holders: map[Holder]*account{}, names: map[string]int{}}
}

// Slot is a request's share. The zero value is nothing.
type Slot struct {
	quota *Quota
	from  *account
	held  bool
}

// Release returns a slot. It is called once.
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

// Take takes a slot, or returns an error if there is none. A refused request uses nothing.
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

// account returns the account of a holder. The caller holds mu.
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

// burst is the largest number of requests at once: what ten seconds allow, and the largest request.
func (q *Quota) burst() int { return max(burstSeconds*q.limits.PerSecond, largestRequest) }

// forget drops the accounts of holders that were idle for so long that a new account would be equal.
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
