package sidecar

import (
	"context"
	"time"

	v1 "policyd/api/v1"

	"policyd/internal/gate"
	"policyd/internal/metrics"
)

// measure reports decisions to metrics and traces.
func (s *Sidecar) measure(options *gate.Options) {
	if s.Metrics == nil {
		return
	}
	if decided := options.Decided; decided != nil {
		options.Decided = func(call *v1.Call, decision *v1.Decision) {
			s.Metrics.Decided(decision)
			decided(call, decision)
		}
	} else {
		options.Decided = func(_ *v1.Call, decision *v1.Decision) { s.Metrics.Decided(decision) }
	}
	if options.Recorder != nil {
		options.Recorder = measuredRecorder{inner: options.Recorder, metrics: s.Metrics}
	}
	if s.Tracing.Traces() {
		options.Step = s.Tracing.Step
	}
}

// measuredRecorder measures what another recorder does.
type measuredRecorder struct {
	inner   gate.Recorder
	metrics *metrics.Metrics
}

var _ gate.Recorder = measuredRecorder{}

// Write implements gate.Recorder.
func (r measuredRecorder) Write(ctx context.Context, record *v1.Record) error {
	start := time.Now()
	err := r.inner.Write(ctx, record)
	r.metrics.Recorded(record, time.Since(start), err)
	return err
}

// Amend implements gate.Recorder.
func (r measuredRecorder) Amend(ctx context.Context, before, record *v1.Record) {
	r.inner.Amend(ctx, before, record)
}

// sources adds the state of the sidecar's parts to the metrics. Each part has a
// function of its own, so that another is one more line.
func (s *Sidecar) sources() error {
	for _, source := range []metrics.Source{s.policyReadings, s.cacheReadings, s.recordReadings, s.memoryReadings, s.containmentReadings} {
		if err := s.Metrics.Add(source); err != nil {
			return err
		}
	}
	return nil
}

// policyReadings report the active policy. The revision is a label with one value at a time.
func (s *Sidecar) policyReadings() []metrics.Reading {
	status := s.Policy.engine.Status()
	refused := status.LastError != "" || len(s.Policy.bundleWarnings()) > 0
	if status.Revision == "" { // bundles of services are awaited
		return []metrics.Reading{{
			Name: "policyd_policy_refused", Help: "1 while the latest policy is refused and the one before it decides.", Value: metrics.Truth(refused),
		}}
	}
	return []metrics.Reading{
		{Name: "policyd_policy_info", Help: "The policy in force, always 1.", Labels: []string{"revision", status.Revision}, Value: 1},
		{Name: "policyd_policy_activated_timestamp_seconds", Help: "When the policy in force was activated.", Value: float64(status.ActivatedAt.UnixMilli()) / 1000},
		{Name: "policyd_policy_age_seconds", Help: "How long the policy in force is.", Value: time.Since(status.ActivatedAt).Seconds()},
		{Name: "policyd_policy_activation_failures_total", Help: "Policies that were refused.", Counter: true, Value: float64(status.Failures)},
		{Name: "policyd_policy_refused", Help: "1 while the latest policy is refused and the one before it decides.", Value: metrics.Truth(refused)},
	}
}

// cacheReadings state how often a judgement was remembered.
func (s *Sidecar) cacheReadings() []metrics.Reading {
	counts := s.Policy.engine.Repeats()
	const name, help = "policyd_decision_cache_total", "Judgements that were remembered (hit), and those that had to be evaluated (miss)."
	return []metrics.Reading{
		{Name: name, Help: help, Counter: true, Labels: []string{"result", "hit"}, Value: float64(counts.Hits)},
		{Name: name, Help: help, Counter: true, Labels: []string{"result", "miss"}, Value: float64(counts.Misses)},
		{Name: "policyd_decision_cache_entries", Help: "Judgements of the policy in force that are remembered.", Value: float64(counts.Entries)},
		{Name: "policyd_approval_ineffective_total", Help: "Choices that were not offered since they would not have allowed the call; each is a bug.", Counter: true, Value: float64(s.Gate.Ineffective())},
		{Name: "policyd_watched_directories", Help: "Directories that the kernel vouches for, so that they need not be asked about.", Value: float64(s.Policy.base.Watched())},
	}
}

func (s *Sidecar) recordReadings() []metrics.Reading {
	if s.writer == nil {
		return nil
	}
	return []metrics.Reading{
		{Name: "policyd_record_up", Help: "1 while the decision log can be written.", Value: metrics.Truth(s.writer.Check() == nil)},
		{Name: "policyd_record_required", Help: "1 where a decision without a record is a deny.", Value: metrics.Truth(s.writer.Required())},
	}
}

func (s *Sidecar) memoryReadings() []metrics.Reading {
	if s.Memory == nil {
		return nil
	}
	kept, _ := s.checkStore()
	return []metrics.Reading{
		{Name: "policyd_store_up", Help: "1 while sessions, approvals and prompts can be read and kept.", Value: metrics.Truth(kept.OK)},
		{Name: "policyd_prompts_open", Help: "Prompts that wait for an answer.", Value: float64(s.Memory.Prompts.Pending())},
		{Name: "policyd_sessions_refused_total", Help: "Sessions that were refused because their caller had too many.", Counter: true, Value: float64(s.Memory.Sessions.Refused())},
		{Name: "policyd_sessions", Help: "Active sessions that this sidecar has in memory.", Value: float64(s.Memory.Sessions.Active())},
	}
}

// containmentReadings report which profiles work, and the outcomes of calls that were allowed to run
// contained.
func (s *Sidecar) containmentReadings() []metrics.Reading {
	if s.containment == nil || s.runs == nil {
		return nil
	}
	works := s.containment.profiles()
	var out []metrics.Reading
	for _, profile := range []string{v1.ProfileProject, v1.ProfileReadOnly} {
		out = append(out, metrics.Reading{
			Name: "policyd_contain_profile_up", Help: "1 where runs can be contained in the profile; 0 also before it is probed, and if containment is turned off.",
			Labels: []string{"profile", profile}, Value: metrics.Truth(works.Has(profile)),
		})
	}
	counts := s.runs.Counts()
	for _, of := range []struct {
		result string
		count  uint64
	}{{"obliged", counts.Obliged}, {"run", counts.Run}, {"refused", counts.Refused}} {
		out = append(out, metrics.Reading{
			Name: "policyd_contained_runs_total", Help: "Calls that were obliged to be run contained, that were run so, and whose run was refused something and failed.",
			Counter: true, Labels: []string{"result", of.result}, Value: float64(of.count),
		})
	}
	return out
}
