package bundles

import (
	"fmt"

	v1 "policyd/api/v1"
)

// Codes of the errors that [Snapshot.Judge] returns. They are in decision records and on metrics, and are
// never renamed.
const (
	// CodeFactsInvalid: the input contradicts itself or is of another schema.
	CodeFactsInvalid = "facts_invalid"
	// CodePolicyUndefined: the entrypoint has no value for this input.
	CodePolicyUndefined = "policy_undefined"
	// CodePolicyConflict: the policy has several results.
	CodePolicyConflict = "policy_conflict"
	// CodePolicyError: a rule failed while it ran.
	CodePolicyError = "policy_error"
	// CodePolicyTimeout: no result before the deadline, or the caller went away.
	CodePolicyTimeout = "policy_timeout"
	// CodeResultMalformed: the result is not a judgement.
	CodeResultMalformed = "policy_result_malformed"
)

var _ error = (*v1.CodedError)(nil)

// coded builds the error that denies with a code.
func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}
