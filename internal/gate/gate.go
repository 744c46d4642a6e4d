package gate

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	v1 "policyd/api/v1"
)

// Policy returns the active snapshot. Current may be called concurrently; nil means that no policy is active
// yet.
type Policy interface {
	Current() Snapshot
}

// Snapshot is one immutable policy. It may be used concurrently.
type Snapshot interface {
	// Revision names the policy.
	Revision() string
	// Extract makes the facts of a call. It reads the disk, runs nothing, and ends with ctx. An error that
	// wraps a *v1.CodedError denies with its code.
	Extract(ctx context.Context, call *v1.Call, grants []v1.PathGrant) (v1.Facts, error)
	// Inert names the arguments of a call that change nothing of what it does.
	Inert(call *v1.Call) []string
	// Contain makes the obligation that a duty means for a call. With an error the call can't
	// be contained.
	Contain(ctx context.Context, call *v1.Call, grants []v1.PathGrant, duty v1.Duty) (v1.Containment, error)
	// Moves reports whether a line changes the directory that its shell keeps, so that it would
	// be lost if the line were run contained.
	Moves(call *v1.Call) bool
	// Judge judges. An error that wraps a *v1.CodedError denies with its code.
	Judge(ctx context.Context, in *v1.Input) (v1.Judgement, error)
}

// Recorder writes records. Write returns when the record is kept, and is called
// concurrently with a context that isn't cancelled with the call.
type Recorder interface {
	Write(ctx context.Context, record *v1.Record) error
	// Amend adds the final answer if the record that Write got differs and may be kept. It doesn't wait.
	Amend(ctx context.Context, before, record *v1.Record)
}

// Redactor removes secrets and file contents, before judgement and record.
type Redactor interface {
	// MaskFacts masks in place.
	MaskFacts(facts *v1.Facts)
	// Shown masks a text that a person is shown, and hides nothing that would run.
	Shown(text string) string
	// Redact returns what a record may keep of a call, given its tool kind and its Known, and JSON pointers
	// to erased and masked values.
	Redact(call *v1.Call, kind string, known *v1.Known) (kept *v1.RecordCall, erased, masked []string)
}

// Sessions are the registered sessions and their grants.
type Sessions interface {
	// Admit returns the registered session of a call. An error that wraps a *v1.CodedError denies with its
	// code.
	Admit(ctx context.Context, asked *v1.Session, caller v1.Caller) (v1.Session, error)
	// Peek is Admit without a trace: an unregistered session is as the request describes it.
	Peek(ctx context.Context, asked *v1.Session, caller v1.Caller) (v1.Session, error)
	// Grants are the path grants of the session. Grants that can't be read don't exist.
	Grants(session *v1.Session) []v1.PathGrant
	// ReadingRoot is the directory that a person could let the session read for the sake of
	// a path, by its real path; empty for none.
	ReadingRoot(session *v1.Session, path string) string
	// ChangingRoot is the file or directory that a person could let the session change for
	// the sake of a path, by its real path; empty for none.
	ChangingRoot(session *v1.Session, path string) string
}

// Approvals are remembered answers. An answer that can't be read doesn't apply, so its calls prompt.
type Approvals interface {
	// Matching returns those that could apply to the facts. It computes call's digest only if a one-shot
	// answer could cover this call.
	Matching(facts *v1.Facts, call v1.Digester) []v1.Approval
	// Opened are the places outside that the session may read, or change, by an answer, as
	// grants.
	Opened(session *v1.Session) []v1.PathGrant
	// InMain maps a directory to the main work tree of its git repository, by real paths. ok is false if
	// there is none.
	InMain(directory string) (main string, ok bool)
	// Spend uses up a one-shot answer. An error means that it may not be used.
	Spend(ctx context.Context, id string) error
}

// Prompts are the questions for people.
type Prompts interface {
	// Open opens a prompt, or joins the same question of the same session. An error that wraps a
	// *v1.CodedError denies with its code.
	Open(ctx context.Context, question *v1.Question) (prompt v1.Prompt, joined bool, err error)
	// Delegate keeps a question that a host's own dialog asks. Nobody can answer it here.
	Delegate(ctx context.Context, question *v1.Question) v1.Prompt
	// Wait returns the prompt when it has ended, or as it is when ctx is done.
	Wait(ctx context.Context, id string) (v1.Prompt, error)
	// Leave ends the wait of a call, and withdraws the prompt if no other call awaits its answer. held is the
	// question's Held.
	Leave(ctx context.Context, id string, held bool)
	// ReleaseSame ends the pending prompt of a call that is allowed by now, if there
	// is one in its session.
	ReleaseSame(ctx context.Context, session string, call v1.Digester)
	// Unhold notes that a call is no longer held, and will be repeated.
	Unhold(id string)
}

