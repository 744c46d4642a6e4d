package v1

// TerminalReport is the body of POST /v1/sessions/{id}/terminals: the name that a
// peer's response to a terminal/create gave (N5).
type TerminalReport struct {
	TerminalID string `json:"terminal_id"`
	// DecisionID is the decision that allowed the terminal/create.
	DecisionID string `json:"decision_id"`
	// Peer is who answered a request that went to every subscriber.
	Peer string `json:"peer,omitempty"`
}

// Terminal is a terminal of a session, and who made it: empty is the host.
type Terminal struct {
	TerminalID string `json:"terminal_id"`
	Peer       string `json:"peer"`
}

// Capabilities are what a host may advertise to an agent as the client's (N3), in
// ACP's own names. The zero value advertises nothing.
type Capabilities struct {
	FS       FSCapabilities `json:"fs"`
	Terminal bool           `json:"terminal"`
}

// FSCapabilities are those of the namespace fs.
type FSCapabilities struct {
	ReadTextFile  bool `json:"readTextFile"`
	WriteTextFile bool `json:"writeTextFile"`
}
