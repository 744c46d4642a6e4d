// Package pdp is the caller's side of policyd's API, for the programs that are beside an agent: the hook
// program, the gates and the tools server. It needs the standard library alone, since a hook program starts
// with every tool call.
//
// It returns a complete answer or an error. A caller that gets an error must deny.
package pdp
