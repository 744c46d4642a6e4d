// Package gates relays messages on standard streams between an MCP client and a server (MCP), and between an
// ACP client and an agent (ACP). It forwards every message byte for byte, except for requests that the policy
// decides: it asks the sidecar first, and forwards them only if they are allowed.
//
// The gate trusts the host that started it, and its command line, and no message of the gated side. It
// refuses whatever can't be decided: the sidecar is unreachable, an answer is unreadable, or two readers
// could parse a message differently.
package gates
