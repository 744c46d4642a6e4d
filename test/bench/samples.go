package main

import (
	"maps"
	"slices"
	"time"
)

// samples hold what was measured, by name: one value for each round, or several for
// what a round measures several times. A name is a path, and its last part is the unit.
type samples struct {
	values map[string][]float64
	suites []suite
	took   time.Duration
}

func newSamples() *samples { return &samples{values: map[string][]float64{}} }

func (s *samples) add(name string, value float64) { s.values[name] = append(s.values[name], value) }

func (s *samples) names() []string { return slices.Sorted(maps.Keys(s.values)) }

// median is 0 for what was not measured.
func (s *samples) median(name string) float64 { return median(s.values[name]) }

// ratio is the median of the rounds' ratios, which what slows a whole round down doesn't change. It is 0 if
// either was not measured.
func (s *samples) ratio(name, against string) float64 {
	above, below := s.values[name], s.values[against]
	var ratios []float64
	for i := range min(len(above), len(below)) {
		if below[i] > 0 {
			ratios = append(ratios, above[i]/below[i])
		}
	}
	return median(ratios)
}

// slopes is how much steeper the cost rises from the middle to the end than from the
// beginning to the middle: 1 is a straight line. Places are sizes, names their figures.
func (s *samples) slopes(places [3]float64, names [3]string) float64 {
	var ratios []float64
	first, middle, last := s.values[names[0]], s.values[names[1]], s.values[names[2]]
	for i := range min(len(first), len(middle), len(last)) {
		early := (middle[i] - first[i]) / (places[1] - places[0])
		late := (last[i] - middle[i]) / (places[2] - places[1])
		if early > 0 {
			ratios = append(ratios, late/early)
		}
	}
	return median(ratios)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
