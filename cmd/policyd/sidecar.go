package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/events"
	"policyd/internal/gate"
	"policyd/internal/metrics"
	"policyd/internal/prompts"
	"policyd/internal/record"
	"policyd/internal/runs"
	"policyd/internal/tracing"
)

// sidecar is everything that decides, wired.
type sidecar struct {
	gate   *gate.Gate
	policy *policy
	// memory is nil where a call is decided without what people answered before.
	memory *memory
	// containment and runs are nil where nothing is run.
	containment *containment
	runs        *runs.Book
	// writer is nil where decisions leave no record.
	writer *record.Writer
	// broadcasts is true where the mode unsafe_debug is served (N4).
	broadcasts bool
	// metrics are nil, and tracing does nothing, where nobody serves.
	metrics *metrics.Metrics
	tracing *tracing.Tracing
}

// newSidecar wires a sidecar that remembers, and records its decisions. The
// caller closes it.
func newSidecar(ctx context.Context, s *settings, logger *slog.Logger) (made *sidecar, err error) {
	if s.metrics == nil {
		s = s.with(s.Config)
		s.metrics = metrics.New(programVersion())
	}
	made = &sidecar{metrics: s.metrics, tracing: s.tracing, broadcasts: s.UnsafeDebugBroadcast}
	defer func() {
		if err != nil {
			err = errors.Join(err, made.Close())
			made = nil
		}
	}()
	made.writer, err = record.New(recordOptions(&s.DecisionLog))
	if err != nil {
		return made, failed(err, "name another file with --log-file")
	}
	opening := openStore(ctx, s)
	made.policy, err = newPolicy(ctx, s, filepath.Join(s.StateDir, persistDir), logger)
	opened, unopened := opening()
	if err != nil || unopened != nil {
		if opened != nil {
			unopened = opened.Close()
		}
		return made, errors.Join(err, unopened)
	}
	made.writer.SetRules(recordRules{made.policy})
	if made.memory, err = newMemory(ctx, s, opened, made.policy, logger); err != nil {
		return made, err
	}
	made.containment = newContainment(s)
	made.runs = newRuns(made.containment)
	return made, errors.Join(made.assemble(logger), made.sources())
}

// newJudge wires what decides without a server: it remembers nothing, asks
// nobody and records nothing. The caller closes it.
func newJudge(ctx context.Context, s *settings) (*sidecar, error) {
	logger := slog.New(slog.DiscardHandler)
	policy, err := newOfflinePolicy(ctx, s, logger)
	if err != nil {
		return nil, err
	}
	made := &sidecar{policy: policy, broadcasts: s.UnsafeDebugBroadcast}
	if err := made.assemble(logger); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}

// assemble makes the gate of what is there.
func (s *sidecar) assemble(logger *slog.Logger) (err error) {
	options := gate.Options{
		Policy: s.policy, Redactor: s.policy.redactor, Labels: s.labels(), UnsafeDebug: s.broadcasts, VerifyChoices: true,
		Fault: func(code string, err error) {
			logger.Error("decision failed", "decision_id", decisionOf(err), "code", code, "error", err)
		},
		ReadOnly: func(decision string, session *v1.Session, path *v1.Path) {
			logger.Warn("refused: path is read-only for this agent", "decision_id", decision,
				"agent", session.Agent, "session", session.ID, "path", path.Real, "operation", path.Op)
		},
	}
	options.Explain = s.explain
	if s.writer != nil {
		options.Recorder, options.RequireRecord = s.writer, s.writer.Required()
	}
	if s.memory != nil {
		options.Sessions, options.Approvals, options.Prompts = s.memory.sessions, s.memory.approvals, s.memory.prompts
		options.Terminals, options.Worktrees = s.memory.terminals, s.memory.worktrees
		options.Decided = s.memory.tellDecision
		options.Given, options.Again = s.memory.releases.count.Load, s.memory.releases.everything
	} else {
		options.Prompts, err = prompts.New(prompts.Options{Clock: time.Now, NewID: newID})
		if err != nil {
			return err
		}
	}
	if s.runs != nil {
		options.Runs = s.runs
	}
	s.watchBroadcasts(&options, logger)
	s.measure(&options)
	if s.gate, err = gate.New(options); err != nil {
		return err
	}
	if s.memory != nil {
		s.memory.decideBy(s.gate)
		s.policy.watchActivation(func(revision string) {
			s.memory.events.Publish(events.PolicyActivated, v1.PolicyInfo{Revision: revision})
		})
	}
	return nil
}

// labels stand in every record.
func (s *sidecar) labels() map[string]string {
	labels := map[string]string{"version": programVersion()}
	if s.broadcasts {
		labels["unsafe_debug_broadcast"] = "true"
	}
	return labels
}

// watchBroadcasts logs every method that goes to all subscribers for debugging.
func (s *sidecar) watchBroadcasts(options *gate.Options, logger *slog.Logger) {
	decided := options.Decided
	if !s.broadcasts {
		return
	}
	options.Decided = func(call *v1.Call, decision *v1.Decision) {
		if decision.Route.Mode == "unsafe_debug" {
			logger.Warn("unsafe_debug: a method goes to every subscriber",
				"method", call.Tool, "session", call.Session.ID, "decision", decision.ID)
		}
		if decided != nil {
			decided(call, decision)
		}
	}
}

// Close ends the watches, and closes the store and the decision log.
func (s *sidecar) Close() error {
	var failures []error
	if s.memory != nil {
		failures = append(failures, s.memory.Close())
	}
	if s.policy != nil {
		s.policy.Close()
	}
	if s.writer != nil {
		if err := s.writer.Close(); err != nil {
			failures = append(failures, fmt.Errorf("close decision log: %w", err))
		}
	}
	return errors.Join(failures...)
}
