package main

import (
	"context"

	"policyd/internal/metrics"
	"policyd/internal/server"
	"policyd/internal/tracing"
)

// observer reports requests to metrics and traces.
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

// readings report faults of credentials, and the expiry of the certificate.
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
