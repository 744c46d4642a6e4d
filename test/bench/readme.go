package main

import (
	"fmt"
	"os"
	"strings"
)

const (
	readmeFile               = "README.md"
	figuresBegin, figuresEnd = "<!-- written by make bench -->\n", "<!-- end -->\n"
)

// updateReadme puts the table of figures in its place.
func updateReadme(taken *samples) error {
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		return fmt.Errorf("update readme: %w", err)
	}
	before, rest, begins := strings.Cut(string(text), figuresBegin)
	_, after, ends := strings.Cut(rest, figuresEnd)
	if !begins || !ends {
		return fmt.Errorf("update readme: %s has no place for the figures, from %q to %q", readmeFile, figuresBegin, figuresEnd)
	}
	updated := before + figuresBegin + readmeTable(taken) + figuresEnd + after
	if err := os.WriteFile(readmeFile, []byte(updated), 0o644); err != nil {
		return fmt.Errorf("update readme: %w", err)
	}
	return nil
}

func readmeTable(taken *samples) string {
	const rate, p50 = "/per_second", "/p50_us"
	first, repeat, bare, opa := httpFigure(nameFirst, 8), httpFigure(nameRepeat, 8), httpFigure(nameBare, 1), httpFigure(nameOPALog, 8)
	var table strings.Builder
	table.WriteString("| | first call | repeated |\n|---|---|---|\n")
	fmt.Fprintf(&table, "| answers a second against `opa run --server` with its log on, 8 connections | %.1f × | %.1f × |\n",
		taken.ratio(first+rate, opa+rate), taken.ratio(repeat+rate, opa+rate))
	fmt.Fprintf(&table, "| p50 over HTTP against a bare Echo handler, 1 connection | %.1f × | %.1f × |\n",
		taken.ratio(httpFigure(nameFirst, 1)+p50, bare+p50), taken.ratio(httpFigure(nameRepeat, 1)+p50, bare+p50))
	fmt.Fprintf(&table, "| three commands in process, from bytes to bytes, the record written | %.0f µs, %.0f allocations | %.0f µs, %.0f |\n",
		taken.median("decide/three_commands/first/us"), taken.median("decide/three_commands/first/allocations"),
		taken.median("decide/three_commands/repeat/us"), taken.median("decide/three_commands/repeat/allocations"))
	fmt.Fprintf(&table, "\nReady %.0f ms after the start, with %.0f MiB; `policyd-hook` takes %.1f ms.\n",
		taken.median("startup/existing/ms"), taken.median("memory/idle/rss_mib"), taken.median("hook/hook/ms"))
	return table.String()
}
