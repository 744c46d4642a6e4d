package sidecar

import (
	"context"
	"errors"
	"fmt"
	"time"

	"policyd/internal/server"
	"policyd/internal/store"
)

// Ready reports whether calls can be decided. A refused bundle is a warning: the earlier policy decides. An
// unwritable log is a warning only if records aren't required: otherwise every call is denied.
func (s *Sidecar) Ready() server.Readiness {
	readiness := server.Readiness{
		Ready:  s.Policy.current.Load() != nil && !s.Policy.engine.Stale(),
		Checks: append([]server.Check{s.checkPolicy()}, s.Policy.checkBundles()...),
	}
	readiness.Checks = append(readiness.Checks, s.Policy.files.checks()...)
	if s.containment != nil {
		readiness.Checks = append(readiness.Checks, s.containment.checks()...)
	}
	if s.broadcasts {
		readiness.Checks = append(readiness.Checks, server.Check{
			Name: "unsafe_debug", Detail: "started with --unsafe-debug-broadcast: namespaces in mode unsafe_debug go to every subscriber",
		})
	}
	if s.writer == nil {
		return readiness
	}
	checks, written := checkRecords(s.writer)
	readiness.Ready = readiness.Ready && (written || !s.writer.Required())
	readiness.Checks = append(readiness.Checks, checks...)
	if s.Memory != nil {
		check, there := s.checkStore()
		readiness.Ready = readiness.Ready && there
		readiness.Checks = append(readiness.Checks, check)
	}
	return readiness
}

// checkStore is a warning while the store is unreachable: calls that approvals and grants would have allowed
// prompt (D2). The server isn't ready if the database was removed or replaced: nothing is stored any more
// until a restart.
func (s *Sidecar) checkStore() (check server.Check, there bool) {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	err := s.Memory.check(ctx)
	switch {
	case errors.Is(err, store.ErrReplaced):
		return server.Check{Name: "store", Detail: "nothing that is answered is kept: " + err.Error()}, false
	case err != nil:
		return server.Check{Name: "store", Detail: "calls that approvals and grants would allow prompt: " + err.Error()}, true
	}
	return server.Check{Name: "store", OK: true, Detail: "approvals, grants and prompts are kept"}, true
}

// slowActivation is how long an activation may run before it is reported: an ordinary one is faster.
const slowActivation = time.Second

// storePatience bounds what a readiness probe waits for the store.
const storePatience = time.Second

func (s *Sidecar) checkPolicy() server.Check {
	status := s.Policy.engine.Status()
	switch {
	case status.Revision == "":
		return server.Check{Name: "policy", Detail: s.Policy.awaited()}
	case status.Stale:
		return server.Check{Name: "policy", Detail: fmt.Sprintf("no service has confirmed revision %s since %s, which is longer than max_policy_age",
			status.Revision, status.ConfirmedAt.UTC().Format(time.RFC3339))}
	}
	if !status.Activating.IsZero() && time.Since(status.Activating) >= slowActivation {
		return server.Check{Name: "policy", Detail: fmt.Sprintf("an activation runs since %s; revision %s stays in force until it ends",
			status.Activating.UTC().Format(time.RFC3339), status.Revision)}
	}
	if status.LastError != "" {
		return server.Check{Name: "policy", Detail: status.LastError + "; revision " + status.Revision + " stays in force"}
	}
	return server.Check{Name: "policy", OK: true, Detail: "revision " + status.Revision}
}
