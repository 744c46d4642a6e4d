package gate

import "context"

// Steps of a decision.
const (
	StepExtract = "extract"
	StepJudge   = "judge"
	StepRecord  = "record"
)

// step begins a step, which ends with the function that it returns.
func (e *evaluation) step(ctx context.Context, name string) (stepping context.Context, done func()) {
	if e.gate.options.Step == nil {
		return ctx, func() {}
	}
	return e.gate.options.Step(ctx, name)
}
