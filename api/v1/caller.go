package v1

// Caller is who sends a request, as the transport knows them. It never comes
// from the body. The zero value is an agent that nobody knows, who owns nothing.
type Caller struct {
	// Operator may answer, grant, revoke and see everything.
	Operator bool
	// Adapter is true for policyd's own client adapters, which alone may name a
	// parent session (C5).
	Adapter bool
	// Identity tells one agent role from another: the token's, or a peer of the
	// Unix socket with a user of its own.
	Identity string
	// Name is the name that a token or a client certificate proves, empty for the
	// tokens of the state directory and for the socket.
	Name string
}

// Asker is the identity that open prompts count for; empty for an operator, who is bounded
// by the whole alone.
func (c *Caller) Asker() string {
	if c.Operator {
		return ""
	}
	return c.Identity
}
