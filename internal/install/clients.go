package install

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"policyd/internal/hook"
	"policyd/internal/shellquote"
)

// slack is how much longer a client waits than its hook: a hook that is cut off prints nothing, and most
// clients then run the tool.
const slack = 5 * time.Second

// Options configure an installation.
type Options struct {
	Client string
	// Project is the directory whose settings are written; empty for the user's.
	Project string
	// Here is the directory whose settings a client also reads if the user's were written; empty for none.
	// Only Inspect uses it.
	Here string
	// Home is the user's home directory, and Env the environment, in which clients
	// name other places for their settings.
	Home string
	Env  func(string) (string, bool)
	// Hook is the hook program with its first arguments, up to the client's name.
	Hook []string
	// HookFlags follow the client's name.
	HookFlags []string
	// Policyd is the main program, which serves the hint tools. Empty: they are
	// not registered.
	Policyd string
	// Hold is how long a question is held.
	Hold time.Duration
	// AutoApprove sends an allow of policyd's as the person's own.
	AutoApprove bool
	// Contain lets command lines be rewritten so that they run contained.
	Contain bool
}

// hintTools are the tools that hints may mention if they are registered (D5).
const hintTools = "request_read_access,set_working_directory"

// command is the hook's command line, in words.
func (o *Options) command() []string {
	words := append(append([]string{}, o.Hook...), o.Client)
	if o.Hold > 0 {
		words = append(words, "--hold", o.Hold.String())
	}
	if o.AutoApprove {
		words = append(words, "--auto-approve")
	}
	if o.Contain {
		words = append(words, "--contain")
	}
	if o.offersTools() {
		words = append(words, "--tools", hintTools)
	}
	return append(words, o.HookFlags...)
}

// offersTools states whether the hint tools are registered.
func (o *Options) offersTools() bool {
	client, known := ByName(o.Client)
	return o.Policyd != "" && known && (o.Project == "" || !client.userServers)
}

// patience is how long the hook may take.
func (o *Options) patience() time.Duration {
	if o.Hold > 0 {
		return o.Hold + hook.Grace
	}
	return hook.Patience
}

// seconds is the client's own timeout.
func (o *Options) seconds() int { return int((o.patience() + slack).Seconds()) }

// format is how a file is written.
type format int

const (
	strictJSON format = iota
	commentedJSON
	toml
	plugin
)

// file is one settings file of a client, and what belongs into it.
type file struct {
	path   string
	format format
	// hooks are events in order, each with the entry that is added to its list.
	hooks []eventHook
	// version is written if the file is new and its client wants one.
	version int
	// server is the place of the hint tools' MCP server in the settings, and its entry.
	serverAt string
	server   any
}

type eventHook struct {
	event string
	entry any
}

// group and handler are what Claude Code, Codex and Gemini CLI have in common.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

type handler struct {
	// Name is what Gemini CLI shows while the hook runs.
	Name      string `json:"name,omitempty"`
	Type      string `json:"type"`
	Command   string `json:"command"`
	Timeout   int    `json:"timeout"`
	OnFailure string `json:"onFailure,omitempty"`
	// StatusMessage is what Claude Code and Codex show while the hook runs.
	StatusMessage string `json:"statusMessage,omitempty"`
}

// hookName is how Gemini CLI knows the hook.
const hookName = "policyd"

// whereToAnswer is what clients show while a hook runs that may be held. The text is fixed: no client accepts
// one from a running hook, except for those that read it as the answer in older versions.
const whereToAnswer = "policyd: if this waits, answer with `policyd prompts watch` or `policyd console`"

// status is what a client shows while the hook runs; empty if no question is held.
func (o *Options) status() string {
	if o.Hold == 0 {
		return ""
	}
	return whereToAnswer
}

// files are what an install of the client touches.
func (o *Options) files() ([]file, error) {
	if client, known := ByName(o.Client); known {
		return client.files(o), nil
	}
	return nil, fmt.Errorf("install hooks: unknown client %q", o.Client)
}

// place is a client's directory: a variable names it, or it is in the home.
func (o *Options) place(variable string, below ...string) string {
	if named, set := o.Env(variable); set && filepath.IsAbs(named) {
		return named
	}
	return filepath.Join(append([]string{o.Home}, below...)...)
}

func (o *Options) shellCommand() string { return shellquote.Join(o.command()) }

// stdioServer is the form in which most clients name an MCP server.
type stdioServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Tools   []string `json:"tools,omitempty"`
}

func (o *Options) toolsServer() stdioServer {
	return stdioServer{Command: o.Policyd, Args: []string{"tools", "--client", o.Client}}
}

