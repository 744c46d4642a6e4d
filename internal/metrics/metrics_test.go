package metrics_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/metrics"
)

// scrape returns the values of series as they are served, by name and labels.
func scrape(t *testing.T, m *metrics.Metrics) map[string]float64 {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, answer.Code, answer.Body.String())
	found := map[string]float64{}
	for line := range strings.Lines(answer.Body.String()) {
		line = strings.TrimSpace(line)
		end := strings.LastIndexByte(line, ' ') // labels may hold blanks
		if end < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		number, err := strconv.ParseFloat(line[end+1:], 64)
		require.NoError(t, err, line)
		found[line[:end]] = number
	}
	return found
}

func reason(rule string) v1.Reason { return v1.Reason{Rule: rule, Message: "rm -rf /home/dev"} }

func TestDecisionsAreCountedByEffectAndRule(t *testing.T) {
	m := metrics.New("1.2.3")
	assert.InDelta(t, 0.0, scrape(t, m)[`policyd_decisions_total{decision="allow"}`], 0, "a rate begins at zero")
	m.Decided(&v1.Decision{Effect: v1.EffectAllow, Reasons: []v1.Reason{reason("safe_verbs/read"), reason("scope/project"), reason("safe_verbs/read")}})
	m.Decided(&v1.Decision{Effect: v1.EffectAllow, Reasons: []v1.Reason{reason("scope/project")}})
	m.Decided(&v1.Decision{Effect: v1.EffectDeny, Reasons: []v1.Reason{reason("secrets/read")}})
	got := scrape(t, m)
	for series, want := range map[string]float64{
		`policyd_decisions_total{decision="allow"}`:                               2,
		`policyd_decisions_total{decision="deny"}`:                                1,
		`policyd_decisions_total{decision="prompt"}`:                              0,
		`policyd_decision_reasons_total{decision="allow",rule="safe_verbs/read"}`: 1,
		`policyd_decision_reasons_total{decision="allow",rule="scope/project"}`:   2,
		`policyd_decision_reasons_total{decision="deny",rule="secrets/read"}`:     1,
	} {
		assert.InDelta(t, want, got[series], 0, series)
	}
	assert.InDelta(t, 1.0, got[`policyd_build_info{go_version="`+goVersion(got)+`",version="1.2.3"}`], 0)
	assert.Contains(t, got, "go_goroutines")
}

func goVersion(got map[string]float64) string {
	for series := range got {
		if rest, found := strings.CutPrefix(series, `policyd_build_info{go_version="`); found {
			version, _, _ := strings.Cut(rest, `"`)
			return version
		}
	}
	return ""
}

// TestLabelsAreBounded checks that rule ids with text of an agent use no memory, and are never shown if they
// aren't valid ids.
func TestLabelsAreBounded(t *testing.T) {
	m := metrics.New("")
	m.Decided(&v1.Decision{Reasons: []v1.Reason{reason("rm -rf /home"), reason(strings.Repeat("a", 101)), reason("")}})
	for i := range 5000 {
		m.Decided(&v1.Decision{Reasons: []v1.Reason{reason("site/" + strconv.Itoa(i))}})
	}
	m.Prompt(&v1.Prompt{State: "strange", Answer: &v1.PromptAnswer{Choice: "rm -rf /home"}})
	count, others := 0, 0.0
	for series, value := range scrape(t, m) {
		assert.NotContains(t, series, "rm -rf")
		assert.NotContains(t, series, strings.Repeat("a", 101))
		if strings.HasPrefix(series, "policyd_decision_reasons_total") {
			count++
		}
		if series == `policyd_decision_reasons_total{decision="deny",rule="other"}` {
			others = value
		}
	}
	assert.Equal(t, 500, count)
	assert.InDelta(t, 4504.0, others, 0, "none is lost")
	assert.InDelta(t, 1.0, scrape(t, m)[`policyd_prompts_ended_total{choice="other",state="other"}`], 0)
}

