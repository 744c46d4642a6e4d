// Package explain describes a decision in words: the call, the rules that applied, the cover of each item,
// the nearest approvals, and the remedies. It reads facts and the policy's account of them, and judges
// nothing.
//
// Its input was masked before judgement, as records are. It makes invisible characters of an agent's text
// visible.
package explain
