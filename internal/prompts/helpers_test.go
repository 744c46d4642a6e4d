package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/prompts"
	"policyd/internal/store"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

var errBroken = errors.New("the disk is gone")

// failing is a real store that fails on demand.
type failing struct {
	*store.Store
	broken atomic.Bool
	// lost makes an answer come too late.
	lost atomic.Bool
	// listed and looked, if set, are called once, with what was read and not yet
	// returned.
	listed, looked func()
}

func (f *failing) OpenPrompt(ctx context.Context, row store.Prompt) error {
	if f.broken.Load() {
		return errBroken
	}
	return f.Store.OpenPrompt(ctx, row)
}

func (f *failing) Prompt(ctx context.Context, id string) (store.Prompt, error) {
	if f.broken.Load() {
		return store.Prompt{}, errBroken
	}
	row, err := f.Store.Prompt(ctx, id)
	if looked := f.looked; looked != nil {
		f.looked = nil
		looked()
	}
	return row, err
}

func (f *failing) Prompts(ctx context.Context, state, after string, limit int) ([]store.Prompt, error) {
	if f.broken.Load() {
		return nil, errBroken
	}
	rows, err := f.Store.Prompts(ctx, state, after, limit)
	if listed := f.listed; listed != nil {
		f.listed = nil
		listed()
	}
	return rows, err
}

func (f *failing) ResolvePrompt(ctx context.Context, resolution store.Resolution) ([]v1.ApprovalEntry, []v1.Grant, error) {
	if f.broken.Load() {
		return nil, nil, errBroken
	}
	if f.lost.Load() {
		return nil, nil, store.ErrConflict
	}
	return f.Store.ResolvePrompt(ctx, resolution)
}

// house is a book over a store, with a clock that the test moves.
type house struct {
	*prompts.Book
	store *failing
	ids   *atomic.Int64

	mu       sync.Mutex
	now      time.Time
	notified []string
	given    []v1.ApprovalEntry
	onces    []store.Once
	faults   []error
}

func build(t *testing.T, change ...func(*prompts.Options)) *house {
	t.Helper()
	opened, err := store.Open(t.Context(), store.Options{Address: "sqlite", Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, opened.Close()) })
	return over(t, &failing{Store: opened}, &atomic.Int64{}, change...)
}

// over is another book over a store, as after a restart.
func over(t *testing.T, kept *failing, ids *atomic.Int64, change ...func(*prompts.Options)) *house {
	t.Helper()
	h := &house{store: kept, now: noon, ids: ids}
	options := prompts.Options{
		Store: kept, Clock: h.clock, NewID: func() string { return fmt.Sprintf("id-%05d", ids.Add(1)) },
		Given: func(approvals []v1.ApprovalEntry, _ []v1.Grant, once *store.Once) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.given = append(h.given, approvals...)
			if once != nil {
				h.onces = append(h.onces, *once)
			}
		},
		Notify: func(prompt v1.Prompt) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.notified = append(h.notified, prompt.ID+" "+prompt.State)
		},
		Fault: func(err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.faults = append(h.faults, err)
		},
	}
	for _, apply := range change {
		apply(&options)
	}
	var err error
	h.Book, err = prompts.New(options)
	require.NoError(t, err)
	require.NoError(t, h.Load(t.Context()))
	return h
}

func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// question asks whether a session may run git push in /srv/proj.
func question(session string, call byte, change ...func(*v1.Question)) *v1.Question {
	out := &v1.Question{
		Kind: v1.PromptKindCall, Key: [32]byte{call},
		Prompt: v1.Prompt{
			State: v1.PromptPending, Title: "Approve git push in /srv/proj?", Verbs: []string{"git push"}, Directory: "/srv/proj",
			Call: v1.PromptCall{Text: "git push", Agent: "claude-code", SessionID: session, Paths: []string{}},
		},
		Scope: v1.PromptScope{
			Agent: "claude-code", Audience: v1.AudiencePersonal, Tool: v1.ToolShell,
			Items: []v1.PromptItem{{Kind: v1.ItemCommand, Verb: "git push", Directory: "/srv/proj"}},
		},
	}
	for _, choice := range []string{"once", "session", "always_here", "always_anywhere", "deny"} {
		out.Prompt.Choices = append(out.Prompt.Choices, v1.Choice{Key: choice})
	}
	for _, apply := range change {
		apply(out)
	}
	return out
}

func (h *house) ask(t *testing.T, question *v1.Question) v1.Prompt {
	t.Helper()
	prompt, joined, err := h.Open(t.Context(), question)
	require.NoError(t, err)
	require.False(t, joined)
	return prompt
}

func (h *house) reply(t *testing.T, id, choice string) v1.AnswerResponse {
	t.Helper()
	response, err := h.Answer(t.Context(), id, v1.AnswerRequest{Choice: choice, By: "ada"})
	require.NoError(t, err)
	return response
}

func (h *house) state(t *testing.T, id string) string {
	t.Helper()
	prompt, err := h.Get(t.Context(), id)
	require.NoError(t, err)
	return prompt.State
}

func (h *house) listed(t *testing.T, state string) []string {
	t.Helper()
	list, _, err := h.List(t.Context(), state, "", "", 1000)
	require.NoError(t, err)
	ids := []string{}
	for _, prompt := range list {
		ids = append(ids, prompt.ID)
	}
	return ids
}

func code(err error) string {
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}
