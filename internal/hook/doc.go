// Package hook is what an agent program starts before each tool call: it hands
// the call to the sidecar as it came, and prints the answer as it came.
//
// It judges nothing. What it promises to keep is that a call runs only on an
// answer of policyd's that is whole: on every error, deadline and signal it
// prints the client's own deny, says so on standard error and ends with 2, since
// most clients run a tool whose hook merely fails. Standard output is written
// once, at the end.
package hook
