// Package runs keeps the calls that were allowed to run contained, until the program that runs them claims
// them. It also keeps what containment refused of them. All of it is in memory: after a restart a call
// prompts again.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
)

// Limits of a Book.
const (
	// Fresh is how long after its decision a call can be claimed.
	Fresh = 60 * time.Second
	// remembered is how long what was refused makes the same call a question.
	remembered = 30 * time.Minute
	// most bounds the calls that are kept, mostOfOne those of one caller.
	most, mostOfOne = 10_000, 1_000
	// mostRefused bounds the calls whose refusals are kept.
	mostRefused = 1_000
	// mostTried bounds the sessions for which it is known whether they run rewritten lines.
	mostTried = 10_000
	// MaxRefusals bounds those of one report, and maxTarget the bytes of a target.
	MaxRefusals = 20
	maxTarget   = 4096
)

// Codes of claims that are refused.
const (
	CodeNotFound  = "run_not_found"
	CodeSpent     = "run_spent"
	CodeTooOld    = "run_too_old"
	CodeOtherCall = "run_of_another_call"
	CodeChanged   = "run_changed"
	CodeTooMany   = "too_many_runs"
)

// states of a run.
const (
	waiting = iota
	spent
)

type pending struct {
	gate.PendingRun
	made  time.Time
	state int
}

// refusedCall names a call of a session.
type refusedCall struct {
	session string
	digest  [32]byte
}

// trial is the outcome of a session's rewritten lines.
type trial struct {
	ran    bool
	handed int
}

type refusedRun struct {
	refusals []v1.Refusal
	at       time.Time
}

// Book keeps runs. It may be used concurrently.
type Book struct {
	profiles func() v1.Set
	now      func() time.Time
	granted  func(*v1.Obligation)

	mu      sync.Mutex
	runs    map[string]*pending
	order   []string // the oldest first
	refused map[refusedCall]refusedRun
	tried   map[string]trial
	counts  Counts
}

// Counts count calls since the start.
type Counts struct {
	// Obliged are calls that were kept, Run those that were claimed, and Refused those with a report of
	// refusals.
	Obliged, Run, Refused uint64
}

// Counts returns how many calls reached each stage.
func (b *Book) Counts() Counts {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}

var _ gate.Runs = (*Book)(nil)

// New returns a book. profiles states what can be enforced here, now is the clock, and granted is called with the
// obligation of each claim before it is answered. They are called concurrently.
func New(profiles func() v1.Set, now func() time.Time, granted func(*v1.Obligation)) *Book {
	return &Book{profiles: profiles, now: now, granted: granted, runs: map[string]*pending{}, refused: map[refusedCall]refusedRun{}, tried: map[string]trial{}}
}

// Profiles are those that can be enforced here.
func (b *Book) Profiles() v1.Set { return b.profiles() }

// Keep keeps a call until it is claimed. The error is a *v1.CodedError if a caller has too many calls that it
// never ran.
func (b *Book) Keep(run *gate.PendingRun) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	own, now := 0, b.now()
	for _, id := range slices.Backward(b.order) {
		other := b.runs[id]
		if now.Sub(other.made) > Fresh {
			break // it is too old to be claimed, and so are those before it
		}
		if other.Caller.Identity == run.Caller.Identity && other.state == waiting {
			own++
		}
	}
	if own >= mostOfOne || len(b.runs) >= most {
		return &v1.CodedError{Code: CodeTooMany, Err: fmt.Errorf("%d calls wait to be run", own)}
	}
	b.runs[run.DecisionID] = &pending{PendingRun: *run, made: b.now()}
	b.order = append(b.order, run.DecisionID)
	b.counts.Obliged++
	if run.Line != "" {
		b.try(run.SessionID, false)
	}
	return nil
}

// try counts a session's rewritten line, or one that was run. The caller holds mu.
func (b *Book) try(session string, ran bool) {
	one, known := b.tried[session]
	if !known && len(b.tried) >= mostTried {
		clear(b.tried) // they are tried once more
	}
	if ran {
		one.ran = true
	} else {
		one.handed++
	}
	b.tried[session] = one
}

// Tried returns the outcome of a session's rewritten lines.
func (b *Book) Tried(session string) (ran bool, handed int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.tried[session]
	return one.ran, one.handed
}

// Began forgets the outcome of a session's rewritten lines: a client that resumes it may be of another
// version than before.
func (b *Book) Began(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tried, session)
}

// forget drops expired runs and refusals. The caller holds mu.
func (b *Book) forget() {
	now := b.now()
	for len(b.order) > 0 {
		oldest := b.runs[b.order[0]]
		if now.Sub(oldest.made) < remembered && len(b.order) < most {
			break
		}
		delete(b.runs, b.order[0])
		b.order = b.order[1:]
	}
	for call, run := range b.refused {
		if now.Sub(run.at) >= remembered {
			delete(b.refused, call)
		}
	}
}

