// Package gate is the pipeline of a decision: extraction, judgement, prompt, record, answer. It judges
// nothing itself. It guarantees that only a whole and consistent judgement of complete facts becomes an
// allow.
//
// Decide returns no error. A failure is a deny with a stable code under a rule named "gate/…", and
// Options.Fault reports it to the operator. The zero value of every type here denies.
package gate
