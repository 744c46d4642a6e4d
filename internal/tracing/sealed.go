package tracing

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Attributes that are policyd's own, and the route of a request.
const (
	keyDecision = "policyd.decision_id"
	keyEffect   = "policyd.decision"
	keyRules    = "policyd.rules"
	keyRevision = "policyd.revision"
	keyRoute    = "http.route"
)

// sent are the attributes that leave the process. Libraries also add addresses, paths and text of clients'
// headers.
var sent = []attribute.Key{
	keyDecision, keyEffect, keyRules, keyRevision, keyRoute,
	"http.request.method", "http.response.status_code", "network.protocol.version", "url.scheme",
	"http.request.body.size", "http.response.body.size",
}

// sealed exports nothing of a span but what is listed.
type sealed struct{ sdktrace.SpanExporter }

// ExportSpans implements sdktrace.SpanExporter.
func (s sealed) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	clean := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		clean[i] = sealedSpan{span}
	}
	return s.SpanExporter.ExportSpans(ctx, clean)
}

// sealedSpan is a span without what could be a client's text.
type sealedSpan struct{ sdktrace.ReadOnlySpan }

// Attributes implements sdktrace.ReadOnlySpan.
func (s sealedSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(pair attribute.KeyValue) bool {
		return !slices.Contains(sent, pair.Key)
	})
}

// Events implements sdktrace.ReadOnlySpan: there are none.
func (s sealedSpan) Events() []sdktrace.Event { return nil }

// Links implements sdktrace.ReadOnlySpan: there are none.
func (s sealedSpan) Links() []sdktrace.Link { return nil }

// Status implements sdktrace.ReadOnlySpan: the code alone.
func (s sealedSpan) Status() sdktrace.Status {
	return sdktrace.Status{Code: s.ReadOnlySpan.Status().Code}
}

// SpanContext implements sdktrace.ReadOnlySpan: without the state that a client sent.
func (s sealedSpan) SpanContext() trace.SpanContext {
	return s.ReadOnlySpan.SpanContext().WithTraceState(trace.TraceState{})
}

// Parent implements sdktrace.ReadOnlySpan, as SpanContext does.
func (s sealedSpan) Parent() trace.SpanContext {
	return s.ReadOnlySpan.Parent().WithTraceState(trace.TraceState{})
}
