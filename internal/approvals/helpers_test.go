package approvals_test

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
	"policyd/internal/approvals"
	"policyd/internal/store"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// failing is a real store that fails on demand, and that can be blocked after a read.
type failing struct {
	*store.Store
	broken atomic.Bool
	// read, if set, is called with what Approvals has read before it is returned.
	read func()
}

var errBroken = errors.New("the disk is gone")

func (f *failing) Approvals(ctx context.Context, now time.Time) ([]v1.ApprovalEntry, error) {
	if f.broken.Load() {
		return nil, errBroken
	}
	entries, err := f.Store.Approvals(ctx, now)
	if f.read != nil {
		f.read()
	}
	return entries, err
}

func (f *failing) PutApprovals(ctx context.Context, entries ...v1.ApprovalEntry) ([]v1.ApprovalEntry, error) {
	if f.broken.Load() {
		return nil, errBroken
	}
	return f.Store.PutApprovals(ctx, entries...)
}

func (f *failing) DeleteApprovals(ctx context.Context, ids ...string) (int, error) {
	if f.broken.Load() {
		return 0, errBroken
	}
	return f.Store.DeleteApprovals(ctx, ids...)
}

func (f *failing) SpendOnce(ctx context.Context, prompt string) error {
	if f.broken.Load() {
		return errBroken
	}
	return f.Store.SpendOnce(ctx, prompt)
}

// house is an index over a store of its own, with a clock that the test moves.
type house struct {
	*approvals.Index
	store *failing
	mu    sync.Mutex
	now   time.Time
	ids   atomic.Int64
	// parents of sessions.
	parents map[string]string
	changes atomic.Int64
}

func build(tb testing.TB) *house {
	tb.Helper()
	opened, err := store.Open(tb.Context(), store.Options{Address: "sqlite", Dir: tb.TempDir()})
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, opened.Close()) })
	h := &house{store: &failing{Store: opened}, now: noon, parents: map[string]string{}}
	h.Index, err = approvals.New(approvals.Options{
		Store: h.store, Clock: h.clock, NewID: func() string { return fmt.Sprintf("id-%05d", h.ids.Add(1)) },
		Lineage: func(session string) []string {
			var out []string
			for ; session != ""; session = h.parents[session] {
				out = append(out, session)
			}
			return out
		},
		RunsAnything: func(tool, verb string) bool { return tool == v1.ToolShell && verb == "bash" },
		Changed:      func() { h.changes.Add(1) },
	})
	require.NoError(tb, err)
	require.NoError(tb, h.Load(tb.Context()))
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

func (h *house) put(tb testing.TB, request v1.ApprovalRequest) v1.ApprovalEntry {
	tb.Helper()
	kept, changed, err := h.Put(tb.Context(), request)
	require.NoError(tb, err)
	require.True(tb, changed)
	return kept
}

// call is what a personal session of claude-code wants to run in /srv/proj/src.
func call(change ...func(*v1.Facts)) *v1.Facts {
	facts := &v1.Facts{
		Tool:    v1.ToolFacts{Kind: v1.ToolShell},
		Session: v1.SessionFacts{ID: "s", Agent: "claude-code", Audience: v1.AudiencePersonal},
		Items: []v1.Item{{
			Kind: v1.ItemCommand, Verb: "git push", Directory: "/srv/proj/src", Within: v1.Set{"/srv/proj/src", "/srv/proj", "/srv"}, Path: -1,
		}},
	}
	for _, apply := range change {
		apply(facts)
	}
	return facts
}

func (h *house) matching(facts *v1.Facts) []string {
	ids := []string{}
	for _, approval := range h.Matching(facts, key{1}) {
		ids = append(ids, approval.ID)
	}
	return ids
}

type key [32]byte

// Digest implements v1.Digester.
func (k key) Digest() [32]byte { return k }

func code(err error) string {
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}
