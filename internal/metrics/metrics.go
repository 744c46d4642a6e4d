// Package metrics counts decisions, requests and records, for Prometheus.
//
// No value from an agent becomes a label without a bound. Routes, methods, effects, states and choices are
// among known ones. The ids of rules, which operators' bundles add to, are bounded by a number. It doesn't
// trust a text to be short or printable.
package metrics

import (
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	v1 "policyd/api/v1"
)

// Metrics counts. It may be used concurrently, and is quick: counting allocates nothing once a series exists.
type Metrics struct {
	registry *prometheus.Registry

	inFlight  prometheus.Gauge
	requests  family[requestKey]
	decisions family[v1.Effect]
	reasons   family[reasonKey]
	steps     steps
	failures  prometheus.Counter
	opened    prometheus.Counter
	ended     family[endKey]
}

// Buckets in seconds: of requests, which may be held for people, and of the
// steps of a decision.
func requestBuckets() []float64 {
	return []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60, 600}
}

func stepBuckets() []float64 {
	return []float64{.00001, .000025, .00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .1, .5, 1}
}

// New returns metrics with a registry of their own.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "policyd_http_requests_in_flight", Help: "Requests under way, those that are held included.",
	})
	m.failures = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "policyd_record_failures_total", Help: "Decisions whose record was not written whole.",
	})
	m.opened = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "policyd_prompts_opened_total", Help: "Prompts that this sidecar saw opened.",
	})
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "policyd_build_info", Help: "The program that runs, always 1.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	info.Set(1)
	m.registry.MustRegister(
		m.inFlight, m.failures, m.opened, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.makeFamilies()
	return m
}

func (m *Metrics) makeFamilies() {
	requests := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "policyd_http_request_duration_seconds", Buckets: requestBuckets(),
		Help: "Time to answer a request; held is true for those that waited for a person.",
	}, []string{"route", "method", "status", "held"})
	m.requests.create = func(key requestKey) observer {
		return requests.WithLabelValues(key.route, key.method, strconv.Itoa(key.status), strconv.FormatBool(key.held))
	}
	decisions := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "policyd_decisions_total", Help: "Decisions by effect.",
	}, []string{"decision"})
	m.decisions.create = func(effect v1.Effect) observer { return counting{decisions.WithLabelValues(effect.String())} }
	reasons := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "policyd_decision_reasons_total", Help: "Decisions by effect and each rule that gave a reason.",
	}, []string{"decision", "rule"})
	m.reasons.create = func(key reasonKey) observer { return counting{reasons.WithLabelValues(key.effect.String(), key.rule)} }
	ended := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "policyd_prompts_ended_total", Help: "Prompts that this sidecar saw end, by state, and by choice where a person answered.",
	}, []string{"state", "choice"})
	m.ended.create = func(key endKey) observer { return counting{ended.WithLabelValues(key.state, key.choice)} }
	taken := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "policyd_decision_step_duration_seconds", Buckets: stepBuckets(),
		Help: "Time of the steps of a decision: extract, judge, record, and all but the record (gate).",
	}, []string{"step"})
	m.steps = newSteps(taken)
	m.registry.MustRegister(requests, decisions, reasons, ended, taken)
	for _, effect := range []v1.Effect{v1.EffectDeny, v1.EffectPrompt, v1.EffectAllow} {
		m.decisions.of(effect) // a rate needs a zero to begin with
	}
}

// Handler serves the metrics in the forms of Prometheus. A source that fails
// leaves the others readable.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: mostScrapes, Timeout: scrapePatience,
	})
}

const (
	mostScrapes    = 4
	scrapePatience = 10 * time.Second
)

// Gatherer gathers what Handler serves.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Began counts a request that began.
func (m *Metrics) Began() { m.inFlight.Inc() }

// Ended counts a request that was answered. Route and method must be of a bounded set.
func (m *Metrics) Ended(route, method string, status int, held bool, duration time.Duration) {
	m.inFlight.Dec()
	m.requests.of(requestKey{route: route, method: method, status: status, held: held}).Observe(duration.Seconds())
}

type requestKey struct {
	route, method string
	status        int
	held          bool
}

// observer is what a series takes.
type observer interface{ Observe(value float64) }

// counting counts what it observes.
type counting struct{ prometheus.Counter }

func (c counting) Observe(value float64) { c.Add(value) }

// family finds the series of a key without allocating its text each time.
type family[K comparable] struct {
	create func(K) observer

	mu     sync.RWMutex
	series map[K]observer
}

func (f *family[K]) of(key K) observer {
	f.mu.RLock()
	found, known := f.series[key]
	f.mu.RUnlock()
	if known {
		return found
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.series == nil {
		f.series = map[K]observer{}
	}
	if found, known = f.series[key]; !known {
		found = f.create(key)
		f.series[key] = found
	}
	return found
}

// Add adds a source. It returns an error if another source has metrics of the same name.
func (m *Metrics) Add(source Source) error {
	if err := m.registry.Register(source); err != nil {
		return fmt.Errorf("add source of metrics: %w", err)
	}
	return nil
}
