// Package otlp receives what OpenTelemetry's exporters send over HTTP, for tests.
package otlp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is what a test wants to know of a span.
type Span struct {
	Name, Trace, ID, Parent, State string
	// Attributes are as text.
	Attributes map[string]string
	Events     int
}

// Receiver keeps what it received. It may be used concurrently.
type Receiver struct {
	// URL is what OTEL_EXPORTER_OTLP_ENDPOINT is set to.
	URL string

	mu      sync.Mutex
	spans   []Span
	metrics map[string]bool
	raw     []byte
}

// New listens on the loopback address until the test ends.
func New(t *testing.T) *Receiver {
	t.Helper()
	r := &Receiver{metrics: map[string]bool{}}
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		assert.NoError(t, err)
		r.take(t, request.URL.Path, body)
		writer.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

func (r *Receiver) take(t *testing.T, path string, body []byte) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw = append(r.raw, body...)
	switch path {
	case "/v1/traces":
		var sent collecttraces.ExportTraceServiceRequest
		assert.NoError(t, proto.Unmarshal(body, &sent))
		r.takeSpans(&sent)
	case "/v1/metrics":
		var sent collectmetrics.ExportMetricsServiceRequest
		assert.NoError(t, proto.Unmarshal(body, &sent))
		for _, resource := range sent.GetResourceMetrics() {
			for _, scope := range resource.GetScopeMetrics() {
				for _, metric := range scope.GetMetrics() {
					r.metrics[metric.GetName()] = true
				}
			}
		}
	}
}

func (r *Receiver) takeSpans(sent *collecttraces.ExportTraceServiceRequest) {
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				made := Span{
					Name: span.GetName(), Trace: string(span.GetTraceId()), ID: string(span.GetSpanId()), Parent: string(span.GetParentSpanId()),
					State: span.GetTraceState(), Attributes: map[string]string{}, Events: len(span.GetEvents()),
				}
				for _, pair := range span.GetAttributes() {
					text := pair.GetValue().GetStringValue()
					if text == "" {
						text = pair.GetValue().String()
					}
					made.Attributes[pair.GetKey()] = text
				}
				r.spans = append(r.spans, made)
			}
		}
	}
}

// Spans are those received so far.
func (r *Receiver) Spans() []Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Span{}, r.spans...)
}

// Metric reports whether a metric was received.
func (r *Receiver) Metric(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.metrics[name]
}

// Raw is all that was received, as it came.
func (r *Receiver) Raw() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]byte{}, r.raw...)
}
