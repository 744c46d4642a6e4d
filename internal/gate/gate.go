package gate

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	v1 "policyd/api/v1"
)

// Policy gives the snapshot in force. Current may be called concurrently; nil
// means that no policy is active yet.
type Policy interface {
	Current() Snapshot
}

// Snapshot is one immutable policy. It may be used concurrently.
type Snapshot interface {
	// Revision names the policy.
	Revision() string
	// Extract makes the facts of a call. It reads the disk and runs nothing.
	Extract(call *v1.Call, grants []v1.PathGrant) v1.Facts
	// Judge judges. An error that holds a *v1.CodedError denies with its code.
	Judge(ctx context.Context, in *v1.Input) (v1.Judgement, error)
}

// Recorder writes records. Write returns when the record is kept, and is called
// concurrently with a context that isn't cancelled with the call.
type Recorder interface {
	Write(ctx context.Context, record *v1.Record) error
}

// Redactor takes secrets and file contents out, before judgement and record.
type Redactor interface {
	// MaskFacts masks in place.
	MaskFacts(facts *v1.Facts)
	// Redact returns what a record may keep of a call, given its tool kind, and
	// JSON pointers to what was erased and masked.
	Redact(call *v1.Call, kind string) (kept v1.RecordCall, erased, masked []string)
}

// Memory is what people answered before. A memory that can't be read gives
// nothing, and what it would have allowed is asked.
type Memory interface {
	// Approvals are those that could apply to the facts.
	Approvals(facts *v1.Facts) []v1.Approval
	// Grants are the path grants of the session.
	Grants(session *v1.Session) []v1.PathGrant
}

// Defaults of Options.
const (
	DefaultPromptExpiry = 24 * time.Hour
	DefaultPerSession   = 100
	DefaultMaxPrompts   = 10_000
)

// Options are the collaborators and limits of a Gate.
type Options struct {
	Policy   Policy   // required
	Redactor Redactor // required
	// Recorder may be nil unless RequireRecord is set.
	Recorder Recorder
	// RequireRecord denies what can't be recorded.
	RequireRecord bool
	// Memory may be nil: nothing is remembered.
	Memory Memory
	// Clock is time.Now unless set, and NewID makes UUIDs of version 7.
	Clock func() time.Time
	NewID func() string
	// PromptExpiry, PerSession and MaxPrompts bound open prompts: how long each
	// is kept, how many of one session, how many in all. Zero is the default.
	PromptExpiry time.Duration
	PerSession   int
	MaxPrompts   int
	// Labels stand in every record.
	Labels map[string]string
	// Fault, if set, hears of everything that a decision's code only names:
	// panics, failed evaluations, records that were not written. It is called
	// on the way of the decision and has to be quick.
	Fault func(code string, err error)
}

// DecideOptions are what one caller wants of one decision.
type DecideOptions struct {
	// IncludeFacts adds the facts to the decision.
	IncludeFacts bool
}

// Gate decides calls. It may be used concurrently.
type Gate struct {
	options Options
	prompts *prompts
}

// New returns a gate, or an error when a required collaborator is missing.
func New(options Options) (*Gate, error) {
	switch {
	case options.Policy == nil:
		return nil, errors.New("make gate: no policy")
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
	return &Gate{options: options, prompts: newPrompts(options)}, nil
}

// newID makes a UUID of version 7, whose order is the order of time. It panics
// when the system gives no random numbers, and the decision is then denied.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// Prompt returns a copy of the prompt in its present state, and whether there
// is one. Prompts are forgotten some time after they expire.
func (g *Gate) Prompt(id string) (v1.Prompt, bool) { return g.prompts.get(id, g.options.Clock()) }