// Claim spends a decision for what is about to be run. What the run has to hide and protect is looked for again. The
// error is a *v1.CodedError.
func (b *Book) Claim(ctx context.Context, id string, claim *v1.RunClaim, caller v1.Caller) (v1.RunGranted, error) {
	run, err := b.claim(id, claim, caller)
	if err != nil {
		return v1.RunGranted{}, err
	}
	granted := v1.RunGranted{DecisionID: id, Obligation: run.Obligation}
	if run.Renew != nil {
		now, err := run.Renew(ctx)
		if err != nil || !slices.Equal(now.Argv, run.Argv) || now.Cwd != run.Cwd || now.Enter != run.Enter {
			return v1.RunGranted{}, coded(CodeChanged, "what decision %s was about has changed: %w; ask again", id, cmp.Or(err, errMoved))
		}
		granted.Obligation = now.Obligation
	}
	if claim.AsDecided {
		granted.Argv = slices.Clone(run.Argv)
	}
	b.granted(&granted.Obligation)
	return granted, nil
}

// errMoved means that a run would begin somewhere else by now.
var errMoved = errors.New("it would begin in another directory")

// claim spends a decision.
func (b *Book) claim(id string, claim *v1.RunClaim, caller v1.Caller) (*gate.PendingRun, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	run, err := b.own(id, caller)
	switch {
	case err != nil:
		return nil, err
	case run.state == spent:
		return nil, coded(CodeSpent, "decision %s was claimed before; ask again for each run", id)
	case b.now().Sub(run.made) > Fresh:
		return nil, coded(CodeTooOld, "decision %s is older than %s; ask again", id, Fresh)
	case !claim.AsDecided && !slices.Equal(claim.Argv, run.Argv):
		return nil, coded(CodeOtherCall, "decision %s is for another command line", id)
	case claim.Cwd != run.Cwd:
		return nil, coded(CodeOtherCall, "decision %s is for the directory %s", id, run.Cwd)
	case claim.SessionID != "" && claim.SessionID != run.SessionID:
		return nil, coded(CodeOtherCall, "decision %s is for another session", id)
	}
	run.state = spent
	b.counts.Run++
	if run.Line != "" {
		b.try(run.SessionID, true)
	}
	return &run.PendingRun, nil
}

// Handed reports whether a line was handed out for a decision that can still be claimed.
func (b *Book) Handed(id, session, line string, caller v1.Caller) (own string, handed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	run, err := b.own(id, caller)
	if err != nil || run.state != waiting || b.now().Sub(run.made) > Fresh ||
		run.SessionID != session || line == "" || run.Line != line {
		return "", false
	}
	return run.Own, true
}

// own returns the run of a caller, nil for another caller's. The caller holds mu.
func (b *Book) own(id string, caller v1.Caller) (*pending, error) {
	run := b.runs[id]
	if run == nil || run.Caller.Identity != caller.Identity {
		return nil, coded(CodeNotFound, "no decision %s waits to be run; it may be of before a restart", id)
	}
	return run, nil
}

// Report keeps what containment refused of a claimed run, so that the same call prompts when it is repeated.
func (b *Book) Report(id string, report *v1.RunReport, caller v1.Caller) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	run, err := b.own(id, caller)
	switch {
	case err != nil:
		return err
	case run.state != spent:
		return coded(CodeOtherCall, "decision %s was not claimed", id)
	case len(report.Refused) == 0:
		return nil
	}
	b.counts.Refused++
	b.forget()
	if len(b.refused) >= mostRefused {
		clear(b.refused) // they are tried contained once more
	}
	refusals := slices.Clone(report.Refused[:min(len(report.Refused), MaxRefusals)])
	known := v1.Operations()
	refusals = slices.DeleteFunc(refusals, func(refusal v1.Refusal) bool { return !slices.Contains(known, refusal.Operation) })
	if len(refusals) == 0 {
		return nil
	}
	for i := range refusals {
		target := &refusals[i].Target
		*target = (*target)[:min(len(*target), maxTarget)]
	}
	b.refused[refusedCall{run.SessionID, run.Digest}] = refusedRun{refusals, b.now()}
	return nil
}

// Refused is what containment refused of a call before.
func (b *Book) Refused(session string, call v1.Digester) []v1.Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.refused) == 0 {
		return nil
	}
	run, found := b.refused[refusedCall{session, call.Digest()}]
	if !found || b.now().Sub(run.at) >= remembered {
		return nil
	}
	return run.refusals
}

func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}
