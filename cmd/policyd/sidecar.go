package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"policyd/internal/gate"
	"policyd/internal/record"
)

// sidecar is everything that decides, wired.
type sidecar struct {
	gate   *gate.Gate
	policy *policy
	// writer is nil where decisions leave no record.
	writer *record.Writer
}

// newSidecar wires a sidecar that records its decisions. The caller closes it.
func newSidecar(ctx context.Context, s *settings, logger *slog.Logger) (*sidecar, error) {
	writer, err := record.New(record.Options{
		File: s.DecisionLog.File, Stdout: s.DecisionLog.Stdout, Required: s.DecisionLog.Required,
		MaxSizeMB: s.DecisionLog.MaxSizeMB, MaxBackups: s.DecisionLog.MaxBackups, MaxAgeDays: s.DecisionLog.MaxAgeDays,
	})
	if err != nil {
		return nil, failed(err, "name another file with --log-file")
	}
	made, err := assemble(ctx, s, logger, writer)
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	return made, nil
}

// assemble wires policy and gate; writer may be nil.
func assemble(ctx context.Context, s *settings, logger *slog.Logger, writer *record.Writer) (*sidecar, error) {
	policy, err := newPolicy(ctx, s, logger)
	if err != nil {
		return nil, err
	}
	options := gate.Options{
		Policy: policy, Redactor: policy.redactor,
		PromptExpiry: s.Prompts.Expiry, PerSession: s.Prompts.PerSession,
		Labels: map[string]string{"version": programVersion()},
		Fault: func(code string, err error) {
			logger.Error("decision failed", "code", code, "error", err)
		},
	}
	if writer != nil {
		options.Recorder, options.RequireRecord = writer, writer.Required()
	}
	made, err := gate.New(options)
	if err != nil {
		policy.Close()
		return nil, err
	}
	return &sidecar{gate: made, policy: policy, writer: writer}, nil
}

// Close ends the watch and closes the decision log.
func (s *sidecar) Close() error {
	s.policy.Close()
	if s.writer == nil {
		return nil
	}
	if err := s.writer.Close(); err != nil {
		return fmt.Errorf("close decision log: %w", err)
	}
	return nil
}
