package reply

import "encoding/json"

// The clients whose hooks are understood, by the name in the address and on the
// command line.
const (
	Claude   = "claude"
	Codex    = "codex"
	Gemini   = "gemini"
	OpenCode = "opencode"
	Copilot  = "copilot"
	Cursor   = "cursor"
)

// Reply is what a hook gives its client: one JSON object for standard output,
// and the exit code that belongs to it.
type Reply struct {
	Body []byte
	Exit int
}

// Failure is the client's own deny for a payload, which may be cut, garbage or
// empty, since it is what is said when nothing else can be. message is for the
// person and the model, never empty. It never fails and never panics; an unknown
// client gets a deny that every client refuses by, with exit code 2.
func Failure(client string, payload []byte, message string) Reply {
	_ = client
	_ = payload
	body, err := json.Marshal(map[string]string{"decision": "deny", "reason": message})
	if err != nil {
		body = []byte(`{"decision":"deny","reason":"policyd failed"}`)
	}
	return Reply{Body: body, Exit: exitDeny}
}

// exitDeny is the exit code by which every client's hook blocks.
const exitDeny = 2
