package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"
)

// machine is what was measured on.
type machine struct {
	Date       string `json:"date"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
	Processor  string `json:"processor"`
	Cores      int    `json:"cores"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Kernel     string `json:"kernel"`
	// Load is the load average of the last minute, at the end.
	Load   string `json:"load"`
	Rounds int    `json:"rounds"`
}

// figure is what one thing measured, over all rounds.
type figure struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// figures are a run, in a form that a later one can be compared with. Names are paths
// whose last part is the unit.
type figures struct {
	Machine machine           `json:"machine"`
	Bars    []verdict         `json:"bars"`
	Figures map[string]figure `json:"figures"`
}

func figuresOf(o options, taken *samples) figures {
	all := figures{Machine: thisMachine(o), Bars: verdicts(taken), Figures: map[string]figure{}}
	for name, values := range taken.values {
		all.Figures[name] = figure{Median: rounded(median(values)), Least: rounded(slices.Min(values)), Most: rounded(slices.Max(values))}
	}
	for i := range all.Bars {
		all.Bars[i].Value = rounded(all.Bars[i].Value)
	}
	return all
}

// rounded keeps three digits after the point, which is more than any figure is worth.
func rounded(value float64) float64 { return float64(int64(value*1000+0.5)) / 1000 }

func thisMachine(o options) machine {
	return machine{
		Date: time.Now().UTC().Format(time.DateOnly), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Processor: procLine("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Kernel: firstWord("/proc/sys/kernel/osrelease"), Load: firstWord("/proc/loadavg"), Rounds: o.rounds,
	}
}

// readFigures reads an earlier run; none for no file.
func readFigures(file string) (*figures, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read earlier figures: %w", err)
	}
	var read figures
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("read earlier figures: %w", err)
	}
	return &read, nil
}

// compare writes what both runs measured, by name.
func compare(out io.Writer, before, now *figures) {
	fmt.Fprintf(out, "\n## Beside the run of %s\n\n| figure | before | now | now against before |\n|---|---|---|---|\n", before.Machine.Date)
	var names []string
	for name := range now.Figures {
		if before.Figures[name].Median > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		was, is := before.Figures[name].Median, now.Figures[name].Median
		fmt.Fprintf(out, "| %s | %.1f | %.1f | %.2f |\n", name, was, is, is/was)
	}
}
