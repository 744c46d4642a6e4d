package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// writeReport prints the report, and writes it where the options say.
func writeReport(o options, inProcess []figure, targets []target, results map[load]*sample) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# Benchmarks\n\nWritten by `make bench` on %s: %s, %s/%s, %d cores. Only ratios travel between machines.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	writeInProcess(&text, inProcess)
	writeHTTP(&text, targets, results)
	if _, err := fmt.Fprint(os.Stdout, text.String()); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	if o.out == "" {
		return nil
	}
	if err := os.WriteFile(o.out, []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func writeInProcess(text *strings.Builder, figures []figure) {
	fmt.Fprintf(text, "\n## One decision in process\n\nFrom request bytes to answer bytes, the record written. Median of %d runs.\n\n", inProcessRuns)
	text.WriteString("| call | µs | allocations | KiB |\n|---|---|---|---|\n")
	for _, f := range figures {
		fmt.Fprintf(text, "| %s | %.0f | %.0f | %.1f |\n",
			strings.ReplaceAll(f.name, "_", " "), f.nanoseconds/1e3, f.allocations, f.bytes/1024)
	}
}

func writeHTTP(text *strings.Builder, targets []target, results map[load]*sample) {
	text.WriteString("\n## Over HTTP, keep-alive\n\n")
	fmt.Fprintf(text, "The call is `%s`. policyd makes the facts, decides and writes its record. The bare Echo handler decodes\n"+
		"the same request and answers the same bytes. `opa run --server`, built from the same module, has the same policy,\n"+
		"facts made beforehand and its console decision log; it is measured as it comes, and with\n"+
		"`--optimize-store-for-read-speed`. All are processes on this machine, as is the client, and are measured in turns.\n", line)
	text.WriteString("\n| server | connections | p50 µs | p99 µs | a second | throughput against policyd |\n|---|---|---|---|---|---|\n")
	for _, connections := range connectionCounts {
		base := results[load{namePolicyd, connections}].perSecond()
		for _, t := range targets {
			s := results[load{t.name, connections}]
			fmt.Fprintf(text, "| %s | %d | %d | %d | %.0f | %.2f |\n", t.name, connections,
				s.quantile(0.5).Microseconds(), s.quantile(0.99).Microseconds(), s.perSecond(), s.perSecond()/base)
		}
	}
	for _, connections := range connectionCounts {
		own := results[load{namePolicyd, connections}].perSecond()
		fmt.Fprintf(text, "\nAt %d connections policyd answers %.2f times as many calls as `opa run --server`, and %.2f times as many\n"+
			"as with its store set for reading.\n", connections, own/results[load{nameOPA, connections}].perSecond(),
			own/results[load{nameFastOPA, connections}].perSecond())
	}
}
