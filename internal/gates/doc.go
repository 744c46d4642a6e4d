// Package gates is between an agent and what it works with, on standard streams: between an MCP client and a
// server (MCP), and between an ACP client and an agent (ACP). Every message passes as it came, byte for byte,
// except for requests that policy decides: those ask the sidecar first, and reach the other side only when it
// allows them.
//
// The gate trusts the host that started it, and its command line, and no message
// of the gated side. What can't be decided, for whatever reason, is refused: a
// sidecar that is away, an answer that can't be read, a message that two readers
// could take differently.
package gates
