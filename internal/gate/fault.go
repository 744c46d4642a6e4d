package gate

// FaultError is what went wrong inside a decision.
type FaultError struct {
	// DecisionID names the decision; empty if it had no id yet.
	DecisionID string
	Err        error
}

// Error implements error.
func (e *FaultError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Err }

var _ error = (*FaultError)(nil)

// report reports a fault to the operator.
func (e *evaluation) report(code string, err error) {
	e.gate.options.Fault(code, &FaultError{DecisionID: e.id, Err: err})
}
