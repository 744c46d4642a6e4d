package reply

import "encoding/json"

// registry lists the clients in the order of messages. A client whose payloads have the form of Claude Code's
// needs an entry here, its settings (internal/install) and its tools (extract/catalog/catalog.json). Any other also
// needs a reader in internal/clients.
var registry = []Client{claude, codex, gemini, openCode, copilot, cursor}

// Client is what is known of one agent program without reading its payloads. It is never
// changed.
type Client struct {
	// Name is in the address and on the command line, and Agent is what sessions call it.
	Name, Agent string
	Events      Events
	// Allow is the condition for sending an allow, and Ask for leaving a question to the client's own dialog.
	Allow, Ask When
	// AsksLater is true if the client asks its user about a call after it was decided, by the call's id.
	AsksLater bool
	Rewriting Rewriting
	// Shell returns the program that the client runs command lines in; nil for the one that
	// SHELL names.
	Shell func(host *ShellHost) string

	// What the client passes to the MCP servers that it starts, seen with the programs themselves: variables
	// with the session's id, and members of a call's _meta with it. The first that is present applies.
	SessionVariables, SessionMeta []string
	// ProjectVariables contain the project's directory. Without them it is the directory in which a server
	// was started.
	ProjectVariables []string

	// answer makes the body of what isn't a deny; known is false if it has to be one.
	answer func(event string, verdict Verdict, reason string) (body any, known bool)
	// deny makes the body of a deny. Anything that isn't an event of the client's is a tool call.
	deny func(event, message string) any
	// exits is true if a deny needs the exit code, too. The others read standard output, and
	// some run the tool when a hook ends with 2 and prints nothing on standard error.
	exits bool
	// rewrite makes the body of an allow with other arguments; nil if the client accepts none.
	rewrite func(input json.RawMessage, reason string) any
}

// Events are the names that a client has for its events, by what they mean.
type Events struct {
	Tool, Permission, Start, End []string
	// After are events that name a tool that has run, or is of no concern.
	After []string
	// Launches are the sources of a session start whose directory is the launch's. A conversation that begins
	// in the middle of a run may follow a command that changed the directory.
	Launches []string
}

// When is the condition for sending a verdict to a client.
type When uint8

// The conditions.
const (
	Never When = iota
	// OnWish: if the person chose it at installation. It overrides rules that the person gave the client.
	OnWish
	// Attended: a person is there.
	Attended
	Always
)

// Rewriting describes how a hook replaces the command line of a call. The zero value means that it can't.
type Rewriting struct {
	// Event is the client's name of the event whose reply may contain other arguments.
	Event string
	// Tools run a command line, which is the argument named command.
	Tools []string
	// Lasting is true if the shell outlives the call.
	Lasting bool
}

// Clients returns the names of the supported clients.
func Clients() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}

// ByName returns a client by its name in the address.
func ByName(name string) (*Client, bool) {
	for i := range registry {
		if registry[i].Name == name {
			return &registry[i], true
		}
	}
	return nil, false
}

// Rewrites reports whether the client accepts another command line from a hook.
func (c *Client) Rewrites() bool { return c.rewrite != nil }
