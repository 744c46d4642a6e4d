package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

const (
	stageTime    = "150ms"
	wiringTests  = "internal/sidecar"
	engineTests  = "bundles"
	inputsOption = "POLICYD_BENCH_INPUTS"
)

// stages measures one decision in process, whole and in parts, and cedar-go beside its
// judgement.
type stages struct {
	wiring, engine *goBenchmarks
	cedar          *cedarCase
}

func (s *stages) prepare(ctx context.Context, b *bench) error {
	served, err := b.startPolicyd(ctx, "stages")
	if err != nil {
		return err
	}
	defer served.stop()
	inputs, err := b.writeInputs(ctx, served, map[string]string{
		"three_commands": line, "twenty_commands": twentyCommands(), "one_command": "git status",
	})
	if err != nil {
		return err
	}
	if s.wiring, err = newGoBenchmarks(ctx, b, wiringTests); err != nil {
		return err
	}
	if s.engine, err = newGoBenchmarks(ctx, b, engineTests, inputsOption+"="+inputs); err != nil {
		return err
	}
	s.cedar, err = newCedarCase()
	return err
}

// twentyCommands is a line of twenty commands that are all read.
func twentyCommands() string {
	commands := make([]string, 20)
	for i := range commands {
		commands[i] = fmt.Sprintf("wc -l src/f%04d.go", i)
	}
	return strings.Join(commands, " && ")
}

func (s *stages) round(ctx context.Context, taken *samples) error {
	if err := s.wiring.run(ctx, taken, "decide", "^BenchmarkDecide$", stageTime); err != nil {
		return err
	}
	if err := s.wiring.run(ctx, taken, "stages", "^BenchmarkStages$", stageTime); err != nil {
		return err
	}
	if err := s.engine.run(ctx, taken, "engine", "^BenchmarkStages$", stageTime); err != nil {
		return err
	}
	return s.cedar.run(taken)
}

func (*stages) close() error { return nil }

// stageRows are the parts in the order of a decision, and what is in them.
func stageRows() []struct{ name, figure, about string } {
	return []struct{ name, figure, about string }{
		{"decode", "stages/decode", "the request, strictly"},
		{"extract", "stages/extract", "facts from the text of the call and from the disk"},
		{"input", "engine/three_commands/input", "facts written as terms of the evaluator"},
		{"eval", "engine/three_commands/eval", "the evaluator over all rules"},
		{"result", "engine/three_commands/result", "the judgement read and checked"},
		{"record", "stages/record", "secrets taken out, encoded, written to the file"},
		{"answer", "stages/answer", "the decision encoded"},
	}
}

func (s *stages) report(out io.Writer, taken *samples) {
	fmt.Fprintf(out, stagesProse, line, fmt.Sprintf(lineForm, 7))
	fmt.Fprint(out, "\n| call | | µs | allocations | KiB |\n|---|---|---|---|---|\n")
	for _, call := range []string{"file_read", "git_status", "three_commands", "twenty_commands"} {
		for _, how := range []string{"first", "repeat", "uncached"} {
			figure := "decide/" + call + "/" + how
			fmt.Fprintf(out, "| %s | %s | %.0f | %.0f | %.1f |\n", strings.ReplaceAll(call, "_", " "), how,
				taken.median(figure+"/us"), taken.median(figure+"/allocations"), taken.median(figure+"/bytes")/1024)
		}
	}
	s.reportParts(out, taken)
	s.cedar.report(out, taken)
}

// reportParts writes the table of parts. What they leave of the whole is a row, too.
func (s *stages) reportParts(out io.Writer, taken *samples) {
	fmt.Fprint(out, stagePartsProse)
	fmt.Fprint(out, "\n| stage | what it does | share of the time | µs | allocations |\n|---|---|---|---|---|\n")
	whole, allocations := taken.median("stages/whole/us"), taken.median("stages/whole/allocations")
	restTime, restAllocations := whole, allocations
	row := func(name, about string, time, allocated float64) {
		fmt.Fprintf(out, "| %s | %s | %.0f %% | %.1f | %.0f |\n", name, about, 100*time/whole, time, allocated)
	}
	for _, r := range stageRows() {
		time, allocated := taken.median(r.figure+"/us"), taken.median(r.figure+"/allocations")
		restTime, restAllocations = restTime-time, restAllocations-allocated
		row(r.name, r.about, time, allocated)
	}
	row("the rest", "session, approvals, masks, checks, clocks; and what parts alone do faster than in a row", restTime, restAllocations)
	row("whole", "from request bytes to answer bytes", whole, allocations)
	fmt.Fprintf(out, "\n![time of the stages](%s)\n", plotLink("stages"))
}

const stagesProse = `
## One decision in process

How it is measured: Go benchmarks beside the wiring of the program run the whole way, from the bytes of the request to
the bytes of the answer, the record written to a file. There is no network. **First** calls are all different, as
` + "`%[2]s`" + ` is from the same with another file; **repeat** is the same call, as ` + "`%[1]s`" + `; **uncached**
is that with the memory of decisions off. The counts of allocations don't depend on the machine, and
` + "`internal/sidecar/testdata/allocations.json`" + ` holds them in continuous integration: a growth of more than 5 %% fails.
`

const stagePartsProse = `
### By stage

The three commands again, over 256 different calls, with the memory of decisions off. Each stage is run alone, over and
over, so that what it needs is close at hand; in a row they take longer.
`
