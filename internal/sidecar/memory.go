package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	v1 "policyd/api/v1"
	"policyd/internal/approvals"
	"policyd/internal/config"
	"policyd/internal/events"
	"policyd/internal/gate"
	"policyd/internal/metrics"
	"policyd/internal/prompts"
	"policyd/internal/sessions"
	"policyd/internal/store"
	"policyd/internal/terminals"
)

// Memory is what outlives a decision: sessions, grants, questions and answers.
type Memory struct {
	store     *store.Store
	Sessions  *sessions.Registry
	Prompts   *prompts.Book
	Approvals *approvals.Index
	Terminals *terminals.Registry
	Events    *events.Broker
	logger    *slog.Logger
	metrics   *metrics.Metrics
	// gate is set once it is made: it needs the memory first.
	gate *gate.Gate
	// releases decides pending prompts again when more is allowed.
	releases *releases
	// retention is how long what has ended is kept.
	retention time.Duration
	// notified gets prompts that are opened or end; nil if there are no notifications.
	notified atomic.Pointer[func(prompt *v1.Prompt)]
	// worktrees is true if lasting answers apply in all work trees of a repository.
	worktrees bool
	stop      context.CancelFunc
	// background runs what ends when the memory is closed.
	background func(run func(context.Context))
	done       sync.WaitGroup
}

// tending is how often the memory looks for what has expired, and for a store
// that is back.
const tending = time.Second

// sweeping is how often what has expired is deleted from the store.
const sweeping = time.Hour

// NewID makes an id that sorts by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// openStore begins to open the store, and returns what waits for it.
func openStore(ctx context.Context, s *Settings) func() (*store.Store, error) {
	opening := sync.OnceValues(func() (*store.Store, error) {
		opened, err := store.Open(ctx, StoreOptions(s))
		if err != nil {
			return nil, failed(err, StoreHint(err))
		}
		return opened, nil
	})
	go func() { _, _ = opening() }() // who waits gets the error
	return opening
}

// newMemory reads what the store remembers. The caller closes the memory, which closes the
// store; an error closes it at once.
func newMemory(ctx context.Context, s *Settings, opened *store.Store, policy *Policy, logger *slog.Logger) (*Memory, error) {
	m := &Memory{
		store: opened, logger: logger, metrics: s.Meter, retention: s.Retention, Terminals: terminals.New(),
		Events: events.New(strings.ReplaceAll(NewID(), "-", "")), releases: newReleases(),
	}
	if err := m.wire(s, policy); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	if err := m.load(ctx); err != nil {
		return nil, errors.Join(failed(err, "the store named by store in the settings can't be read"), opened.Close())
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.stop = stop
	m.done.Go(func() { m.tend(running) })
	m.done.Go(func() { m.follow(running) })
	m.background = func(run func(context.Context)) { m.done.Go(func() { run(running) }) }
	return m, nil
}

// StoreOptions configure the store, and whether it must exist already. The state directory also has the
// records of decisions, and no record is written without a store.
func StoreOptions(s *Settings) store.Options {
	used := false
	if filepath.Dir(s.DecisionLog.File) == filepath.Clean(s.StateDir) {
		info, err := os.Stat(s.DecisionLog.File)
		used = err == nil && info.Mode().IsRegular() && info.Size() > 0
	}
	return store.Options{Address: s.Store, Dir: s.StateDir, Used: used}
}

// StoreHint states what to do about a store that can't be opened.
func StoreHint(err error) string {
	var newer *store.SchemaError
	var lost *store.LostError
	switch {
	case errors.As(err, &newer):
		return "run the newer policyd, or name another directory with --state-dir"
	case errors.As(err, &lost):
		return "restore it from a backup, or start afresh with policyd doctor --repair, which forgets approvals, grants and sessions"
	case Unwritable(err):
		return WritableHint
	}
	return "policyd doctor looks at the state directory; store in the settings names the store"
}

func (m *Memory) wire(s *Settings, policy *Policy) (err error) {
	clock := time.Now
	if s.Now != nil {
		clock = s.Now
	}
	fault := func(err error) { m.logger.Error("store failed", "error", err) }
	m.Sessions, err = sessions.New(sessions.Options{
		Store: m.store, Scope: policy.Scope, Reads: m.reads, Clock: clock, NewID: NewID,
		Platform: s.Platform, Home: s.Home, PerCaller: s.Limits.SessionsPerCaller, Fault: fault,
		Changed: func(session v1.SessionInfo) { m.Events.Publish(events.SessionUpdated, session) },
		Granted: m.releases.granted,
		Ended: func(session string) {
			m.Approvals.End(session)
			m.Terminals.End(session)
		},
	})
	if err != nil {
		return err
	}
	m.worktrees = s.Worktrees == config.WorktreesMain
	m.Approvals, err = approvals.New(approvals.Options{
		Store: m.store, Clock: clock, NewID: NewID, Lineage: m.Sessions.Lineage,
		RunsAnything: policy.runsAnything, Chain: policy.chain, Place: policy.place, WorkTree: policy.workTree,
		Changed: func() { m.Events.Publish(events.ApprovalsChanged, struct{}{}) },
		Given:   m.releases.countApprovals,
	})
	if err != nil {
		return err
	}
	m.Prompts, err = prompts.New(prompts.Options{
		Store: m.store, Clock: clock, NewID: NewID, Grant: m.Sessions.Resolve, Fault: fault,
		Notify: m.tellPrompt,
		Expiry: s.Prompts.Expiry, PerSession: s.Prompts.PerSession, PerCaller: s.Limits.PromptsPerCaller,
		Given: func(entries []v1.ApprovalEntry, grants []v1.Grant, once *store.Once) {
			m.Approvals.Remember(entries, once)
			m.Sessions.Remember(grants)
		},
	})
	if err != nil {
		return err
	}
	m.Sessions.SetAsker(m.Prompts)
	return nil
}

// Notify sets who gets prompts that are opened or end, from now on.
func (m *Memory) Notify(take func(prompt *v1.Prompt)) { m.notified.Store(&take) }

// tellPrompt publishes that a prompt was opened or ended.
func (m *Memory) tellPrompt(prompt v1.Prompt) {
	m.metrics.Prompt(&prompt)
	if notified := m.notified.Load(); notified != nil {
		(*notified)(&prompt)
	}
	if prompt.State == v1.PromptPending {
		m.Events.Publish(events.PromptCreated, prompt)
		return
	}
	m.Events.Publish(events.PromptEnded+prompt.State, prompt)
}

// decisionEvent is what watchers get of a decision. Text of the call is in the record alone.
type decisionEvent struct {
	ID       string      `json:"decision_id"`
	Decision v1.Effect   `json:"decision"`
	Tool     string      `json:"tool"`
	Agent    string      `json:"agent"`
	Session  string      `json:"session_id"`
	Reasons  []v1.Reason `json:"reasons"`
}

// tellDecision publishes a decision, if there are watchers.
func (m *Memory) tellDecision(call *v1.Call, decision *v1.Decision) {
	if !m.Events.Watched() {
		return
	}
	m.Events.Publish(events.Decision, decisionEvent{
		ID: decision.ID, Decision: decision.Effect, Tool: call.Tool, Agent: call.Session.Agent, Session: call.Session.ID,
		Reasons: decision.Reasons,
	})
}

// reads decides whether a session may read a path, as any read is decided.
func (m *Memory) reads(ctx context.Context, session *v1.Session, path string, caller v1.Caller) v1.Decision {
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return v1.Decision{} // denies
	}
	call := &v1.Call{Tool: "request_read_access", Protocol: v1.ProtocolOwn, Args: args, Session: *session}
	return m.gate.Decide(ctx, call, gate.DecideOptions{Caller: caller, Probe: true})
}

