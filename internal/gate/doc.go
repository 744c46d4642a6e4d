// Package gate is the way of a call: extraction, judgement, prompt, record,
// answer. It judges nothing itself; it holds that nothing but a whole and
// consistent judgement of whole facts ever becomes an allow.
//
// Decide returns no error. Whatever goes wrong is a deny with a stable code
// under a rule named "gate/…", and is told to Options.Fault for the operator.
// The zero value of every type here denies.
package gate
