// Package approvals keeps what people answered before, in memory over a store,
// so that a decision never waits for the disk to know it.
//
// It knows which answers could apply to a call, by verb and directory; whether
// one covers an item is policy's to say. What it promises to keep: a lookup costs
// the same among ten answers and a hundred thousand; a one-shot answer is used
// once; answers that can't be read are none.
package approvals
