package metrics

import "github.com/prometheus/client_golang/prometheus"

// Reading is one value of a source at the time of a scrape.
type Reading struct {
	Name, Help string
	// Counter is true for what only grows.
	Counter bool
	// Labels are pairs of a name and a value. No value is an agent's to choose.
	Labels []string
	Value  float64
}

// Source is read at each scrape: the state of a part of policyd. It is called concurrently. Names must differ
// between sources, and every reading of a name has the same labels.
type Source func() []Reading

var _ prometheus.Collector = Source(nil)

// Describe implements prometheus.Collector: the metrics of a source are known when it is read.
func (s Source) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (s Source) Collect(out chan<- prometheus.Metric) {
	for _, reading := range s() {
		var names, values []string
		for i := 0; i+1 < len(reading.Labels); i += 2 {
			names, values = append(names, reading.Labels[i]), append(values, reading.Labels[i+1])
		}
		kind := prometheus.GaugeValue
		if reading.Counter {
			kind = prometheus.CounterValue
		}
		described := prometheus.NewDesc(reading.Name, reading.Help, names, nil)
		metric, err := prometheus.NewConstMetric(described, kind, reading.Value, values...)
		if err != nil {
			metric = prometheus.NewInvalidMetric(described, err)
		}
		out <- metric
	}
}

// Truth is 1 for true, and 0.
func Truth(value bool) float64 {
	if value {
		return 1
	}
	return 0
}