// claude's settings are strict JSON: with a comment in it, Claude ignores a file. A project's are the
// person's own (settings.local.json), since the program's path is this machine's.
func (o *Options) claude() []file {
	line := handler{Type: "command", Command: o.shellCommand(), Timeout: o.seconds()}
	gate := line
	gate.OnFailure, gate.StatusMessage = "block", o.status()
	settings := filepath.Join(o.place("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
	servers := filepath.Join(o.Home, ".claude.json")
	if named, set := o.Env("CLAUDE_CONFIG_DIR"); set && filepath.IsAbs(named) {
		servers = filepath.Join(named, ".claude.json")
	}
	if o.Project != "" {
		settings = filepath.Join(o.Project, ".claude", "settings.local.json")
		servers = filepath.Join(o.Project, ".mcp.json")
	}
	hooks := []eventHook{{"PreToolUse", group{"*", []handler{gate}}}}
	if o.AutoApprove {
		hooks = append(hooks, eventHook{"PermissionRequest", group{"*", []handler{gate}}})
	}
	hooks = append(hooks, eventHook{"SessionStart", group{"", []handler{line}}}, eventHook{"SessionEnd", group{"", []handler{line}}})
	return o.withServer([]file{{path: settings, hooks: hooks}}, file{path: servers, serverAt: "mcpServers", server: o.toolsServer()})
}

func (o *Options) codex() []file {
	dir := o.place("CODEX_HOME", ".codex")
	if o.Project != "" {
		dir = filepath.Join(o.Project, ".codex")
	}
	line := handler{Type: "command", Command: o.shellCommand(), Timeout: o.seconds()}
	gate := line
	gate.StatusMessage = o.status()
	hooks := []eventHook{{"PreToolUse", group{"", []handler{gate}}}}
	if o.AutoApprove {
		hooks = append(hooks, eventHook{"PermissionRequest", group{"", []handler{gate}}})
	}
	hooks = append(hooks, eventHook{"SessionStart", group{"", []handler{line}}})
	return o.withServer([]file{{path: filepath.Join(dir, "hooks.json"), hooks: hooks}},
		file{path: filepath.Join(dir, "config.toml"), format: toml, serverAt: "mcp_servers", server: o.toolsServer()})
}

// gemini counts timeouts in milliseconds.
func (o *Options) gemini() []file {
	const milliseconds = 1000
	settings := filepath.Join(o.place("GEMINI_CLI_HOME"), ".gemini", "settings.json")
	if o.Project != "" {
		settings = filepath.Join(o.Project, ".gemini", "settings.json")
	}
	line := handler{Name: hookName, Type: "command", Command: o.shellCommand(), Timeout: o.seconds() * milliseconds}
	gate := line
	gate.Name = cmp.Or(o.status(), hookName)
	one := file{path: settings, format: commentedJSON, hooks: []eventHook{
		{"BeforeTool", group{"*", []handler{gate}}}, {"SessionStart", group{"", []handler{line}}}, {"SessionEnd", group{"", []handler{line}}},
	}}
	one.serverAt = "mcpServers"
	if o.offersTools() {
		one.server = o.toolsServer()
	}
	return []file{one}
}

// openCode's plugin runs in OpenCode itself; its servers are in opencode.json.
func (o *Options) openCode() []file {
	dir, plugins := o.openCodeDir(), filepath.Join(o.openCodeDir(), "plugins")
	if o.Project != "" {
		dir, plugins = o.Project, filepath.Join(o.Project, ".opencode", "plugins")
	}
	settings := filepath.Join(dir, "opencode.json")
	if commented := filepath.Join(dir, "opencode.jsonc"); !exists(settings) && exists(commented) {
		settings = commented
	}
	server := struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}{"local", []string{o.Policyd, "tools", "--client", o.Client}, true}
	return o.withServer([]file{{path: filepath.Join(plugins, "policyd.js"), format: plugin}},
		file{path: settings, format: commentedJSON, serverAt: "mcp", server: server})
}

func (o *Options) openCodeDir() string {
	return filepath.Join(o.place("XDG_CONFIG_HOME", ".config"), "opencode")
}

func (o *Options) copilot() []file {
	type entry struct {
		Type       string `json:"type"`
		Bash       string `json:"bash"`
		TimeoutSec int    `json:"timeoutSec"`
	}
	dir := o.place("COPILOT_HOME", ".copilot")
	hooks := filepath.Join(dir, "hooks", "policyd.json")
	if o.Project != "" {
		hooks = filepath.Join(o.Project, ".github", "hooks", "policyd.json")
	}
	line := entry{"command", o.shellCommand(), o.seconds()}
	events := []eventHook{{"preToolUse", line}}
	if o.AutoApprove {
		events = append(events, eventHook{"permissionRequest", line})
	}
	events = append(events, eventHook{"sessionStart", line}, eventHook{"sessionEnd", line})
	server := o.toolsServer()
	server.Type, server.Tools = "local", []string{"*"}
	return o.withServer([]file{{path: hooks, version: 1, hooks: events}},
		file{path: filepath.Join(dir, "mcp-config.json"), serverAt: "mcpServers", server: server})
}

// cursor's settings are known from its documentation alone.
func (o *Options) cursor() []file {
	type entry struct {
		Command    string `json:"command"`
		Timeout    int    `json:"timeout"`
		FailClosed bool   `json:"failClosed"`
	}
	dir := filepath.Join(o.Home, ".cursor")
	if o.Project != "" {
		dir = filepath.Join(o.Project, ".cursor")
	}
	line := entry{o.shellCommand(), o.seconds(), true}
	return o.withServer([]file{{path: filepath.Join(dir, "hooks.json"), format: commentedJSON, version: 1, hooks: []eventHook{
		{"beforeShellExecution", line}, {"beforeReadFile", line}, {"beforeMCPExecution", line}, {"preToolUse", line},
	}}}, file{path: filepath.Join(dir, "mcp.json"), format: commentedJSON, serverAt: "mcpServers", server: o.toolsServer()})
}

// withServer adds the file of the hint tools. Without them it is still looked
// at, for what an earlier install left.
func (o *Options) withServer(files []file, server file) []file {
	if !o.offersTools() {
		server.server = nil
	}
	return append(files, server)
}