func TestRequestsRecordsAndPrompts(t *testing.T) {
	m := metrics.New("")
	m.Began()
	m.Began()
	m.Ended("/v1/decide", "POST", 200, false, 3*time.Millisecond)
	m.Recorded(&v1.Record{Metrics: v1.RecordMetrics{Extract: 20_000, Evaluate: 60_000, Gate: 90_000}},
		30*time.Millisecond, errors.New("disk full"))
	m.Prompt(&v1.Prompt{State: v1.PromptPending})
	m.Prompt(&v1.Prompt{State: v1.PromptAnswered, Answer: &v1.PromptAnswer{Choice: v1.ChoiceOnce}})
	m.Prompt(&v1.Prompt{State: v1.PromptExpired})
	got := scrape(t, m)
	for series, want := range map[string]float64{
		"policyd_http_requests_in_flight": 1,
		`policyd_http_request_duration_seconds_count{held="false",method="POST",route="/v1/decide",status="200"}`: 1,
		`policyd_http_request_duration_seconds_sum{held="false",method="POST",route="/v1/decide",status="200"}`:   0.003,
		`policyd_decision_step_duration_seconds_sum{step="extract"}`:                                              0.00002,
		`policyd_decision_step_duration_seconds_sum{step="judge"}`:                                                0.00006,
		`policyd_decision_step_duration_seconds_sum{step="gate"}`:                                                 0.00009,
		`policyd_decision_step_duration_seconds_sum{step="record"}`:                                               0.03,
		"policyd_record_failures_total":                                                                           1,
		"policyd_prompts_opened_total":                                                                            1,
		`policyd_prompts_ended_total{choice="once",state="answered"}`:                                             1,
		`policyd_prompts_ended_total{choice="",state="expired"}`:                                                  1,
	} {
		assert.InDelta(t, want, got[series], 1e-9, series)
	}
}

func TestSourcesAreReadAtEachScrape(t *testing.T) {
	m := metrics.New("")
	value := 1.0
	require.NoError(t, m.Add(func() []metrics.Reading {
		return []metrics.Reading{
			{Name: "policyd_store_up", Help: "x", Value: metrics.Truth(true)},
			{Name: "policyd_policy_failures_total", Help: "x", Counter: true, Labels: []string{"source", "built in"}, Value: value},
		}
	}))
	assert.InDelta(t, 1.0, scrape(t, m)["policyd_store_up"], 0)
	value = 7
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Contains(t, answer.Body.String(), `policyd_policy_failures_total{source="built in"} 7`)
	assert.Contains(t, answer.Body.String(), "# TYPE policyd_policy_failures_total counter")
}

// TestCountingAllocatesNothing checks the cost on the way of a decision.
func TestCountingAllocatesNothing(t *testing.T) {
	m := metrics.New("")
	decision := &v1.Decision{Effect: v1.EffectAllow, Reasons: []v1.Reason{reason("a/b"), reason("c/d"), reason("a/b")}}
	record := &v1.Record{Metrics: v1.RecordMetrics{Extract: 1}}
	count := func() {
		m.Decided(decision)
		m.Recorded(record, time.Microsecond, nil)
		m.Began()
		m.Ended("/v1/decide", "POST", 200, false, time.Millisecond)
	}
	count()
	assert.Zero(t, testing.AllocsPerRun(100, count))
}

func BenchmarkDecided(b *testing.B) {
	m := metrics.New("")
	decision := &v1.Decision{Effect: v1.EffectAllow, Reasons: []v1.Reason{reason("a/b"), reason("c/d"), reason("a/b")}}
	record := &v1.Record{Metrics: v1.RecordMetrics{Extract: 1}}
	b.ReportAllocs()
	for b.Loop() {
		m.Decided(decision)
		m.Recorded(record, time.Microsecond, nil)
	}
}
