package v1

import (
	"bytes"
	"encoding/json"
	"time"
)

// Record is one line of the decision log. Its field names are those of OPA's
// decision log events, so that existing consumers work; Input is the whole
// policy input, so that the record can be judged again.
type Record struct {
	DecisionID string            `json:"decision_id"`
	Timestamp  time.Time         `json:"timestamp"`
	Path       string            `json:"path"`
	Labels     map[string]string `json:"labels"`
	// Bundles maps the name of a bundle to its revision.
	Bundles map[string]BundleInfo `json:"bundles"`
	Input   *Input                `json:"input"`
	// Call is the call with secret-like values masked and file contents
	// replaced by length and digest.
	Call   *RecordCall  `json:"call"`
	Result RecordResult `json:"result"`
	// Error is the stable code of what went wrong, empty when nothing did.
	Error string `json:"error,omitempty"`
	// MaskError is the stable code of why the operators' mask could not be applied. Such a record has neither
	// input nor call.
	MaskError string        `json:"mask_error,omitempty"`
	Metrics   RecordMetrics `json:"metrics"`
	// Erased lists JSON pointers of what redaction removed; Masked of what it changed.
	Erased []string `json:"erased"`
	Masked []string `json:"masked"`
	// Known is what is kept with Input, nil for nothing.
	Known *Known `json:"-"`
}

// RecordMetrics are durations in nanoseconds, under the names that OPA's decision log uses.
type RecordMetrics struct {
	// Extract and Evaluate are parts of Gate, the time until the decision.
	Extract  int64 `json:"timer_extract_ns"`
	Evaluate int64 `json:"timer_rego_query_eval_ns"`
	Gate     int64 `json:"timer_gate_ns"`
}

// BundleInfo names the revision of a bundle.
type BundleInfo struct {
	Revision string `json:"revision"`
}

// RecordCall is a call as the record keeps it.
type RecordCall struct {
	Tool      string         `json:"tool"`
	Protocol  string         `json:"protocol"`
	Args      map[string]any `json:"args"`
	Cwd       string         `json:"cwd"`
	SessionID string         `json:"session_id"`
	Agent     string         `json:"agent"`
}

// UnmarshalJSON reads numbers as json.Number: an agent chooses its arguments, and a number beyond float64
// would make its record unreadable.
func (c *RecordCall) UnmarshalJSON(text []byte) error {
	type plain RecordCall
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode((*plain)(c))
}

// RecordResult is the judgement that was made.
type RecordResult struct {
	Decision Effect         `json:"decision"`
	Reasons  []Reason       `json:"reasons"`
	Items    []DecisionItem `json:"items"`
	PromptID string         `json:"prompt_id"`
	// Obligations are those of the decision.
	Obligations []Obligation `json:"obligations,omitempty"`
}

// RecordFilter narrows a list of records. What is empty narrows nothing.
type RecordFilter struct {
	Session, Agent string
	// Decision is allow, prompt or deny.
	Decision string
	// Rule is the id of a rule that decided or covered, Code that of a reason.
	Rule, Code string
	// Since leaves out what was decided before.
	Since time.Time
}

// RecordList answers GET /v1/decisions, the newest first. A page may be short, or
// even empty, and have a next: how much is read for one is bounded.
type RecordList struct {
	Decisions []Record `json:"decisions"`
	Next      string   `json:"next,omitempty"`
}
