// Package v1 is the wire contract of policyd: what a policy enforcement point
// sends, what extraction makes of it, and what the decision point answers.
//
// The package holds data only. It depends on the standard library alone, so
// that clients can use it without linking an engine. Names on the wire are
// fixed: fields may be added, never renamed. Every zero value is the safe one:
// the zero Effect denies, zero Facts are incomplete and can't be allowed.
package v1
