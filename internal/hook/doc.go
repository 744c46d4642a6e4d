// Package hook is the program that an agent program starts before each tool call: it passes the call to the
// sidecar as it is, and prints the answer as it is.
//
// It judges nothing. Guarantee: a call runs only on a complete answer of policyd's. On every error, deadline
// and signal it prints the client's own deny, writes the reason to standard error and exits with 2, since
// most clients run a tool whose hook merely fails. It writes standard output once, at the end.
package hook
