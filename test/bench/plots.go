package main

import (
	"fmt"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

const (
	plotPrefix            = "benchmarks-"
	plotWidth, plotHeight = 18 * vg.Centimeter, 10 * vg.Centimeter
	barWidth              = 9 * vg.Millimeter
)

// plotLink is a plot's file as the report beside it names it.
func plotLink(name string) string { return plotPrefix + name + ".svg" }

// draw writes the plots into a directory.
func draw(dir string, taken *samples) error {
	for name, make := range map[string]func(*samples) (*plot.Plot, error){
		"stages": drawStages, "growth": drawGrowth, "lines": drawLines, "throughput": drawThroughput, "latency": drawLatency,
	} {
		made, err := make(taken)
		if err == nil {
			err = made.Save(plotWidth, plotHeight, filepath.Join(dir, plotLink(name)))
		}
		if err != nil {
			return fmt.Errorf("draw %s: %w", name, err)
		}
	}
	return nil
}

// drawGrowth draws the cost over each range against its beginning.
func drawGrowth(taken *samples) (*plot.Plot, error) {
	p := newPlot("One decision, by how much there is of something", "how much", "time against the beginning of the range")
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Min, p.Y.Max = 0, 2 // more where something grows more
	var lines []any
	for _, c := range curves() {
		if c.perUnit {
			continue
		}
		var points plotter.XYs
		for _, size := range c.sizes {
			if size > 0 {
				points = append(points, plotter.XY{X: float64(size), Y: taken.ratio(c.figure(size)+"/us", c.figure(c.from())+"/us")})
			}
		}
		lines = append(lines, c.name, points)
	}
	return p, plotutil.AddLinePoints(p, lines...)
}

// drawLines draws what commands and bytes cost, against the most of each.
func drawLines(taken *samples) (*plot.Plot, error) {
	p := newPlot("One decision, by the size of its line", "share of the range", "µs")
	p.Y.Min = 0
	var lines []any
	for _, c := range curves() {
		if !c.perUnit {
			continue
		}
		var points plotter.XYs
		for _, size := range c.sizes {
			points = append(points, plotter.XY{X: float64(size) / float64(c.last()), Y: taken.median(c.figure(size) + "/us")})
		}
		lines = append(lines, fmt.Sprintf("%s, to %d", c.name, c.last()), points)
	}
	p.Legend.Left = true
	return p, plotutil.AddLinePoints(p, lines...)
}

func drawStages(taken *samples) (*plot.Plot, error) {
	var names []string
	var values plotter.Values
	for _, r := range stageRows() {
		names, values = append(names, r.name), append(values, taken.median(r.figure+"/us"))
	}
	p := newPlot("Three commands, by stage", "", "µs")
	p.NominalX(names...)
	chart, err := plotter.NewBarChart(values, barWidth)
	if err != nil {
		return nil, err
	}
	chart.Color = plotutil.Color(0)
	p.Add(chart)
	return p, nil
}

func drawThroughput(taken *samples) (*plot.Plot, error) {
	p := newPlot("Answers a second", "connections", "a second")
	return p, drawServers(p, taken, "/per_second")
}

func drawLatency(taken *samples) (*plot.Plot, error) {
	p := newPlot("Half of the answers within", "connections", "µs")
	return p, drawServers(p, taken, "/p50_us")
}

// drawServers draws a group of bars for each number of connections.
func drawServers(p *plot.Plot, taken *samples, unit string) error {
	servers := []string{nameBare, nameRepeat, nameFirst, nameFastOPA, nameOPALog}
	const width = 6 * vg.Millimeter
	for i, name := range servers {
		var values plotter.Values
		for _, connections := range connectionCounts() {
			values = append(values, taken.median(httpFigure(name, connections)+unit))
		}
		chart, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		chart.Color, chart.Offset = plotutil.Color(i), width*vg.Length(2*i-len(servers)+1)/2
		chart.LineStyle.Width = 0
		p.Add(chart)
		p.Legend.Add(name, chart)
	}
	var labels []string
	for _, connections := range connectionCounts() {
		labels = append(labels, number(connections))
	}
	p.NominalX(labels...)
	p.X.Min, p.X.Max = -0.6, float64(len(labels))-0.4
	p.Y.Max *= 1.3 // room for the legend
	return nil
}

func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	return p
}
