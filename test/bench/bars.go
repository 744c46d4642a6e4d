package main

import (
	"fmt"
	"io"
)

// bar is what a figure has to reach.
type bar struct {
	what string
	// limit is an upper one unless atLeast is set. stretch is a further one, 0 for none.
	limit, stretch float64
	atLeast        bool
	unit           string
	value          func(taken *samples) float64
	// floor is what the least program measures that keeps what policyd promises, where one
	// is measured beside it.
	floor func(taken *samples) float64
}

// verdict is a bar, and what was measured. Without a figure it was not measured.
type verdict struct {
	What    string  `json:"what"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
	Stretch float64 `json:"stretch,omitempty"`
	Bound   string  `json:"bound"`
	Unit    string  `json:"unit"`
	Verdict string  `json:"verdict"`
	Floor   float64 `json:"floor,omitempty"`
}

func (b bar) judge(taken *samples) verdict {
	v := verdict{What: b.what, Value: b.value(taken), Limit: b.limit, Stretch: b.stretch, Bound: "≤", Unit: b.unit, Verdict: "missed"}
	if b.atLeast {
		v.Bound = "≥"
	}
	if b.floor != nil {
		v.Floor = b.floor(taken)
	}
	reaches := func(limit float64) bool { return b.atLeast && v.Value >= limit || !b.atLeast && v.Value <= limit }
	switch {
	case v.Value == 0:
		v.Verdict = "not measured"
	case b.stretch > 0 && reaches(b.stretch):
		v.Verdict = "met, and the stretch"
	case reaches(b.limit):
		v.Verdict = "met"
	}
	return v
}

// of is the median of one figure.
func of(name string) func(*samples) float64 {
	return func(taken *samples) float64 { return taken.median(name) }
}

// against is the median ratio of two figures.
func against(name, other string) func(*samples) float64 {
	return func(taken *samples) float64 { return taken.ratio(name, other) }
}

func bars() []bar {
	list := append(ratioBars(), growthBars()...)
	return append(list, absoluteBars()...)
}

func ratioBars() []bar {
	p50 := func(name string) string { return httpFigure(name, 1) + "/p50_us" }
	rate := func(name string) string { return httpFigure(name, 8) + "/per_second" }
	return []bar{
		{what: "p50 of a first call over HTTP against bare Echo, 1 connection", limit: 5, unit: "×", value: against(p50(nameFirst), p50(nameBare)), floor: against(p50(nameFloorFirst), p50(nameBare))},
		{what: "p50 of a repeat over HTTP against bare Echo, 1 connection", limit: 1.8, unit: "×", value: against(p50(nameRepeat), p50(nameBare)), floor: against(p50(nameFloorRepeat), p50(nameBare))},
		{
			what: "throughput of first calls against opa with its log on, 8 connections", limit: 3, atLeast: true, unit: "×",
			value: against(rate(nameFirst), rate(nameOPALog)), floor: against(rate(nameFloorFirst), rate(nameOPALog)),
		},
		{
			what: "throughput of repeats against opa with its log on, 8 connections", limit: 8, atLeast: true, unit: "×",
			value: against(rate(nameRepeat), rate(nameOPALog)), floor: against(rate(nameFloorRepeat), rate(nameOPALog)),
		},
		{
			what: "judgement by 1,000 operator's rules with an index key against none", limit: 1.1, unit: "×",
			value: against("growth/rules/1000/us", "growth/rules/0/us"),
		},
		{what: "p99 with a reload each second against quiet", limit: 2, unit: "×", value: against("reload/reloading/p99_us", "reload/quiet/p99_us")},
		{what: "hook program against the least program of one request", limit: 2, unit: "×", value: against("hook/hook/ms", "hook/least/ms")},
		{
			what: "resident memory after so many more decisions against before", limit: 1.05, unit: "×",
			value: against("memory/after/rss_mib", "memory/warm/rss_mib"),
		},
		{
			what: "live heap after so many more decisions against before", limit: 1.05, unit: "×",
			value: against("memory/after/live_mib", "memory/warm/live_mib"),
		},
	}
}

func growthBars() []bar {
	var list []bar
	for _, c := range curves() {
		what := fmt.Sprintf("growth over %d to %d %s", c.from(), c.last(), c.about)
		if c.perUnit {
			what += ", of one more"
		}
		list = append(list, bar{what: what, limit: 1.3, unit: "×", value: c.factor})
	}
	return list
}

func absoluteBars() []bar {
	return []bar{
		{what: "three commands, first call: allocations", limit: 550, stretch: 450, value: of("decide/three_commands/first/allocations")},
		{what: "three commands, first call: time", limit: 100, stretch: 75, unit: "µs", value: of("decide/three_commands/first/us"), floor: dutiesAlone(nameFloorFirst)},
		{what: "three commands, the fixed line uncached: allocations", limit: 550, stretch: 450, value: of("decide/three_commands/uncached/allocations")},
		{what: "three commands, repeat: allocations", limit: 90, value: of("decide/three_commands/repeat/allocations")},
		{what: "three commands, repeat: time", limit: 20, unit: "µs", value: of("decide/three_commands/repeat/us"), floor: dutiesAlone(nameFloorRepeat)},
		{what: "20 commands: time of evaluation", limit: 150, unit: "µs", value: of("engine/twenty_commands/eval/us")},
		{what: "the slowest line of 16 KiB that is made to cost", limit: 5000, unit: "µs", value: func(taken *samples) float64 {
			_, us := slowestHostile(taken)
			return us
		}, floor: func(taken *samples) float64 {
			name, _ := slowestHostile(taken)
			return taken.median(parsedPrefix + name + "/us")
		}},
		{what: "start to ready, existing state", limit: 60, unit: "ms", value: of("startup/existing/ms")},
		{what: "start to ready, empty state", limit: 60, unit: "ms", value: of("startup/empty/ms")},
		{what: "resident memory, idle", limit: 45, unit: "MiB", value: of("memory/idle/rss_mib")},
	}
}

// dutiesAlone is the processor's time that duties took of a bare handler, over eight
// connections, where both are warm.
func dutiesAlone(name string) func(*samples) float64 {
	return func(taken *samples) float64 {
		const figure = "/server_cpu_us"
		with, without := taken.median(httpFigure(name, 8)+figure), taken.median(httpFigure(nameBare, 8)+figure)
		return max(0, with-without)
	}
}

func verdicts(taken *samples) []verdict {
	list := make([]verdict, 0, 32)
	for _, b := range bars() {
		list = append(list, b.judge(taken))
	}
	return list
}

// reportBars writes the table of bars.
func reportBars(out io.Writer, taken *samples) {
	fmt.Fprint(out, "\n## Bars\n\n| figure | measured | bar | | floor |\n|---|---|---|---|---|\n")
	for _, v := range verdicts(taken) {
		limit := fmt.Sprintf("%s %s", v.Bound, withUnit(v.Limit, v.Unit))
		if v.Stretch > 0 {
			limit += ", stretch " + withUnit(v.Stretch, v.Unit)
		}
		measured := "–"
		if v.Value > 0 {
			measured = withUnit(v.Value, v.Unit)
		}
		floor := ""
		if v.Floor > 0 {
			floor = withUnit(v.Floor, v.Unit)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", v.What, measured, limit, v.Verdict, floor)
	}
	fmt.Fprint(out, floorProse)
}

const floorProse = `
A floor is what the least program measures that keeps what policyd promises, in the same run: for HTTP a bare Echo handler
that asks the disk, parses, judges and writes a record as little as it can (see below), for a decision in process the
processor's time that this takes such a handler, and for a line that is made to cost the parser alone.
`

// withUnit writes a figure with three digits, or more if they are significant.
func withUnit(value float64, unit string) string {
	text := fmt.Sprintf("%.0f", value)
	if value < 100 && value != float64(int(value)) {
		text = fmt.Sprintf("%.2f", value)
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}
