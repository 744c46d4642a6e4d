package prompts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// Store is what the book needs of a store.
type Store interface {
	OpenPrompt(ctx context.Context, row store.Prompt) error
	Prompt(ctx context.Context, id string) (store.Prompt, error)
	Prompts(ctx context.Context, state, after string, limit int) ([]store.Prompt, error)
	ResolvePrompt(ctx context.Context, resolution store.Resolution) ([]v1.ApprovalEntry, []v1.Grant, error)
}

// Defaults of Options.
const (
	DefaultExpiry     = 24 * time.Hour
	DefaultPerSession = 100
	DefaultPerCaller  = 1000
	DefaultMost       = 10_000
)

// Options are the collaborators and limits of a Book.
type Options struct {
	// Store may be nil: then prompts end with the process.
	Store Store
	Clock func() time.Time
	NewID func() string
	// Grant makes the grant that a person approved, or returns the reason why it can't (P8).
	Grant func(ctx context.Context, prompt *v1.Prompt, kind string) (grant v1.Grant, refusal string)
	// Given, if set, gets what an answer grants, once it is in the store.
	Given func(approvals []v1.ApprovalEntry, grants []v1.Grant, once *store.Once)
	// Notify, if set, gets every prompt that is opened or ends. It runs within a decision and has to be
	// quick.
	Notify func(prompt v1.Prompt)
	// Fault gets store errors that didn't prevent the question.
	Fault func(err error)
	// Expiry, PerSession, PerCaller and Most bound open prompts: how long each is kept, how
	// many of one session, how many of one agent of one caller, how many in all. All agents
	// of one caller have at most half of Most. Zero is the default.
	Expiry     time.Duration
	PerSession int
	PerCaller  int
	Most       int
}

// Errors of a Book; each is an answer to the caller.
const (
	CodeFull        = "prompts_full"
	CodeTooLarge    = "prompt_too_large"
	CodeNotFound    = "not_found"
	CodeAnswered    = "prompt_answered" // 409
	CodeEnded       = "prompt_ended"    // 410: expired, withdrawn or delegated
	CodeNotOffered  = "choice_not_offered"
	CodeInvalid     = "invalid_request"
	CodeUnavailable = "store_unavailable"
)

func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}

// key identifies a repeated question of a session.
type key struct {
	session string
	digest  [32]byte
}

// asker is the key by which open prompts are counted: a credential, and an agent that uses it. Sessions don't
// limit: a caller can create any number.
type asker struct{ caller, agent string }

// entry is a prompt in memory.
type entry struct {
	row store.Prompt
	key key
	// saved is false while the store could not be written.
	saved bool
	// owed is the end that the store doesn't have yet, nil for none. Until then memory keeps the prompt: in
	// the store it is still pending.
	owed *store.Resolution
	// ended is closed when the prompt is not pending any more.
	ended chan struct{}
	// answering is locked during an answer, so that the second of two answers waits for the result of the
	// first.
	answering sync.Mutex
	// held and unheld count the calls that await the answer: those with a connected caller, and those whose
	// caller repeats the request later.
	held, unheld int
	// call is what the question is about, nil if it isn't known or was too large to
	// keep.
	call   *v1.Call
	caller v1.Caller
}

// Book keeps prompts. It may be used concurrently.
type Book struct {
	options Options

	mu      sync.Mutex
	byID    map[string]*entry
	byKey   map[key]*entry
	pending map[string]int // per session
	// loads counts per agent of a caller, and per caller under the agent "".
	loads map[asker]load
	// bytes is how long all open prompts are.
	bytes int
	open  int // in all
	// callBytes is the size of the calls that are kept.
	callBytes int
	// reading counts the running readings of the store. gone are the prompts that ended since the first of
	// them began: the data may be older.
	reading        int
	endedMeanwhile map[string]bool
}

// New returns an empty book; Load reads what the store has.
func New(options Options) (*Book, error) {
	if options.Clock == nil || options.NewID == nil {
		return nil, errors.New("make prompts: no clock or no ids")
	}
	if options.Given == nil {
		options.Given = func([]v1.ApprovalEntry, []v1.Grant, *store.Once) {}
	}
	if options.Notify == nil {
		options.Notify = func(v1.Prompt) {}
	}
	if options.Fault == nil {
		options.Fault = func(error) {}
	}
	if options.Expiry <= 0 {
		options.Expiry = DefaultExpiry
	}
	if options.PerSession <= 0 {
		options.PerSession = DefaultPerSession
	}
	if options.PerCaller <= 0 {
		options.PerCaller = DefaultPerCaller
	}
	if options.Most <= 0 {
		options.Most = DefaultMost
	}
	return &Book{options: options, byID: map[string]*entry{}, byKey: map[key]*entry{}, pending: map[string]int{}, loads: map[asker]load{}, endedMeanwhile: map[string]bool{}}, nil
}

