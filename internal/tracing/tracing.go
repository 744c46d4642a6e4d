// Package tracing sends traces and metrics to OpenTelemetry if the standard OTEL_* variables enable it, and
// does nothing otherwise.
//
// A span contains that a request was decided, the effect, the rules and the time. It never contains the call:
// only attributes that are listed here leave the process, whatever a library adds.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	nometrics "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/metrics"
)

// Options configure what is sent, and where faults are reported.
type Options struct {
	LookupEnv func(string) (string, bool)
	Version   string
	// Gatherer provides the metrics.
	Gatherer prometheus.Gatherer
	Logger   *slog.Logger
}

// Tracing sends spans and metrics. A nil *Tracing does nothing.
type Tracing struct {
	spans  *sdktrace.TracerProvider // nil for none
	tracer trace.Tracer
	meters *sdkmetric.MeterProvider // nil for none
}

// Start starts the exporters that the environment enables, and returns nil if it enables none. The exporters
// read the rest of the variables themselves.
func Start(ctx context.Context, options Options) (*Tracing, error) {
	traces := enabled(options.LookupEnv, "TRACES")
	measures := enabled(options.LookupEnv, "METRICS")
	if !traces && !measures {
		return nil, nil //nolint:nilnil // nothing is enabled
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		options.Logger.Warn("telemetry was not sent", "error", err)
	}))
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "policyd"), attribute.String("service.version", options.Version),
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Tracing{}
	if traces {
		exporter, err := autoexport.NewSpanExporter(ctx)
		if err != nil {
			return nil, fmt.Errorf("start traces by OTEL_*: %w", err)
		}
		t.spans = sdktrace.NewTracerProvider(sdktrace.WithBatcher(sealed{exporter}), sdktrace.WithResource(about))
		t.tracer = t.spans.Tracer("policyd")
	}
	if measures {
		autoexport.WithFallbackMetricProducer(func(context.Context) (sdkmetric.Producer, error) {
			return bridge.NewMetricProducer(bridge.WithGatherer(options.Gatherer)), nil
		})
		reader, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start metrics by OTEL_*: %w", err), t.Close(ctx))
		}
		t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(about))
	}
	return t, nil
}

// enabled reports whether the environment enables a signal: it has an exporter for it, or an endpoint.
func enabled(env func(string) (string, bool), signal string) bool {
	if disabled, _ := env("OTEL_SDK_DISABLED"); disabled == "true" {
		return false
	}
	if exporter, _ := env("OTEL_" + signal + "_EXPORTER"); exporter != "" {
		return exporter != "none"
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT"} {
		if endpoint, _ := env(name); endpoint != "" {
			return true
		}
	}
	return false
}

// Traces reports whether spans are made.
func (t *Tracing) Traces() bool { return t != nil && t.spans != nil }

// Close sends the rest, within the time of ctx.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	var failures []error
	if t.spans != nil {
		failures = append(failures, t.spans.Shutdown(ctx))
	}
	if t.meters != nil {
		failures = append(failures, t.meters.Shutdown(ctx))
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("end telemetry: %w", err)
	}
	return nil
}

// Around makes a span of each request, below that of the caller's traceparent.
func (t *Tracing) Around(next http.Handler) http.Handler {
	return otelhttp.NewHandler(next, "request",
		otelhttp.WithTracerProvider(t.spans), otelhttp.WithMeterProvider(nometrics.NewMeterProvider()),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithSpanNameFormatter(func(operation string, _ *http.Request) string { return operation }))
}

// Answered names the span of a request by its route.
func (t *Tracing) Answered(ctx context.Context, method, route string) {
	span := trace.SpanFromContext(ctx)
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String(keyRoute, route))
}

// Step makes a span of a step, for gate.Options.
func (t *Tracing) Step(ctx context.Context, name string) (context.Context, func()) {
	stepping, span := t.tracer.Start(ctx, name)
	return stepping, func() { span.End() }
}

// Decider decides calls.
type Decider interface {
	Decide(ctx context.Context, call *v1.Call, options gate.DecideOptions) v1.Decision
}

// Decides makes a span of each decision of another decider.
func (t *Tracing) Decides(inner Decider) Decider { return decider{inner: inner, tracer: t.tracer} }

type decider struct {
	inner  Decider
	tracer trace.Tracer
}

// Decide implements Decider.
func (d decider) Decide(ctx context.Context, call *v1.Call, options gate.DecideOptions) v1.Decision {
	ctx, span := d.tracer.Start(ctx, "decide")
	defer span.End()
	decision := d.inner.Decide(ctx, call, options)
	span.SetAttributes(
		attribute.String(keyDecision, decision.ID), attribute.String(keyEffect, decision.Effect.String()),
		attribute.StringSlice(keyRules, rules(&decision)), attribute.String(keyRevision, decision.Policy.Revision),
	)
	return decision
}

// mostRules is how many rules a span names.
const mostRules = 16

// rules are the rules that gave a reason, once each.
func rules(decision *v1.Decision) []string {
	seen, list := map[string]bool{}, []string{}
	for i := range decision.Reasons {
		rule := decision.Reasons[i].Rule
		if len(list) == mostRules {
			break
		}
		if !seen[rule] && metrics.RuleID(rule) {
			seen[rule] = true
			list = append(list, rule)
		}
	}
	return list
}
