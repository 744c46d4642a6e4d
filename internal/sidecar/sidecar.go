// Package sidecar assembles what decides: extraction, policy, gate, memory and decision log. What
// the program ships is assembled here alone, so that tests and tools judge by the same assembly.
package sidecar

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

// Sidecar is everything that decides, wired.
type Sidecar struct {
	Gate   *gate.Gate
	Policy *Policy
	// Memory is nil if a call is decided without what people answered before.
	Memory *Memory
	// containment and runs are nil if nothing is run.
	containment *containment
	runs        *runs.Book
	// writer is nil if decisions leave no record.
	writer *record.Writer
	// broadcasts is true if the mode unsafe_debug is served (N4).
	broadcasts bool
	// Metrics are nil, and Tracing does nothing, without a server.
	Metrics *metrics.Metrics
	Tracing *tracing.Tracing
}

// New wires a sidecar that remembers, and records its decisions. The
// caller closes it.
func New(ctx context.Context, s *Settings, logger *slog.Logger) (made *Sidecar, err error) {
	if s.Meter == nil {
		s = s.With(s.Config)
		s.Meter = metrics.New(Version())
	}
	made = &Sidecar{Metrics: s.Meter, Tracing: s.Tracing, broadcasts: s.UnsafeDebugBroadcast}
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
	made.Policy, err = NewPolicy(ctx, s, filepath.Join(s.StateDir, persistDir), logger)
	opened, unopened := opening()
	if err != nil || unopened != nil {
		if opened != nil {
			unopened = opened.Close()
		}
		return made, errors.Join(err, unopened)
	}
	made.writer.SetRules(recordRules{made.Policy})
	if made.Memory, err = newMemory(ctx, s, opened, made.Policy, logger); err != nil {
		return made, err
	}
	made.containment = newContainment(s)
	left := newLeftovers(s, logger)
	left.remove()
	made.runs = newRuns(made.containment, left)
	return made, errors.Join(made.assemble(logger), made.sources())
}

// NewJudge wires what decides without a server: it remembers nothing, asks nobody and records nothing. The
// caller closes it.
func NewJudge(ctx context.Context, s *Settings) (*Sidecar, error) {
	logger := slog.New(slog.DiscardHandler)
	policy, err := NewOfflinePolicy(ctx, s, logger)
	if err != nil {
		return nil, err
	}
	made := &Sidecar{Policy: policy, broadcasts: s.UnsafeDebugBroadcast}
	if err := made.assemble(logger); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}

// assemble makes the gate of what is there.
func (s *Sidecar) assemble(logger *slog.Logger) (err error) {
	options := gate.Options{
		Policy: s.Policy, Redactor: s.Policy.redactor, Labels: s.labels(), UnsafeDebug: s.broadcasts, VerifyChoices: true,
		Fault: func(code string, err error) {
			logger.Error("decision failed", "decision_id", decisionOf(err), "code", code, "error", err)
		},
		ReadOnly: func(decision string, session *v1.Session, path *v1.Path) {
			logger.Warn("refused: path is read-only for this agent", "decision_id", decision,
				"agent", session.Agent, "session", session.ID, "path", path.Real, "operation", path.Op)
		},
	}
	options.Explain = s.Explain
	if s.writer != nil {
		options.Recorder, options.RequireRecord = s.writer, s.writer.Required()
	}
	if s.Memory != nil {
		options.Sessions, options.Approvals, options.Prompts = s.Memory.Sessions, s.Memory.Approvals, s.Memory.Prompts
		options.Terminals, options.Worktrees = s.Memory.Terminals, s.Memory.worktrees
		options.Decided = s.Memory.tellDecision
		options.Given, options.Again = s.Memory.releases.count.Load, s.Memory.releases.everything
	} else {
		options.Prompts, err = prompts.New(prompts.Options{Clock: time.Now, NewID: NewID})
		if err != nil {
			return err
		}
	}
	if s.runs != nil {
		options.Runs = s.runs
	}
	s.watchBroadcasts(&options, logger)
	s.measure(&options)
	if s.Gate, err = gate.New(options); err != nil {
		return err
	}
	if s.Memory != nil {
		s.Memory.decideBy(s.Gate)
		s.Policy.watchActivation(func(revision string) {
			s.Memory.Events.Publish(events.PolicyActivated, v1.PolicyInfo{Revision: revision})
		})
	}
	return nil
}

// labels are in every record.
func (s *Sidecar) labels() map[string]string {
	labels := map[string]string{"version": Version()}
	if s.broadcasts {
		labels["unsafe_debug_broadcast"] = "true"
	}
	return labels
}

// watchBroadcasts logs every method that goes to all subscribers for debugging.
func (s *Sidecar) watchBroadcasts(options *gate.Options, logger *slog.Logger) {
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

// FindContainment begins to find out what this machine can enforce. It starts this program
// several times, so a server begins with it when it is ready.
func (s *Sidecar) FindContainment() { s.containment.find() }

// Close ends the watches, and closes the store and the decision log.
func (s *Sidecar) Close() error {
	var failures []error
	if s.Memory != nil {
		failures = append(failures, s.Memory.Close())
	}
	if s.Policy != nil {
		s.Policy.Close()
	}
	if s.writer != nil {
		if err := s.writer.Close(); err != nil {
			failures = append(failures, fmt.Errorf("close decision log: %w", err))
		}
	}
	return errors.Join(failures...)
}

// decisionOf is the id of the decision that a fault is of, empty for none.
func decisionOf(err error) string {
	var fault *gate.FaultError
	if errors.As(err, &fault) {
		return fault.DecisionID
	}
	return ""
}
