package reply

import "encoding/json"

// registry holds the clients in the order in which messages list them. An entry here, the
// settings that an install writes (internal/install) and the tools in the catalog
// (extract/catalog/catalog.json) are all that a client needs whose payloads have the form of Claude
// Code's; any other has a reader in internal/clients, too.
var registry = []Client{claude, codex, gemini, openCode, copilot, cursor}

// Client is what is known of one agent program without reading its payloads. It is never
// changed.
type Client struct {
	// Name stands in the address and on the command line, and Agent is what sessions call it.
	Name, Agent string
	Events      Events
	// Allow is when an allow is given and not just left out, and Ask when a question is left to
	// the client's own dialog.
	Allow, Ask When
	// AsksLater is true if the client asks its user about a call by the call's id, once it was
	// decided.
	AsksLater bool
	Rewriting Rewriting
	// Shell returns the program that the client runs command lines in; nil for the one that
	// SHELL names.
	Shell func(host *ShellHost) string

	// What the client gives the MCP servers that it starts, seen with the programs themselves:
	// variables that hold the session's id, and members of a call's _meta that do, of which the
	// first counts that is there.
	SessionVariables, SessionMeta []string
	// ProjectVariables hold the project's directory. Without them it is the directory that a
	// server was started in.
	ProjectVariables []string

	// answer makes the body of what isn't a deny; known is false if it has to be one.
	answer func(event string, verdict Verdict, reason string) (body any, known bool)
	// deny makes the body of a deny. What is no event of the client's is a tool call.
	deny func(event, message string) any
	// exits is true if a deny needs the exit code, too. The others read standard output, and
	// some run the tool when a hook ends with 2 and prints nothing on standard error.
	exits bool
	// rewrite makes the body of an allow with other arguments; nil for a client that takes none.
	rewrite func(input json.RawMessage, reason string) any
}

// Events are the names that a client has for its events, by what they mean.
type Events struct {
	Tool, Permission, Start, End []string
	// After are events that name a tool that has run, or is of no concern.
	After []string
	// Launches are the sources of a session's start whose directory is the one of the launch. A
	// conversation that begins in the middle of a run may have followed a command that changed
	// the directory.
	Launches []string
}

// When says on what condition something is told to a client.
type When uint8

// The conditions.
const (
	Never When = iota
	// OnWish: the person asked for it at installation. It overrides rules that the person gave
	// the client.
	OnWish
	// Attended: a person is there.
	Attended
	Always
)

// Rewriting is how a client lets a hook replace the command line of a call. The zero value is
// not at all.
type Rewriting struct {
	// Event is the client's name of the event in whose answer it takes other arguments.
	Event string
	// Tools run a command line, which is the argument named command.
	Tools []string
	// Lasting is true if the shell outlives the call.
	Lasting bool
}

// Clients returns the names of the clients whose hooks are understood.
func Clients() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}

// ByName finds a client by its name in the address.
func ByName(name string) (*Client, bool) {
	for i := range registry {
		if registry[i].Name == name {
			return &registry[i], true
		}
	}
	return nil, false
}

// Rewrites reports whether the client takes another command line from a hook.
func (c *Client) Rewrites() bool { return c.rewrite != nil }
