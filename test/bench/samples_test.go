package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRatiosAreTakenWithinRounds(t *testing.T) {
	taken := newSamples()
	for _, slowed := range []float64{1, 1, 7, 20, 1} { // what a busy machine does to a round
		taken.add("ours", 30*slowed)
		taken.add("theirs", 10*slowed)
	}
	assert.InDelta(t, 3, taken.ratio("ours", "theirs"), 1e-9)
	assert.InDelta(t, 30, taken.median("ours"), 1e-9)
	assert.Zero(t, taken.ratio("ours", "nobody's"))
	assert.Zero(t, taken.median("nobody's"))
}

func TestSlopesAreOneForAStraightLine(t *testing.T) {
	names := [3]string{"1", "20", "64"}
	for want, late := range map[float64]float64{1: 5, 2: 10} {
		taken := newSamples()
		taken.add("1", 100)
		taken.add("20", 100+19*5)
		taken.add("64", 100+19*5+44*late)
		assert.InDelta(t, want, taken.slopes([3]float64{1, 20, 64}, names), 1e-9)
	}
}

func TestMedianOfAnEvenNumberIsBetween(t *testing.T) {
	assert.InDelta(t, 2.5, median([]float64{4, 1, 2, 3}), 1e-9)
}

func TestBarsAreJudgedFromTheirSide(t *testing.T) {
	value := func(v float64) func(*samples) float64 { return func(*samples) float64 { return v } }
	for _, c := range []struct {
		name string
		bar  bar
		want string
	}{
		{"at an upper limit", bar{limit: 5, value: value(5)}, "met"},
		{"above it", bar{limit: 5, value: value(5.01)}, "missed"},
		{"at a lower limit", bar{limit: 5, atLeast: true, value: value(5)}, "met"},
		{"below it", bar{limit: 5, atLeast: true, value: value(4.99)}, "missed"},
		{"at the stretch", bar{limit: 5, stretch: 4, value: value(4)}, "met, and the stretch"},
		{"between both", bar{limit: 5, stretch: 4, value: value(4.5)}, "met"},
		{"not measured", bar{limit: 5, value: value(0)}, "not measured"},
	} {
		assert.Equal(t, c.want, c.bar.judge(newSamples()).Verdict, c.name)
	}
}

// TestTheCommittedRunHoldsEveryBar fails where a bar asks for a figure by a name that
// nothing measures, and where the committed run is older than a bar.
func TestTheCommittedRunHoldsEveryBar(t *testing.T) {
	committed, err := readFigures("../../" + figuresFile)
	require.NoError(t, err)
	require.GreaterOrEqual(t, committed.Machine.Rounds, 5, "a committed run has at least five rounds")
	taken := newSamples()
	for name, f := range committed.Figures {
		taken.add(name, f.Median)
	}
	held := map[string]bool{}
	for _, v := range committed.Bars {
		held[v.What] = true
	}
	for _, v := range verdicts(taken) {
		assert.NotEqual(t, "not measured", v.Verdict, v.What)
		assert.Truef(t, held[v.What], "the committed run doesn't judge %q: run make bench", v.What)
	}
}
