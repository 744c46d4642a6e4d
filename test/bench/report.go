package main

import (
	"bufio"
	"bytes"
	_ "embed" // floors.md
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	reportFile  = "docs/benchmarks.md"
	figuresFile = "docs/benchmarks.json"
)

// floors states what keeps bars from being met: profiles report where, and people why.
//
//go:embed floors.md
var floors string

// writeReport prints the report, and writes it and its files if the options require it.
func writeReport(o options, taken *samples, before *figures) error {
	now := figuresOf(o, taken)
	var text bytes.Buffer
	reportHead(&text, now.Machine, taken)
	reportBars(&text, taken)
	for _, s := range taken.suites {
		s.report(&text, taken)
	}
	text.WriteString(floors)
	if _, err := os.Stdout.Write(text.Bytes()); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	if before != nil {
		compare(os.Stdout, before, &now)
	}
	if !o.write {
		return nil
	}
	encoded, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return fmt.Errorf("encode figures: %w", err)
	}
	for file, content := range map[string][]byte{reportFile: text.Bytes(), figuresFile: append(encoded, '\n')} {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	if err := draw(filepath.Dir(reportFile), taken); err != nil {
		return err
	}
	return updateReadme(taken)
}

func reportHead(out io.Writer, m machine, taken *samples) {
	fmt.Fprintf(out, headProse, m.Date, m.Go, m.Platform, m.Processor, m.Cores, m.GOMAXPROCS, m.Kernel, m.Load,
		m.Rounds, taken.took.Round(time.Second))
}

const headProse = `# Benchmarks

Written by ` + "`make bench`" + ` on %s: %s, %s, %s, %d cores, GOMAXPROCS %d, Linux %s, load average %s at the end.
%d rounds in %s; a figure is the median of the rounds, and a ratio the median of each round's ratio. A round measures
everything once, one after the other, so that whatever else the machine does falls on all alike. Only ratios travel
between machines. [benchmarks.json](benchmarks.json) holds all figures, each with the least and the most, and
` + "`bin/bench -before docs/benchmarks.json`" + ` compares a later run with them.
`

// procLine is the value of the first line of a file in /proc that has the name.
func procLine(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func firstWord(file string) string {
	text, err := os.ReadFile(file)
	if words := strings.Fields(string(text)); err == nil && len(words) > 0 {
		return words[0]
	}
	return "unknown"
}
