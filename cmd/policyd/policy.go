package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/extract"
	"policyd/internal/gate"
	"policyd/policies"
)

// policy joins the engine with the extraction that its data asks for. Both
// belong to one snapshot, so that lists of secrets and the rules that judge by
// them never come from two policies.
type policy struct {
	engine  *bundles.Engine
	current atomic.Pointer[snapshot]
}

var _ gate.Policy = (*policy)(nil)

// snapshot is a policy in force, as the gate needs it.
type snapshot struct {
	*bundles.Snapshot
	extractor *extract.Extractor
}

var _ gate.Snapshot = (*snapshot)(nil)

// Extract makes the facts of a call.
func (s *snapshot) Extract(call *v1.Call, grants []v1.PathGrant) v1.Facts {
	return s.extractor.Extract(call, grants)
}

// newPolicy loads the policy that the settings name. The caller closes it.
func newPolicy(ctx context.Context, s *settings, logger *slog.Logger) (*policy, error) {
	base, err := extract.NewBase(extract.Options{
		Home: s.home, Own: []string{s.StateDir, s.RunDir}, Protected: s.protected(), Address: s.Addr, Platform: s.platform,
		Now: s.now,
	})
	if err != nil {
		return nil, err
	}
	p := &policy{}
	p.engine, err = bundles.New(ctx, bundles.Options{
		Source: s.Bundle, FS: policies.FS, Settings: s.Settings(), Watch: s.Watch, Logger: logger,
		// The built-in policy was tested where it was built.
		TestOnActivate: s.Bundle != "",
		Prepare: func(policyd map[string]any) (any, error) {
			return base.With(policyd)
		},
		OnActivate: p.activate,
	})
	if err != nil {
		return nil, err
	}
	if p.current.Load() == nil {
		p.engine.Close()
		return nil, errors.New("load policy: the engine activated none")
	}
	return p, nil
}

// activate puts a snapshot in force. A snapshot without extraction can't be:
// Prepare made it.
func (p *policy) activate(activated *bundles.Snapshot) {
	extractor, prepared := activated.Prepared().(*extract.Extractor)
	if !prepared {
		panic(fmt.Sprintf("snapshot %s was not prepared", activated.Revision()))
	}
	p.current.Store(&snapshot{Snapshot: activated, extractor: extractor})
}

// Current implements gate.Policy.
func (p *policy) Current() gate.Snapshot {
	if current := p.current.Load(); current != nil {
		return current
	}
	return nil
}

// Close ends the watch.
func (p *policy) Close() { p.engine.Close() }
