// Package catalog knows what the tools of agent programs do: which arguments hold commands, paths, addresses and
// contents. It knows names alone, and neither sessions nor the disk.
package catalog

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

//go:embed catalog.json
var catalogJSON []byte

// Tool is what the catalog says of one tool. It embeds what counts for one kind of tools.
type Tool struct {
	Kind string `json:"kind"`
	CommandLines
	Files
	Search
	URLs    []string `json:"urls"`
	Texts   []string `json:"texts"`
	Content []string `json:"content"`
	Inert   []string `json:"inert"`
	// Acts are arguments with which an internal tool does more than that.
	Acts []string `json:"acts"`
	// ActsWith are words by argument with which an internal tool does more, in lower case.
	ActsWith map[string][]string `json:"acts_with"`
	// Callee are the arguments that name the agent that is asked. A tool that has
	// one is the same for every client, since hosts offer it.
	Callee []string `json:"callee"`
}

// CommandLines are the arguments of a tool that runs command lines.
type CommandLines struct {
	Command []string `json:"command"`
	// Words is true where a command may be a list, and is started as execve(2) takes it.
	// Who expects a text may do anything with a list, such as join it.
	Words bool `json:"words"`
	// Typed is true where a command is typed into a program that runs already, which needn't be a shell.
	Typed bool `json:"typed"`
	// Lines are arguments that list command lines, each of its own.
	Lines []string `json:"lines"`
	Shell string   `json:"shell"`
	Cwd   []string `json:"cwd"`
}

// Files are the arguments of a tool that reads or changes files.
type Files struct {
	// Paths are arguments that name paths, each with what is done to them, and Diffs those
	// that show what becomes of the one file that Paths name.
	Paths map[string]string `json:"paths"`
	Diffs []string          `json:"diffs"`
	// Default is what is done to the working directory when no path is given.
	Default  string   `json:"default"`
	Patterns []string `json:"patterns"`
	// Corrects is true for a tool that takes a relative path that isn't there for another file's that ends like it.
	Corrects bool `json:"corrects"`
	// Globs is true where Paths are globs to npm's package of that name: they match hidden names, and names in any
	// case, and what links lead to is read.
	Globs bool     `json:"globs"`
	Patch []string `json:"patch"`
}

// Search are the arguments by which a tool chooses the files that it reads.
type Search struct {
	Include []string `json:"include"`
	// Pathspecs is true where git may take Include for pathspecs. Operands are arguments
	// that a program gets as they stand, so that one with a dash in front is an option.
	Pathspecs bool     `json:"pathspecs"`
	Operands  []string `json:"operands"`
	// Types are arguments that name a file type of ripgrep's.
	Types []string `json:"types"`
	// Ignoring is true when a search leaves out what git's ignore rules do.
	Ignoring bool `json:"ignoring"`
	// Expressions are arguments with regular expressions of a search that git grep does where ripgrep can't be had. If
	// git refuses one, or outside a work tree, a program does it that knows no ignore rules.
	Expressions []string `json:"expressions"`
	// ReadsIgnored are arguments that make it read those, too, each with the one
	// value by which it doesn't.
	ReadsIgnored map[string]bool `json:"reads_ignored"`
}

type client struct {
	MCP struct {
		Prefix    string `json:"prefix"`
		Separator string `json:"separator"`
	} `json:"mcp"`
	Inherits string `json:"inherits"`
	Tools    tools  `json:"tools"`
	// Permissions say what the raw input of a session/request_permission is, by the
	// kind of its tool call.
	Permissions tools `json:"permissions"`
}

// Method is what the catalog says of an ACP method.
type Method struct {
	Namespace string `json:"namespace"`
	// Act is the kind of tool whose work the method does on Paths, or as a shell
	// with a program and its arguments; empty for none.
	Act     string            `json:"act"`
	Paths   map[string]string `json:"paths"`
	Content []string          `json:"content"`
	Inert   []string          `json:"inert"`
	// Step is what the method does to a terminal, and Terminal the argument that
	// names one.
	Step     string `json:"step"`
	Terminal string `json:"terminal"`
	// Asks is true for a method that asks a person.
	Asks bool `json:"asks"`
	// Reports is true for a method that only tells what happens: what it names is
	// not touched by it.
	Reports bool `json:"reports"`
	// Any is true for what stands for all methods of its namespace that have no
	// entry of their own.
	Any bool `json:"any"`
	// Bare is true if Any holds without the protocol, too. Tools of hosts that don't
	// speak ACP can be called like the others.
	Bare bool `json:"bare"`
}

