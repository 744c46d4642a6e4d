// Package approvals keeps what people answered before, in memory over a store,
// so that a decision never waits for the disk to know it.
//
// It looks up the answers that could apply to a call, by verb and directory. The policy decides whether one
// covers an item. Guarantees: a lookup costs the same with ten answers and with a hundred thousand; a
// one-shot answer is used once; an answer that can't be read doesn't apply.
package approvals
