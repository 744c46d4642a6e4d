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
func (e *evaluation) record(ctx context.Context) {
	options := &e.gate.options
	if options.Recorder == nil {
		return
	}
	// The record is written for a caller who went away, too.
	recording, recorded := e.step(context.WithoutCancel(ctx), StepRecord)
	e.recorded = e.line()
	err := options.Recorder.Write(recording, e.recorded)
	recorded()
	switch {
	case err == nil:
	case options.RequireRecord:
		e.deny(CodeRecordFailed, "the decision can't be recorded, so the call is denied; see policyd's log", err)
	default:
		e.report(CodeRecordFailed, err)
	}
}

// amend records the final answer if it differs from the record: the call was denied afterwards, since it came
// too late or a later step failed.
func (e *evaluation) amend(ctx context.Context) {
	if e.recorded == nil || e.recorded.Result.Decision == e.decision.Effect && e.recorded.Error == e.fault {
		return
	}
	e.gate.options.Recorder.Amend(context.WithoutCancel(ctx), e.recorded, e.line())
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

func (e *evaluation) line() *v1.Record {
	options := &e.gate.options
	line := &v1.Record{
		DecisionID: e.id, Timestamp: e.start, Path: queryPath, Labels: options.Labels,
		Bundles: e.gate.bundlesOf(e.revision),
		Input:   &e.input,
		Known:   e.result.Known,
		Result: v1.RecordResult{
			Decision: e.decision.Effect, Reasons: e.decision.Reasons, Items: e.decision.Items, Obligations: e.decision.Obligations,
		},
		Error: e.fault,
		Metrics: v1.RecordMetrics{
			Extract: e.extract.Nanoseconds(), Evaluate: e.evaluate.Nanoseconds(), Gate: options.Clock().Sub(e.start).Nanoseconds(),
		},
		Erased: []string{}, Masked: []string{},
	}
	if e.call != nil {
		line.Call, line.Erased, line.Masked = options.Redactor.Redact(e.call, e.input.Tool.Kind, e.result.Known)
	}
	line.Result.PromptID = e.answered
	if e.decision.Prompt != nil {
		line.Result.PromptID = e.decision.Prompt.ID
	}
	return line
}