// Catalog maps the names that agents give their tools to what they do. It may be used concurrently.
type Catalog struct {
	Aliases map[string]string  `json:"aliases"`
	Clients map[string]*client `json:"clients"`
	// FileTypes are the globs of ripgrep's file types, those of every version.
	FileTypes map[string][]string `json:"file_types"`
	MCP
	// ACPKinds say what a tool call of an ACP kind does to the places that it names.
	ACPKinds map[string]string  `json:"acp_kinds"`
	ACP      map[string]*Method `json:"acp"`

	// Arguments are the names of arguments that tools have, by how JSON writes
	// them: they need no copy in each call.
	Arguments map[string]string `json:"-"`
}

// MCP says what the tools of MCP servers do, which no client's entry explains, by the names of their arguments.
type MCP struct {
	// MCPPaths are arguments that are paths, MCPPlaces the last words of names
	// that are named like paths, MCPMentions those of names whose texts say or look
	// for something, MCPPatterns those of regular expressions or globs, and
	// MCPCommands those of command lines, words of commands and code.
	MCPPaths    []string `json:"mcp_paths"`
	MCPPlaces   []string `json:"mcp_places"`
	MCPMentions []string `json:"mcp_mentions"`
	MCPPatterns []string `json:"mcp_patterns"`
	// MCPTitles are those of MCPMentions that may name a file that is made.
	MCPTitles []string `json:"mcp_titles"`
	// Running are words in names of tools that run what they are given, beside MCPCommands.
	Running     []string          `json:"running"`
	MCPCommands []string          `json:"mcp_commands"`
	MCPReaders  map[string]string `json:"mcp_readers"`
	// MCPNonrecursive are tools that look at nothing below a directory that they are given.
	MCPNonrecursive []string `json:"mcp_nonrecursive"`
	// MCPLanguages are words of names of arguments that hold statements in a language that is
	// not read, each with the risk that the call has.
	MCPLanguages map[string]string `json:"mcp_languages"`
}

// genericClient is the entry for agents that the catalog doesn't know.
const genericClient = "generic"

// Load reads the embedded catalog.
func Load() (*Catalog, error) {
	c, err := read(catalogJSON)
	if err != nil {
		return nil, fmt.Errorf("load tool catalog: catalog.json: %w", err)
	}
	return c, nil
}

func read(text []byte) (*Catalog, error) {
	var c Catalog
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Clients)) {
		for list, tools := range map[string]tools{"tools": c.Clients[name].Tools, "permissions": c.Clients[name].Permissions} {
			if err := tools.check("clients." + name + "." + list); err != nil {
				return nil, err
			}
		}
	}
	c.index()
	return &c, nil
}

// tools are entries by the names of tools.
type tools map[string]*Tool

var _ json.Unmarshaler = (*tools)(nil)

// UnmarshalJSON decodes entries, and names the one that can't be read.
func (t *tools) UnmarshalJSON(data []byte) error {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	*t = make(tools, len(entries))
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		decoder := json.NewDecoder(bytes.NewReader(entries[name]))
		decoder.DisallowUnknownFields()
		tool := &Tool{}
		if err := decoder.Decode(tool); err != nil {
			return fmt.Errorf("the tool %s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
		}
		(*t)[name] = tool
	}
	return nil
}

// check reports a value that no entry can have, as for an operator's.
func (t tools) check(path string) error {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		tool := t[name]
		if err := cmp.Or(checkKind(path+"."+name, tool.Kind), checkOps(path+"."+name, tool.Paths, tool.Default)); err != nil {
			return err
		}
	}
	return nil
}

// index notes the names of the arguments of tools.
func (c *Catalog) index() {
	c.Arguments = make(map[string]string)
	for _, client := range c.Clients {
		for _, tool := range client.Tools {
			for _, list := range [][]string{
				tool.Command, tool.Cwd, tool.Content, tool.Inert, tool.Operands, tool.Patterns, tool.Include, slices.Collect(maps.Keys(tool.Paths)),
			} {
				for _, name := range list {
					c.Arguments[`"`+name+`"`] = name
				}
			}
		}
	}
}

// Identity is what a name turned out to be.
type Identity struct {
	Client string
	Tool   *Tool
	Method *Method
	Server string // of an MCP tool
	Name   string // of an MCP tool on its server
	Known  bool
}

// ownRead is the read that policyd itself asks about before it asks a person for
// a grant.
var ownRead = &Tool{Kind: v1.ToolRead, Files: Files{Paths: map[string]string{"path": v1.OpRead}}}

