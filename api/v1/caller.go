package v1

// Caller is the sender of a request, as the transport identifies it. It never comes from the body. The zero
// value is an unknown agent that owns nothing.
type Caller struct {
	// Operator may answer, grant, revoke and see everything.
	Operator bool
	// Adapter is true for policyd's own client adapters, which alone may name a
	// parent session (C5).
	Adapter bool
	// Identity distinguishes callers with the agent role: the token's, or a peer of the Unix socket with a
	// user of its own.
	Identity string
	// Name is the name that a token or a client certificate proves, empty for the
	// tokens of the state directory and for the socket.
	Name string
}

// Asker is the identity to which open prompts count; empty for an operator, for whom only the total is
// bounded.
func (c *Caller) Asker() string {
	if c.Operator {
		return ""
	}
	return c.Identity
}
