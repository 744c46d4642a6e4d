package main

import (
	_ "embed"
	"fmt"
	"io"
	"testing"

	"github.com/cedar-policy/cedar-go"
)

// cedarPolicies say of ready-made requests what policyd's built-in rules say of the
// three commands: what is refused of every command, and which forms are safe.
//
//go:embed policies.cedar
var cedarPolicies []byte

// cedarCase is one line of three commands as three requests of Cedar.
type cedarCase struct {
	policies *cedar.PolicySet
	entities cedar.EntityMap
	requests []cedar.Request
}

func newCedarCase() (*cedarCase, error) {
	policies, err := cedar.NewPolicySetFromBytes("policies.cedar", cedarPolicies)
	if err != nil {
		return nil, fmt.Errorf("read Cedar policies: %w", err)
	}
	agent := cedar.NewEntityUID("Agent", "claude-code")
	directory, project := cedar.NewEntityUID("Directory", "/srv/proj/src"), cedar.NewEntityUID("Directory", "/srv/proj")
	c := &cedarCase{policies: policies, entities: cedar.EntityMap{
		agent: cedar.Entity{UID: agent, Attributes: cedar.NewRecord(cedar.RecordMap{
			"audience": cedar.String("personal"), "platform": cedar.String("linux"),
		})},
		directory: cedar.Entity{UID: directory, Parents: cedar.NewEntityUIDSet(project)},
		project:   cedar.Entity{UID: project},
	}}
	for _, command := range []struct {
		verb, form, touches string
	}{{"cd", "<dir>", "list.project"}, {"git status", "", "read.project"}, {"ls", "-la", "list.project"}} {
		c.requests = append(c.requests, cedar.Request{
			Principal: agent, Action: cedar.NewEntityUID("Action", cedar.String(command.verb)), Resource: directory,
			Context: cedar.NewRecord(cedar.RecordMap{
				"messy": cedar.False, "complete": cedar.True, "interactive": cedar.True,
				"caveats": cedar.NewSet(), "form": cedar.NewSet(cedar.String(command.form)),
				"touches": cedar.NewSet(cedar.String(command.touches)),
			}),
		})
	}
	if !c.allows() {
		return nil, fmt.Errorf("judge by Cedar: the line is not allowed")
	}
	return c, nil
}

// allows judges every command of the line.
func (c *cedarCase) allows() bool {
	for _, request := range c.requests {
		if decision, _ := cedar.Authorize(c.policies, c.entities, request); decision != cedar.Allow {
			return false
		}
	}
	return true
}

func (c *cedarCase) run(taken *samples) error {
	result := testing.Benchmark(func(b *testing.B) {
		b.Helper()
		b.ReportAllocs()
		for b.Loop() {
			if !c.allows() {
				b.Fatal("the line is not allowed")
			}
		}
	})
	if result.N == 0 {
		return fmt.Errorf("judge by Cedar: the benchmark failed")
	}
	taken.add("cedar/us", float64(result.T.Nanoseconds())/float64(result.N)/1e3)
	taken.add("cedar/allocations", float64(result.AllocsPerOp()))
	return nil
}

func (c *cedarCase) report(out io.Writer, taken *samples) {
	count := 0
	for range c.policies.All() {
		count++
	}
	fmt.Fprintf(out, cedarProse, len(c.requests), count)
	fmt.Fprint(out, "\n| judge | against cedar-go | µs | allocations |\n|---|---|---|---|\n")
	fmt.Fprintf(out, "| cedar-go | 1.00 | %.1f | %.0f |\n", taken.median("cedar/us"), taken.median("cedar/allocations"))
	for _, row := range []struct{ name, figure string }{
		{"policyd, judgement of ready-made facts", "stages/judge"},
		{"policyd, the whole way", "stages/whole"},
	} {
		fmt.Fprintf(out, "| %s | %.1f | %.1f | %.0f |\n", row.name, taken.ratio(row.figure+"/us", "cedar/us"),
			taken.median(row.figure+"/us"), taken.median(row.figure+"/allocations"))
	}
}

const cedarProse = `
### Beside cedar-go

cedar-go, the engine of Cedar in Go, judges the same line in process from requests that were made beforehand: %d
requests, one for each command, by %d policies that say of them what the built-in rules say of these three commands
(test/bench/policies.cedar). It makes no facts, explains nothing, and knows nothing of other tools, of approvals and of
settings, which policyd's rules do. Its language has no rules that gather over all commands of a call: it is faster
since it does less, and it is what a check of a ready-made request can cost.
`
