package install

import (
	"time"

	"policyd/internal/clients/reply"
)

// defaultHold is how long a prompt is held for a client that has no dialog of its own.
const defaultHold = 55 * time.Second

// registry returns what is known of the settings of each client in reply.Clients.
func registry() []Client {
	return []Client{
		{
			Name: reply.Claude, Variable: "CLAUDE_CONFIG_DIR", files: (*Options).claude,
			Ungated: "not gated: sessions with --bare, and commands that the person types",
			judge:   (*Report).claudeHook, switches: (*Report).claudeSwitches, sandbox: (*Report).claudeSandbox,
		},
		{
			Name: reply.Codex, Variable: "CODEX_HOME", Hold: defaultHold, files: (*Options).codex,
			Ungated: "not gated: what is written into a shell that runs already (write_stdin)",
			After:   "codex skips hooks in silence until they are trusted: start codex, open /hooks and trust policyd's, also after each install that changes them",
			trust:   (*Report).trust, switches: (*Report).codexSwitches, sandbox: (*Report).codexSandbox,
		},
		{
			Name: reply.Gemini, Variable: "GEMINI_CLI_HOME", files: (*Options).gemini, timeout: time.Millisecond,
			Ungated:  "not gated: sessions over ACP, where no hook fires; use policyd acp there",
			switches: (*Report).geminiSwitches, sandbox: (*Report).geminiSandbox,
		},
		{
			Name: reply.OpenCode, Variable: "XDG_CONFIG_HOME", Hold: defaultHold, files: (*Options).openCode,
			Ungated: "not gated: sessions with --pure, and what other plugins change in a call after policyd's saw it",
		},
		{
			Name: reply.Copilot, Variable: "COPILOT_HOME", files: (*Options).copilot, userServers: true,
			Ungated: "not gated: a call whose hook takes longer than its timeout",
			After:   "copilot runs a tool whose hook takes too long: keep the hold well under the timeout that is written",
		},
		{
			Name: reply.Cursor, Hold: defaultHold, files: (*Options).cursor, judge: (*Report).cursorHook,
			Ungated: "known from Cursor's documentation alone: try that a denied command does not run",
		},
	}
}

// Client is what is known of one client's settings. It is never changed.
type Client struct {
	Name string
	// Hold is how long a prompt is held by default. Claude Code, Copilot and Gemini CLI have a dialog of
	// their own.
	Hold time.Duration
	// Variable is by which the client keeps its settings elsewhere, empty for none.
	Variable string
	// Ungated is what the client does without asking its hook.
	Ungated string
	// After is what only the person can do after an install, empty for nothing.
	After string

	// files are what an install touches; what gates is in the first.
	files func(o *Options) []file
	// timeout is the unit of a hook's timeout, seconds if it is zero.
	timeout time.Duration
	// userServers is true if MCP servers are read from the user's settings alone.
	userServers bool

	// The rest is for Inspect; nil for nothing. judge checks the hook of an event that gates tools, trust
	// whether the client runs the hook, switches the settings with which the client runs no hook at all, and
	// sandbox those that keep a rewritten line from reaching policyd.
	judge    func(r *Report, event string, e *entry)
	trust    func(r *Report, path, event string, group, position int, matcher *string, e *entry)
	switches func(r *Report, o *Options, own *document)
	sandbox  func(r *Report, o *Options)
}

// ByName returns a client by its name in package reply.
func ByName(name string) (*Client, bool) {
	for _, client := range registry() {
		if client.Name == name {
			return &client, true
		}
	}
	return nil, false
}

// Contains reports whether a client accepts a rewritten command line from its hook. The tests with the real
// programs check it for each.
func Contains(client string) bool {
	known, found := reply.ByName(client)
	return found && known.Rewrites()
}

// Holding are the clients whose prompts are held by default.
func Holding() []string {
	return named(func(client *Client) bool { return client.Hold > 0 })
}

// Containing are the clients that accept a rewritten command line.
func Containing() []string {
	return named(func(client *Client) bool { return Contains(client.Name) })
}

func named(of func(*Client) bool) []string {
	var names []string
	for _, client := range registry() {
		if of(&client) {
			names = append(names, client.Name)
		}
	}
	return names
}
