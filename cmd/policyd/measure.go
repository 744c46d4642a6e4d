package main

import (
	"context"
	"strings"
	"time"

	v1 "policyd/api/v1"

	"policyd/internal/gate"
	"policyd/internal/metrics"
	"policyd/internal/server"
	"policyd/internal/tracing"
)

// measure lets metrics and traces hear of decisions.
func (s *sidecar) measure(options *gate.Options) {
	if s.metrics == nil {
		return
	}
	if decided := options.Decided; decided != nil {
		options.Decided = func(call *v1.Call, decision *v1.Decision) {
			s.metrics.Decided(decision)
			decided(call, decision)
		}
	} else {
		options.Decided = func(_ *v1.Call, decision *v1.Decision) { s.metrics.Decided(decision) }
	}
	if options.Recorder != nil {
		options.Recorder = measuredRecorder{inner: options.Recorder, metrics: s.metrics}
	}
	if s.tracing.Traces() {
		options.Step = s.tracing.Step
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

// observer tells metrics and traces of requests.
type observer struct {
	metrics *metrics.Metrics
	tracing *tracing.Tracing
}

var _ server.Observer = observer{}

// Began implements server.Observer.
func (o observer) Began() { o.metrics.Began() }

// Ended implements server.Observer.
func (o observer) Ended(ctx context.Context, seen server.Observation) {
	o.metrics.Ended(seen.Route, seen.Method, seen.Status, seen.Held, seen.Duration)
	if o.tracing.Traces() {
		o.tracing.Answered(ctx, seen.Method, seen.Route)
	}
}

// sources adds the state of the sidecar's parts to the metrics. Each part has a
// function of its own, so that another is one more line.
func (s *sidecar) sources() error {
	for _, source := range []metrics.Source{s.policyReadings, s.cacheReadings, s.recordReadings, s.memoryReadings} {
		if err := s.metrics.Add(source); err != nil {
			return err
		}
	}
	return nil
}

// policyReadings say which policy is in force. The revision is a label, of which
// there is one at a time.
func (s *sidecar) policyReadings() []metrics.Reading {
	status := s.policy.engine.Status()
	refused := status.LastError != "" || len(s.policy.bundleWarnings()) > 0
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

// cacheReadings say how often a judgement was remembered.
func (s *sidecar) cacheReadings() []metrics.Reading {
	counts := s.policy.engine.Repeats()
	const name, help = "policyd_decision_cache_total", "Judgements that were remembered (hit), and those that had to be evaluated (miss)."
	return []metrics.Reading{
		{Name: name, Help: help, Counter: true, Labels: []string{"result", "hit"}, Value: float64(counts.Hits)},
		{Name: name, Help: help, Counter: true, Labels: []string{"result", "miss"}, Value: float64(counts.Misses)},
		{Name: "policyd_decision_cache_entries", Help: "Judgements of the policy in force that are remembered.", Value: float64(counts.Entries)},
		{Name: "policyd_approval_ineffective_total", Help: "Choices that were not offered since they would not have allowed the call; each is a bug.", Counter: true, Value: float64(s.gate.Ineffective())},
		{Name: "policyd_watched_directories", Help: "Directories that the kernel vouches for, so that they need not be asked about.", Value: float64(s.policy.base.Watched())},
	}
}

func (s *sidecar) recordReadings() []metrics.Reading {
	if s.writer == nil {
		return nil
	}
	return []metrics.Reading{
		{Name: "policyd_record_up", Help: "1 while the decision log can be written.", Value: metrics.Truth(s.writer.Check() == nil)},
		{Name: "policyd_record_required", Help: "1 where a decision without a record is a deny.", Value: metrics.Truth(s.writer.Required())},
	}
}

func (s *sidecar) memoryReadings() []metrics.Reading {
	if s.memory == nil {
		return nil
	}
	kept, _ := s.checkStore()
	return []metrics.Reading{
		{Name: "policyd_store_up", Help: "1 while sessions, approvals and prompts can be read and kept.", Value: metrics.Truth(kept.OK)},
		{Name: "policyd_prompts_open", Help: "Prompts that wait for an answer.", Value: float64(s.memory.prompts.Pending())},
		{Name: "policyd_sessions_refused_total", Help: "Sessions that were refused because their caller had too many.", Counter: true, Value: float64(s.memory.sessions.Refused())},
		{Name: "policyd_sessions", Help: "Active sessions that this sidecar has in memory.", Value: float64(s.memory.sessions.Active())},
	}
}

// readings say what is wrong with who is let in, and until when TLS holds.
func (o *operations) readings() []metrics.Reading {
	list := []metrics.Reading{{Name: "policyd_tokens_up", Help: "1 while every token file is in force.", Value: metrics.Truth(o.tokens.Fault() == nil)}}
	if o.certificates == nil {
		return list
	}
	return append(list,
		metrics.Reading{Name: "policyd_tls_up", Help: "1 while the certificate files are in force.", Value: metrics.Truth(o.certificates.Fault() == nil)},
		metrics.Reading{
			Name: "policyd_tls_certificate_expiry_timestamp_seconds", Help: "When the certificate in force ends.",
			Value: float64(o.certificates.Until().Unix()),
		})
}

// oneLine is an error on one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
