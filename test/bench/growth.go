package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

const growthTime = "60ms"

// growth measures how the cost of a decision grows.
type growth struct{ wiring *goBenchmarks }

// curve is one quantity that grows.
type curve struct {
	name, about string
	sizes       []int
	// perUnit is set if each more adds a cost of its own, and the question is whether the next costs as much
	// as the one before: then slope holds three of the sizes.
	perUnit bool
	slope   [3]int
}

func curves() []curve {
	return []curve{
		{name: "approvals", about: "remembered approvals", sizes: []int{10, 100, 1000, 10_000, 100_000}},
		{name: "sessions", about: "sessions that ask in turn", sizes: []int{1, 10, 100, 1000, 10_000}},
		{name: "rules", about: "operator's rules with an index key (the judgement alone)", sizes: []int{0, 10, 100, 1000}},
		{name: "commands", about: "commands on a line", sizes: []int{1, 5, 10, 20, 40, 64}, perUnit: true, slope: [3]int{1, 20, 64}},
		{
			name: "length", about: "bytes of a line, in one argument", sizes: []int{256, 1 << 10, 4 << 10, 8 << 10, 16 << 10},
			perUnit: true, slope: [3]int{256, 4 << 10, 16 << 10},
		},
	}
}

func (c curve) figure(size int) string { return "growth/" + c.name + "/" + number(size) }

func (c curve) last() int { return c.sizes[len(c.sizes)-1] }

// from is the size that the growth counts from: of rules the first bundle that has any.
func (c curve) from() int {
	if c.sizes[0] == 0 {
		return c.sizes[1]
	}
	return c.sizes[0]
}

// factor is how much more the end of the range costs than its beginning, and for a cost
// of each unit how much more a unit costs in the later part of the range.
func (c curve) factor(taken *samples) float64 {
	if !c.perUnit {
		return taken.ratio(c.figure(c.last())+"/us", c.figure(c.from())+"/us")
	}
	var places [3]float64
	var names [3]string
	for i, size := range c.slope {
		places[i], names[i] = float64(size), c.figure(size)+"/us"
	}
	return taken.slopes(places, names)
}

func (g *growth) prepare(ctx context.Context, b *bench) (err error) {
	g.wiring, err = newGoBenchmarks(ctx, b, wiringTests)
	return err
}

func (g *growth) round(ctx context.Context, taken *samples) error {
	return g.wiring.run(ctx, taken, "growth", "^BenchmarkGrowth$", growthTime)
}

func (*growth) close() error { return nil }

func (g *growth) report(out io.Writer, taken *samples) {
	fmt.Fprint(out, growthProse)
	fmt.Fprint(out, "\n| of what | growth | from | to |\n|---|---|---|---|\n")
	for _, c := range curves() {
		fmt.Fprintf(out, "| %s | %.2f | %d: %.0f µs | %d: %.0f µs |\n", c.about, c.factor(taken),
			c.from(), taken.median(c.figure(c.from())+"/us"), c.last(), taken.median(c.figure(c.last())+"/us"))
	}
	fmt.Fprintf(out, "\n![growth over each range](%s)\n\n![time of long lines](%s)\n", plotLink("growth"), plotLink("lines"))
	fmt.Fprint(out, hostileProse)
	fmt.Fprint(out, "\n| a line full of | µs | parsed alone | allocations |\n|---|---|---|---|\n")
	for _, name := range hostileFigures(taken) {
		what := strings.TrimPrefix(name, hostilePrefix)
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.0f |\n", what,
			taken.median(name+"/us"), taken.median(parsedPrefix+what+"/us"), taken.median(name+"/allocations"))
	}
}

const (
	hostilePrefix = "growth/hostile/"
	// parsedPrefix is that of the same lines, parsed and nothing else.
	parsedPrefix = "growth/parsed/"
)

func hostileFigures(taken *samples) []string {
	var names []string
	for _, name := range taken.names() {
		if figure, is := strings.CutSuffix(name, "/us"); is && strings.HasPrefix(name, hostilePrefix) {
			names = append(names, figure)
		}
	}
	return names
}

// slowestHostile is the slowest of the lines that are made to cost.
func slowestHostile(taken *samples) (name string, us float64) {
	for _, figure := range hostileFigures(taken) {
		if time := taken.median(figure + "/us"); time > us {
			name, us = strings.TrimPrefix(figure, hostilePrefix), time
		}
	}
	return name, us
}

const growthProse = `
## Growth

How it is measured: one decision in process, as above, with the memory of decisions off, by how much there is of
something. Growth is the time at the end of the range over the time at its beginning; for commands and for bytes, each of
which has a cost of its own, it is the time of one more in the later part of the range over the time of one more in the
earlier part, and 1 is a straight line. Approvals are for other verbs and directories; sessions have the same project;
rules deny other verbs, and begin with one that the call doesn't have.
`

const hostileProse = `
### Lines that are made to cost

16 KiB, the longest line that is looked into, filled with one thing: from request bytes to answer bytes, the record
written. A longer line is not parsed at all, and never allowed.
`
