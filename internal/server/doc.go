// Package server is policyd's HTTP server. It authenticates, reads requests
// strictly, asks the gate, and answers.
//
// It trusts the bearer tokens, and the Unix socket's directory to keep strangers
// out. It doesn't trust a browser on the same machine: over TCP a foreign Host
// or Origin is refused. Every error answer is problem+json (RFC 9457) with a
// stable code and "decision": "deny", so that a client that looks no further
// than that key fails closed.
package server
