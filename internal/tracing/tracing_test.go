package tracing_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/tracing"
	"policyd/test/otlp"
)

// start starts what these variables ask for; the exporters read them from the
// process's environment.
func start(t *testing.T, pairs ...string) *tracing.Tracing {
	t.Helper()
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		t.Setenv(pairs[i], pairs[i+1])
		values[pairs[i]] = pairs[i+1]
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "policyd_test"}))
	made, err := tracing.Start(t.Context(), tracing.Options{
		LookupEnv: func(name string) (string, bool) { value, set := values[name]; return value, set },
		Version:   "1.2.3", Gatherer: registry, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return made
}

func TestNothingIsSentUnlessAskedFor(t *testing.T) {
	for _, pairs := range [][]string{
		{},
		{"OTEL_SERVICE_NAME", "x"},
		{"OTEL_TRACES_EXPORTER", "none", "OTEL_METRICS_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"},
		{"OTEL_SDK_DISABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"},
	} {
		made := start(t, pairs...)
		assert.Nil(t, made, "%q", pairs)
		assert.False(t, made.Traces())
		assert.NoError(t, made.Close(t.Context()))
	}
}

func TestOneSignalDoesNotBringTheOther(t *testing.T) {
	receiver := otlp.New(t)
	made := start(t, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", receiver.URL+"/v1/metrics")
	assert.False(t, made.Traces())
	require.NoError(t, made.Close(t.Context()))
	assert.True(t, receiver.Metric("policyd_test"))
}

func TestAnUnknownExporterStopsTheStart(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "pigeon")
	_, err := tracing.Start(t.Context(), tracing.Options{
		LookupEnv: func(name string) (string, bool) { return "pigeon", name == "OTEL_TRACES_EXPORTER" }, Logger: slog.New(slog.DiscardHandler),
	})
	require.ErrorContains(t, err, "start traces by OTEL_*")
}

// deciding returns the given answer, in the steps of a gate.
type deciding struct {
	made     *tracing.Tracing
	decision v1.Decision
}

func (d deciding) Decide(ctx context.Context, _ *v1.Call, _ gate.DecideOptions) v1.Decision {
	_, done := d.made.Step(ctx, gate.StepExtract)
	done()
	return d.decision
}

// TestSpansHaveTheDecisionAndNotTheCall checks the shape of a trace, and that nothing of a client's
// leaves the process.
func TestSpansHaveTheDecisionAndNotTheCall(t *testing.T) {
	receiver := otlp.New(t)
	made := start(t, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", receiver.URL+"/v1/traces")
	require.True(t, made.Traces())
	decider := made.Decides(deciding{made: made, decision: v1.Decision{
		ID: "d-1", Effect: v1.EffectDeny, Policy: v1.PolicyInfo{Revision: "r-1"}, Reasons: []v1.Reason{
			{Rule: "secrets/read", Message: "planted-text"}, {Rule: "secrets/read"}, {Rule: "planted text"},
		},
	}})
	handler := made.Around(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		decider.Decide(request.Context(), &v1.Call{Tool: "planted-tool"}, gate.DecideOptions{})
		made.Answered(request.Context(), "POST", "/v1/prompts/:id")
	}))
	request := httptest.NewRequest(http.MethodPost, "/v1/prompts/planted-path?planted=query", strings.NewReader("planted-body"))
	request.Host = "planted-host"
	request.Header.Set("User-Agent", "planted-agent")
	request.Header.Set("X-Forwarded-For", "planted-address")
	request.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	request.Header.Set("tracestate", "planted=state")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	require.NoError(t, made.Close(t.Context()))

	assert.NotContains(t, string(receiver.Raw()), "planted")
	spans := map[string]otlp.Span{}
	for _, span := range receiver.Spans() {
		spans[span.Name] = span
		assert.Equal(t, "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36", span.Trace, "the caller's trace goes on")
	}
	require.Len(t, spans, 3)
	top, decide, extract := spans["POST /v1/prompts/:id"], spans["decide"], spans["extract"]
	assert.Equal(t, top.ID, decide.Parent)
	assert.Equal(t, decide.ID, extract.Parent)
	assert.Equal(t, "d-1", decide.Attributes["policyd.decision_id"])
	assert.Equal(t, "deny", decide.Attributes["policyd.decision"])
	assert.Equal(t, "r-1", decide.Attributes["policyd.revision"])
	assert.Contains(t, decide.Attributes["policyd.rules"], "secrets/read")
	assert.Equal(t, "/v1/prompts/:id", top.Attributes["http.route"])
	assert.Contains(t, top.Attributes, "http.response.status_code")
}