// load reads everything anew. Pending prompts are decided again once all of it is read, since what was answered
// meanwhile may allow their calls.
func (m *Memory) load(ctx context.Context) error {
	defer m.releases.granted()
	return errors.Join(m.Sessions.Load(ctx), m.Approvals.Load(ctx), m.Prompts.Load(ctx))
}

// tend ends what is past its time, and reads the store again once it is back.
func (m *Memory) tend(ctx context.Context) {
	ticker := time.NewTicker(tending)
	defer ticker.Stop()
	var swept time.Time // a process that never lives for an hour sweeps, too
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		m.Prompts.Expire(ctx)
		if m.Sessions.Check() != nil || m.Approvals.Check() != nil {
			if err := m.load(ctx); err != nil {
				m.logger.Warn("store is still away", "error", err)
			}
		}
		if time.Since(swept) < sweeping {
			continue
		}
		swept = time.Now()
		if err := m.store.SweepExpired(ctx, swept); err != nil {
			m.logger.Error("store failed", "error", err)
		}
		if err := errors.Join(m.endIdle(ctx, m.idleSince(swept)), m.retain(ctx, swept.Add(-m.retention))); err != nil {
			m.logger.Error("store failed", "error", err)
		}
	}
}

// follow applies changes that other sidecars write to the same store.
func (m *Memory) follow(ctx context.Context) {
	err := m.store.Watch(ctx, func(change store.Change) {
		if err := m.take(ctx, change); err != nil {
			m.logger.Error("store failed", "error", err)
		}
	})
	if err != nil && ctx.Err() == nil {
		m.logger.Error("other sidecars' changes are not seen any more", "error", err)
	}
}

func (m *Memory) take(ctx context.Context, change store.Change) error {
	switch change.Table {
	case "sessions":
		m.Sessions.Forget(change.ID)
		return nil
	case "grants":
		defer m.releases.granted()
		return m.Sessions.Load(ctx)
	case "approvals":
		return m.Approvals.Refresh(ctx, change.ID)
	case "onces":
		return m.Approvals.RefreshOnce(ctx, change.ID)
	case "prompts":
		return m.Prompts.Refresh(ctx, change.ID)
	}
	return m.load(ctx)
}

// decideBy sets the gate that decides the calls of pending prompts again.
func (m *Memory) decideBy(made *gate.Gate) {
	m.gate = made
	m.background(m.release)
}

// check states what is wrong with the memory, nil when all is well.
func (m *Memory) check(ctx context.Context) error {
	return errors.Join(m.Sessions.Check(), m.Approvals.Check(), m.store.Ping(ctx))
}

// Close ends the background work and closes the store.
func (m *Memory) Close() error {
	m.stop()
	m.done.Wait()
	return m.store.Close()
}
