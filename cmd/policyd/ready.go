package main

import "policyd/api"

// ready says whether calls can be decided. A bundle that was refused is a
// warning: the policy before it decides. A log that can't be written is one
// only where records aren't required, for else every call is denied.
func (s *sidecar) ready() api.Readiness {
	readiness := api.Readiness{Ready: s.policy.current.Load() != nil, Checks: []api.Check{s.checkPolicy()}}
	if s.writer == nil {
		return readiness
	}
	check := api.Check{Name: "record", OK: true, Detail: "the decision log is written"}
	if err := s.writer.Check(); err != nil {
		check.OK, check.Detail = false, err.Error()
		if s.writer.Required() {
			readiness.Ready = false
		}
	}
	readiness.Checks = append(readiness.Checks, check)
	return readiness
}

func (s *sidecar) checkPolicy() api.Check {
	status := s.policy.engine.Status()
	if status.LastError != "" {
		return api.Check{Name: "policy", Detail: status.LastError + "; revision " + status.Revision + " stays in force"}
	}
	return api.Check{Name: "policy", OK: true, Detail: "revision " + status.Revision}
}