// Identify looks a tool up by client, exact name and protocol. A method of the
// ACP table is an ACP method with or without the protocol field (N1). Only a
// name that no client's catalog knows and that no method is spelled like can
// be an unknown method, which passes (N2).
func (c *Catalog) Identify(agent, name, protocol string) Identity {
	key, known := c.Aliases[strings.ToLower(agent)]
	if !known {
		key = genericClient
	}
	out := Identity{Client: key}
	entry := c.Clients[key]
	switch protocol {
	case v1.ProtocolOwn:
		out.Tool, out.Known = ownRead, true
		return out
	case "mcp":
		out.Server, out.Name = "unknown", name
		// A gate spells names in one way, for whichever client it stands.
		for _, entry := range []*client{c.Clients[genericClient], entry} {
			if server, tool, ok := splitMCP(entry, name); ok {
				out.Server, out.Name = server, tool
				break
			}
		}
		return out
	case "acp":
		if m := c.Method(name, true); m != nil {
			out.Method, out.Known = m, true
			return out
		}
		if c.spelledLikeKnown(name) {
			return out
		}
		out.Method = &Method{}
		return out
	}
	found := c.tool(entry, name)
	if hosts := c.Clients[genericClient].Tools[name]; found == nil && hosts != nil && len(hosts.Callee) > 0 {
		found = hosts
	}
	if found != nil {
		out.Tool, out.Known = found, true
		return out
	}
	if m := c.Method(name, false); m != nil {
		out.Method, out.Known = m, true
		return out
	}
	if server, tool, ok := splitMCP(entry, name); ok {
		out.Server, out.Name = server, tool
	}
	return out
}

// spelledLikeKnown reports whether a name is a catalogued tool of any client,
// an MCP tool, or a method but for case, blanks and slashes.
func (c *Catalog) spelledLikeKnown(name string) bool {
	folded := strings.ToLower(strings.Trim(name, " \t\r\n/"))
	for _, entry := range c.Clients {
		for tool := range entry.Tools {
			if strings.ToLower(tool) == folded {
				return true
			}
		}
		if prefix := entry.MCP.Prefix; prefix != "" && strings.HasPrefix(folded, prefix) {
			return true
		}
	}
	for method := range c.ACP {
		namespace, _, _ := strings.Cut(method, "/")
		if folded == namespace || strings.HasPrefix(folded, namespace+"/") {
			return true
		}
	}
	return false
}

func (c *Catalog) tool(entry *client, name string) *Tool {
	for entry != nil {
		if found, ok := entry.Tools[name]; ok {
			return found
		}
		entry = c.Clients[entry.Inherits]
	}
	return nil
}

// Method finds a method by its exact name, or by its namespace if the protocol
// says that it is one or the namespace is known without it.
func (c *Catalog) Method(name string, certain bool) *Method {
	if m, ok := c.ACP[name]; ok {
		return m
	}
	namespace, _, ok := strings.Cut(name, "/")
	if !ok {
		return nil
	}
	if m := c.ACP[namespace+"/*"]; m != nil && (certain || m.Bare) {
		return m
	}
	return nil
}

// splitMCP reads the server and the tool out of a name as the client builds it.
func splitMCP(entry *client, name string) (server, tool string, ok bool) {
	rest, found := strings.CutPrefix(name, entry.MCP.Prefix)
	if !found || entry.MCP.Separator == "" {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, entry.MCP.Separator)
	return server, tool, ok && server != "" && tool != ""
}

// Kind is the tool kind of an identity.
func (i Identity) Kind() string {
	switch {
	case i.Tool != nil:
		return i.Tool.Kind
	case i.Method != nil:
		return v1.ToolACP
	case i.Server != "":
		return v1.ToolMCP
	}
	return v1.ToolOther
}

// Permission is what the catalog knows of the raw input of a kind of tool calls.
func (c *Catalog) Permission(client, kind string) *Tool { return c.Clients[client].Permissions[kind] }

// ContentArguments are the arguments that hold file contents or patches in any client's tools or in any ACP
// method, sorted, without those that hold command lines elsewhere.
func (c *Catalog) ContentArguments() []string {
	var names, commands []string
	for _, client := range c.Clients {
		for _, tool := range client.Tools {
			names = append(append(names, tool.Content...), tool.Patch...)
			commands = append(commands, tool.Command...)
		}
	}
	for _, method := range c.ACP {
		names = append(names, method.Content...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(commands, name) })
	slices.Sort(names)
	return slices.Compact(names)
}