// add adds an entry. The caller holds mu.
func (b *Book) add(held *entry) {
	b.byID[held.row.ID] = held
	b.byKey[held.key] = held
	b.pending[held.key.session]++
	b.count(held, 1)
	b.open++
}

// Limits of the texts of open prompts, in bytes: of one prompt, and of all. A caller has at most half of the
// latter, and an agent a quarter of the caller's.
const (
	maxPromptBytes  = 256 << 10
	maxPromptsBytes = 64 << 20
)

// load is the open prompts of one asker.
type load struct{ prompts, bytes int }

// sizeOf is how long the texts of a prompt are.
func sizeOf(prompt *v1.Prompt, scope *v1.PromptScope) int {
	size := len(prompt.Title) + len(prompt.Directory)
	for _, text := range prompt.Verbs {
		size += len(text)
	}
	for _, text := range prompt.Call.Paths {
		size += len(text)
	}
	call := &prompt.Call
	size += len(call.Tool) + len(call.Text) + len(call.Cwd) + len(call.Agent) + len(call.SessionID) + len(call.Reason) + len(call.GrantRoot)
	for i := range scope.Items {
		size += len(scope.Items[i].Verb) + len(scope.Items[i].Directory)
	}
	for here, main := range scope.Worktrees {
		size += len(here) + len(main)
	}
	return size
}

// count adds an open prompt, or removes it for -1. The caller holds mu.
func (b *Book) count(held *entry, sign int) {
	size := sign * sizeOf(&held.row.Prompt, &held.row.Scope)
	b.bytes += size
	by := askerOf(&held.row.Scope)
	if by.caller == "" {
		return // operators are bounded by the whole alone
	}
	keys := []asker{by, {caller: by.caller}}
	for _, key := range slices.Compact(keys) {
		now := load{b.loads[key].prompts + sign, b.loads[key].bytes + size}
		if b.loads[key] = now; now.prompts <= 0 {
			delete(b.loads, key)
		}
	}
}

// end ends a pending entry in memory and wakes its waiters. It stays in memory until settle, since the store
// may still have it as pending. The caller holds mu.
func (b *Book) end(held *entry, state string, answer *v1.PromptAnswer) {
	if held.row.State != v1.PromptPending {
		return
	}
	held.row.State, held.row.Answer = state, answer
	b.dropCall(held)
	close(held.ended)
	if b.byKey[held.key] == held {
		delete(b.byKey, held.key)
	}
	b.open--
	b.count(held, -1)
	if b.pending[held.key.session]--; b.pending[held.key.session] <= 0 {
		delete(b.pending, held.key.session)
	}
}

// finish ends an entry by what the store has of its prompt, and leaves it there.
func (b *Book) finish(held *entry, row *store.Prompt) {
	b.mu.Lock()
	b.end(held, row.State, row.Answer)
	b.mu.Unlock()
	b.settle(held)
}

// settle drops an ended prompt from memory, since the store has its end by now. One that isn't in the store
// stays until it would have expired.
func (b *Book) settle(held *entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if held.saved && held.owed == nil && held.row.State != v1.PromptPending && b.byID[held.row.ID] == held {
		delete(b.byID, held.row.ID)
		if b.reading > 0 {
			b.endedMeanwhile[held.row.ID] = true
		}
	}
}

func askerOf(scope *v1.PromptScope) asker { return asker{caller: scope.Caller, agent: scope.Agent} }

func keyOf(row *store.Prompt) key {
	out := key{session: row.Call.SessionID}
	copy(out.digest[:], row.Key)
	return out
}

// copied shares no list with the prompt that is kept.
func copied(prompt *v1.Prompt) v1.Prompt {
	out := *prompt
	out.Verbs = slices.Clone(prompt.Verbs)
	out.Choices = slices.Clone(prompt.Choices)
	out.Reasons, out.Warnings = listed(prompt.Reasons), listed(prompt.Warnings)
	out.Call.Paths = slices.Clone(prompt.Call.Paths)
	return out
}

// listed is a copy that is never null.
func listed(texts []string) []string { return append([]string{}, texts...) }

// shown is a prompt as it is at a time: one that is past its time has expired,
// whether or not anybody has noted that.
func shown(prompt *v1.Prompt, now time.Time) v1.Prompt {
	out := copied(prompt)
	if out.State == v1.PromptPending && !now.Before(out.ExpiresAt) {
		out.State = v1.PromptExpired
	}
	return out
}
