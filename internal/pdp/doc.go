// Package pdp is the caller's side of policyd's API, for the programs that are beside an agent: the hook
// program, the gates and the tools server. It needs the standard library alone, since a hook program starts
// with every tool call.
//
// What it returns is a whole answer or an error: who gets an error must refuse.
package pdp
