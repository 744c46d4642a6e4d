package v1

// Judgement is the policy's result for an Input: data.policyd.main.decision. The zero value denies.
type Judgement struct {
	Effect  Effect   `json:"effect"`
	Reasons []Reason `json:"reasons"`
	// Covered lists the covers. An item may have several.
	Covered []Cover `json:"covered"`
	// Uncovered are the items that nothing covers, ascending.
	Uncovered []int `json:"uncovered"`
	// Choices are the keys that a prompt offers, in order.
	Choices []string `json:"choices"`
	Hint    string   `json:"hint"`
	// RefusalHint is the hint if a person denies the call (A8).
	RefusalHint  string        `json:"refusal_hint"`
	Route        Route         `json:"route"`
	JSONRPCError *JSONRPCError `json:"jsonrpc_error"`
	// Obliges are the duties without which an allow isn't valid.
	Obliges []Duty `json:"obligations"`
	// Known is what is kept with an input that was judged before, nil for any other.
	Known *Known `json:"-"`
}

// Cover states that a rule covers an item.
type Cover struct {
	Item int    `json:"item"`
	Rule string `json:"rule"`
}

// CodedError is an error with a stable code. A call that it stops is denied with that code.
type CodedError struct {
	Code string
	Err  error
}

// Error implements error.
func (e *CodedError) Error() string { return e.Code + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CodedError) Unwrap() error { return e.Err }