// Options are the collaborators and limits of a Gate.
type Options struct {
	Policy   Policy   // required
	Redactor Redactor // required
	// Recorder may be nil unless RequireRecord is set.
	Recorder Recorder
	// RequireRecord denies what can't be recorded.
	RequireRecord bool
	// Sessions may be nil: then each call describes its session.
	Sessions Sessions
	// Approvals may be nil: nothing is remembered.
	Approvals Approvals
	Prompts   Prompts // required
	// Runs may be nil: then no call is run contained.
	Runs Runs
	// Terminals may be nil: then no session has any.
	Terminals Terminals
	// VerifyChoices judges the call anew for each choice to remember, so that no choice is offered after
	// which the call would prompt again.
	VerifyChoices bool
	// Worktrees makes answers for a directory apply in every work tree of its git repository.
	Worktrees bool
	// UnsafeDebug marks every decision of a server that may broadcast (N4).
	UnsafeDebug bool
	// Clock is time.Now unless set, and NewID makes UUIDs of version 7.
	Clock func() time.Time
	NewID func() string
	// Labels are in every record.
	Labels map[string]string
	// Fault, if set, gets the details of every fault: panics, failed evaluations, records that were not
	// written. It runs within the decision and has to be quick. The error is a *FaultError.
	Fault func(code string, err error)
	// Decided, if set, gets every decision that was recorded. It runs within the decision and has to be
	// quick.
	Decided func(call *v1.Call, decision *v1.Decision)
	// Step, if set, is called at the beginning of each step of a decision, and its result at the end. It has
	// to be quick.
	Step func(ctx context.Context, name string) (stepping context.Context, done func())
	// ReadOnly, if set, is called for every change that a read-only grant refused (P4).
	ReadOnly func(decision string, session *v1.Session, path *v1.Path)
	// Given, if set, counts approvals and grants. If the count changed while a call was judged, Again, if
	// set, is called once the prompt is open: the call may be allowed by now. Both have to be quick.
	Given func() uint64
	Again func()
	// Explain, if set, explains a decision to a caller who requests it. Its result changes nothing.
	Explain func(ctx context.Context, snapshot Snapshot, in *v1.Input, decision *v1.Decision, caller v1.Caller) *v1.Explanation
}

// DecideOptions are what one caller wants of one decision.
type DecideOptions struct {
	// IncludeFacts adds the facts to the decision.
	IncludeFacts bool
	// Caller is the sender, as the transport identifies it.
	Caller v1.Caller
	// Wait is how long a prompt is held for its answer.
	Wait time.Duration
	// Release, unless nil, ends the hold early when it is done: the answer is then
	// the prompt as it is.
	Release context.Context //nolint:containedctx // it isn't part of the call
	// Delegate hands a prompt to the host's own dialog, which is then the only place to answer it (A9). A
	// held prompt is never delegated.
	Delegate bool
	// Probe judges and records without asking anybody: a prompt is then none that
	// could be answered.
	Probe bool
	// Dry is Probe without a trace: nothing is recorded, and no session is kept.
	Dry bool
	// Explain adds the explanation to the decision.
	Explain bool
	// Rewrite is set by an adapter that replaces the call's line, and nil for every other caller.
	Rewrite *Rewrite

	// lasting leaves answers for a single call out.
	lasting bool
}

// Gate decides calls. It may be used concurrently.
type Gate struct {
	options     Options
	ineffective atomic.Uint64
	// bundles are what records of the latest policy name.
	bundles atomic.Pointer[recordBundles]
}

// New returns a gate, or an error when a required collaborator is missing.
func New(options Options) (*Gate, error) {
	switch {
	case options.Policy == nil:
		return nil, errors.New("make gate: no policy")
	case options.Prompts == nil:
		return nil, errors.New("make gate: no prompts")
	case options.Redactor == nil:
		return nil, errors.New("make gate: no redactor")
	case options.RequireRecord && options.Recorder == nil:
		return nil, errors.New("make gate: records are required and there is no recorder")
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	if options.NewID == nil {
		options.NewID = newID
	}
	if options.Labels == nil {
		options.Labels = map[string]string{}
	}
	if options.Fault == nil {
		options.Fault = func(string, error) {}
	}
	if options.Decided == nil {
		options.Decided = func(*v1.Call, *v1.Decision) {}
	}
	if options.Given == nil || options.Again == nil {
		options.Given, options.Again = func() uint64 { return 0 }, func() {}
	}
	if options.ReadOnly == nil {
		options.ReadOnly = func(string, *v1.Session, *v1.Path) {}
	}
	return &Gate{options: options}, nil
}

// Ids take random numbers from a buffer that is filled for 16 at a time. They are names, not secrets: who may
// use one is checked where it is used.
func init() { uuid.EnableRandPool() }

// newID makes a UUID of version 7, whose order is the order of time. It panics
// when the system gives no random numbers, and the decision is then denied.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
