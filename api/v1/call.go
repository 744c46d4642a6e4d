package v1

import "encoding/json"

// Call is one tool call that an agent wants to make. It is the request body of
// POST /v1/decide.
type Call struct {
	// Tool is the agent's own name for the tool, or a JSON-RPC method if Protocol is "acp". Required.
	Tool string `json:"tool"`
	// Protocol is empty, "acp" or "mcp".
	Protocol string `json:"protocol,omitempty"`
	// Args is the tool's argument object as the agent sent it. Required, {} for none.
	Args json.RawMessage `json:"args"`
	// Cwd is the directory that the tool would run in, if the host knows it.
	Cwd string `json:"cwd,omitempty"`
	// Escalate prompts a person instead of running the call contained, since containment refused something
	// that the call needs.
	Escalate bool `json:"escalate,omitempty"`
	// Session is the session of the call. Session.ID is required.
	Session Session `json:"session"`
}

// Audience is who sees an agent's output, narrowest last.
type Audience string

// The audiences. A missing or unknown one is AudiencePublic on the raw API.
const (
	AudiencePersonal Audience = "personal"
	AudienceTeam     Audience = "team"
	AudiencePublic   Audience = "public"
)

// Session is one agent conversation. Every field except ID is optional; a missing field has its narrowest
// meaning.
type Session struct {
	ID       string   `json:"id"`
	Agent    string   `json:"agent,omitempty"`
	ParentID string   `json:"parent_id,omitempty"`
	Audience Audience `json:"audience,omitempty"`
	// ProjectDir and ExtraDirs are named by the host, never by the model (P14).
	ProjectDir string   `json:"project_dir,omitempty"`
	ExtraDirs  []string `json:"extra_dirs,omitempty"`
	SessionDir string   `json:"session_dir,omitempty"`
	// Interactive is true if a person is there to answer. If it is missing, it is false for a new session,
	// and unchanged for a known one.
	Interactive *bool `json:"interactive,omitempty"`
	// Platform is linux, darwin or windows; empty is the sidecar's own.
	Platform string `json:"platform,omitempty"`
	Home     string `json:"home,omitempty"`
	// Shell is the program that runs command lines; empty is bash on Unix.
	Shell string `json:"shell,omitempty"`
	// Tools lists the hint tools that the session offers its agent (D5).
	Tools []string `json:"tools,omitempty"`
	Peers []Peer   `json:"peers,omitempty"`
	// Enforces lists the kinds of obligations that the caller fulfils: ObligationContain. Only adapters and
	// gates set it, never the agent.
	Enforces []string `json:"enforces,omitempty"`
	// LastingShell is true if the shell outlives the call, so that a change of directory stays. Such a line
	// is not run contained.
	LastingShell bool `json:"lasting_shell,omitempty"`
	// Resolved is true if the directories are real paths, resolved when the session was registered. A
	// directory that resolves to another path by now doesn't count. It isn't on the wire.
	Resolved bool `json:"-"`
}

// Attended reports whether a person is there to answer.
func (s *Session) Attended() bool { return s.Interactive != nil && *s.Interactive }

// Peer is one client that may serve requests of an agent (N5).
type Peer struct {
	ID           string   `json:"id"`
	Capabilities []string `json:"capabilities,omitempty"`
}

// ProtocolOwn marks a call of policyd itself. Requests can't have it.
const ProtocolOwn = "policyd"

// BatchRequest is the body of POST /v1/decide/batch: 1 to 100 calls.
type BatchRequest struct {
	Calls []Call `json:"calls"`
}

// BatchResponse answers a BatchRequest, in order.
type BatchResponse struct {
	Decisions []Decision `json:"decisions"`
}
