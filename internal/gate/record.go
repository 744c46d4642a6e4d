package gate

import (
	"context"

	v1 "policyd/api/v1"
)

// queryPath is the decision that records name, as OPA's decision log does.
const queryPath = "policyd/main/decision"

// bundleName is the bundle whose revision records contain.
const bundleName = "policyd"

// record writes the record. It denies if the record is required and writing fails.
func (p *passage) record(ctx context.Context) {
	options := &p.gate.options
	if options.Recorder == nil {
		return
	}
	// The record is written for a caller who went away, too.
	recording, recorded := p.step(context.WithoutCancel(ctx), StepRecord)
	p.recorded = p.line()
	err := options.Recorder.Write(recording, p.recorded)
	recorded()
	switch {
	case err == nil:
	case options.RequireRecord:
		p.deny(CodeRecordFailed, "the decision can't be recorded, so the call is denied; see policyd's log", err)
	default:
		p.tell(CodeRecordFailed, err)
	}
}

// amend records the final answer if it differs from the record: the call was denied afterwards, since it came
// too late or a later step failed.
func (p *passage) amend(ctx context.Context) {
	if p.recorded == nil || p.recorded.Result.Decision == p.decision.Effect && p.recorded.Error == p.fault {
		return
	}
	p.gate.options.Recorder.Amend(context.WithoutCancel(ctx), p.recorded, p.line())
}

// recordBundles are the bundles of a revision. Records share them, and only read.
type recordBundles struct {
	revision string
	bundles  map[string]v1.BundleInfo
}

func (g *Gate) bundlesOf(revision string) map[string]v1.BundleInfo {
	if kept := g.bundles.Load(); kept != nil && kept.revision == revision {
		return kept.bundles
	}
	made := &recordBundles{revision: revision, bundles: map[string]v1.BundleInfo{bundleName: {Revision: revision}}}
	g.bundles.Store(made)
	return made.bundles
}

func (p *passage) line() *v1.Record {
	options := &p.gate.options
	line := &v1.Record{
		DecisionID: p.id, Timestamp: p.start, Path: queryPath, Labels: options.Labels,
		Bundles: p.gate.bundlesOf(p.revision),
		Input:   &p.input,
		Known:   p.result.Known,
		Result: v1.RecordResult{
			Decision: p.decision.Effect, Reasons: p.decision.Reasons, Items: p.decision.Items, Obligations: p.decision.Obligations,
		},
		Error: p.fault,
		Metrics: map[string]int64{
			"timer_extract_ns":         p.extract.Nanoseconds(),
			"timer_rego_query_eval_ns": p.evaluate.Nanoseconds(),
			"timer_gate_ns":            options.Clock().Sub(p.start).Nanoseconds(),
		},
		Erased: []string{}, Masked: []string{},
	}
	if p.call != nil {
		line.Call, line.Erased, line.Masked = options.Redactor.Redact(p.call, p.input.Tool.Kind, p.result.Known)
	}
	line.Result.PromptID = p.answered
	if p.decision.Prompt != nil {
		line.Result.PromptID = p.decision.Prompt.ID
	}
	return line
}
