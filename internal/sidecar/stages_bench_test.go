package sidecar

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/internal/gate"
	"policyd/internal/strict"
)

// stageCalls is how many different calls each stage goes through: what belongs to one
// call alone isn't remembered, and what a session has in common is.
const stageCalls = 256

// staged is one call with what each stage hands to the next.
type staged struct {
	body     []byte
	call     *v1.Call
	input    v1.Input
	decision v1.Decision
}

// BenchmarkStages measures the parts of BenchmarkDecide's three commands apart, with
// the memory of decisions off. What the parts leave of the whole is the gate: the
// session, approvals, masks, checks and clocks.
func BenchmarkStages(b *testing.B) {
	tree := benchmarkTree(b, stageCalls)
	decider := benchmarkSidecar(b, tree, cacheOff)
	current := decider.Policy.Current()
	labels := decider.labels()
	calls := stage(b, decider, benchmarkCalls()[2].bodies(b, tree, stageCalls))
	for _, part := range []struct {
		name string
		run  func(*staged) error
	}{
		{"decode", func(s *staged) error { _, err := strict.DecodeCall(s.body); return err }},
		{"extract", func(s *staged) error { _, err := current.Extract(context.Background(), s.call, nil); return err }},
		{"judge", func(s *staged) error { return judged(current.Judge(b.Context(), &s.input)) }},
		{"record", func(s *staged) error { return decider.writer.Write(b.Context(), recordOf(decider, labels, s)) }},
		{"answer", func(s *staged) error { return encodeAnswer(&s.decision) }},
		{"whole", func(s *staged) error { _, err := wholeWay(b.Context(), decider, s.body); return err }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				if err := part.run(&calls[i%stageCalls]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// judged passes over judgements that took longer than they may, as one in many
// thousands does on a machine that is busy enough.
func judged(_ v1.Judgement, err error) error {
	var fault *v1.CodedError
	if errors.As(err, &fault) && fault.Code == bundles.CodePolicyTimeout {
		return nil
	}
	return err
}

// stage takes each call through the stages once.
func stage(b *testing.B, decider *Sidecar, bodies [][]byte) []staged {
	b.Helper()
	calls := make([]staged, len(bodies))
	for i, body := range bodies {
		requireAllowed(b, decider, body)
		call, err := strict.DecodeCall(body)
		require.NoError(b, err)
		decision := decider.Gate.Decide(b.Context(), call, gate.DecideOptions{IncludeFacts: true})
		input := v1.Input{Facts: *decision.Facts, Approvals: []v1.Approval{}}
		decision.Facts = nil
		calls[i] = staged{body: body, call: call, input: input, decision: decision}
	}
	return calls
}

// recordOf is the record that the gate writes of a call that is allowed.
func recordOf(decider *Sidecar, labels map[string]string, s *staged) *v1.Record {
	kept, erased, masked := decider.Policy.redactor.Redact(s.call, s.input.Tool.Kind, nil)
	return &v1.Record{
		DecisionID: s.decision.ID, Timestamp: time.Now(), Path: "policyd/main/decision", Labels: labels,
		Bundles: map[string]v1.BundleInfo{"policyd": s.bundle()},
		Input:   &s.input, Call: kept, Erased: erased, Masked: masked,
		Result:  v1.RecordResult{Decision: s.decision.Effect, Reasons: s.decision.Reasons, Items: s.decision.Items},
		Metrics: v1.RecordMetrics{Extract: 1, Evaluate: 1, Gate: 1},
	}
}

func (s *staged) bundle() v1.BundleInfo { return v1.BundleInfo{Revision: s.decision.Policy.Revision} }
