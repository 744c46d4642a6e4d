// Package explain puts a decision into words: what the call is, which rules spoke,
// what covered each item, what came near, and what would allow it. It reads facts
// and what the policy says of them, and judges nothing.
//
// What it shows was masked before judgement, as records are. Texts that an agent
// chose are made visible.
package explain
