package extract

import (
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

// tool is what the catalog says of one tool: which arguments hold commands,
// paths, addresses and contents, and which have no effect.
type tool struct {
	Kind    string   `json:"kind"`
	Command []string `json:"command"`
	// Words is true where a command may be a list, and is started as execve(2) takes it.
	// Who expects a text may do anything with a list, such as join it.
	Words bool `json:"words"`
	// Lines are arguments that list command lines, each of its own, and Diffs those
	// that show what becomes of the one file that Paths name.
	Lines []string          `json:"lines"`
	Diffs []string          `json:"diffs"`
	Shell string            `json:"shell"`
	Cwd   []string          `json:"cwd"`
	Paths map[string]string `json:"paths"`
	// Default is what is done to the working directory when no path is given.
	Default  string   `json:"default"`
	Patterns []string `json:"patterns"`
	Include  []string `json:"include"`
	// Pathspecs is true where git may take Include for pathspecs. Operands are arguments
	// that a program gets as they stand, so that one with a dash in front is an option.
	Pathspecs bool     `json:"pathspecs"`
	Operands  []string `json:"operands"`
	// Types are arguments that name a file type of ripgrep's.
	Types []string `json:"types"`
	// Ignoring is true when a search leaves out what git's ignore rules do.
	Ignoring bool `json:"ignoring"`
	// ReadsIgnored are arguments that make it read those, too, each with the one
	// value by which it doesn't.
	ReadsIgnored map[string]bool `json:"reads_ignored"`
	Patch        []string        `json:"patch"`
	URLs         []string        `json:"urls"`
	Texts        []string        `json:"texts"`
	Content      []string        `json:"content"`
	Inert        []string        `json:"inert"`
	// Callee are the arguments that name the agent that is asked. A tool that has
	// one is the same for every client, since hosts offer it.
	Callee []string `json:"callee"`
}

type client struct {
	MCP struct {
		Prefix    string `json:"prefix"`
		Separator string `json:"separator"`
	} `json:"mcp"`
	Inherits string           `json:"inherits"`
	Tools    map[string]*tool `json:"tools"`
	// Permissions say what the raw input of a session/request_permission is, by the
	// kind of its tool call.
	Permissions map[string]*tool `json:"permissions"`
}

// method is what the catalog says of an ACP method.
type method struct {
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

// catalog maps the names that agents give their tools to what they do.
type catalog struct {
	Aliases map[string]string  `json:"aliases"`
	Clients map[string]*client `json:"clients"`
	// FileTypes are the globs of ripgrep's file types, those of every version.
	FileTypes map[string][]string `json:"file_types"`
	// MCPPaths are arguments that are paths, MCPPlaces the last words of names
	// that are named like paths, MCPMentions those of names whose texts say or look
	// for something, MCPPatterns those of regular expressions or globs, and
	// MCPCommands those of command lines, words of commands and code.
	MCPPaths    []string          `json:"mcp_paths"`
	MCPPlaces   []string          `json:"mcp_places"`
	MCPMentions []string          `json:"mcp_mentions"`
	MCPPatterns []string          `json:"mcp_patterns"`
	MCPCommands []string          `json:"mcp_commands"`
	MCPReaders  map[string]string `json:"mcp_readers"`
	// MCPNonrecursive are tools that look at nothing below a directory that they are given.
	MCPNonrecursive []string `json:"mcp_nonrecursive"`
	// MCPLanguages are words of names of arguments that hold statements in a language that is
	// not read, each with the risk that the call has.
	MCPLanguages map[string]string `json:"mcp_languages"`
	// ACPKinds say what a tool call of an ACP kind does to the places that it names.
	ACPKinds map[string]string  `json:"acp_kinds"`
	ACP      map[string]*method `json:"acp"`

	// arguments are the names of arguments that tools have, by how JSON writes
	// them: they need no copy in each call.
	arguments map[string]string
}

// genericClient is the entry for agents that the catalog doesn't know.
const genericClient = "generic"

func loadCatalog() (*catalog, error) {
	var c catalog
	decoder := json.NewDecoder(strings.NewReader(string(catalogJSON)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("load tool catalog: %w", err)
	}
	c.index()
	return &c, nil
}

// index notes the names of the arguments of tools.
func (c *catalog) index() {
	c.arguments = make(map[string]string)
	for _, client := range c.Clients {
		for _, tool := range client.Tools {
			for _, list := range [][]string{
				tool.Command, tool.Cwd, tool.Content, tool.Inert, tool.Operands, tool.Patterns, tool.Include, slices.Collect(maps.Keys(tool.Paths)),
			} {
				for _, name := range list {
					c.arguments[`"`+name+`"`] = name
				}
			}
		}
	}
}

// identity is what a name turned out to be.
type identity struct {
	client string
	tool   *tool
	method *method
	server string // of an MCP tool
	name   string // of an MCP tool on its server
	known  bool
}

// ownRead is the read that policyd itself asks about before it asks a person for
// a grant.
var ownRead = &tool{Kind: v1.ToolRead, Paths: map[string]string{"path": v1.OpRead}}

// identify looks a tool up by client, exact name and protocol. A method of the
// ACP table is an ACP method with or without the protocol field (N1). Only a
// name that no client's catalog knows and that no method is spelled like can
// be an unknown method, which passes (N2).
func (c *catalog) identify(agent, name, protocol string) identity {
	key, known := c.Aliases[strings.ToLower(agent)]
	if !known {
		key = genericClient
	}
	out := identity{client: key}
	entry := c.Clients[key]
	switch protocol {
	case v1.ProtocolOwn:
		out.tool, out.known = ownRead, true
		return out
	case "mcp":
		out.server, out.name = "unknown", name
		// A gate spells names in one way, for whichever client it stands.
		for _, entry := range []*client{c.Clients[genericClient], entry} {
			if server, tool, ok := splitMCP(entry, name); ok {
				out.server, out.name = server, tool
				break
			}
		}
		return out
	case "acp":
		if m := c.method(name, true); m != nil {
			out.method, out.known = m, true
			return out
		}
		if c.spelledLikeKnown(name) {
			return out
		}
		out.method = &method{}
		return out
	}
	found := c.tool(entry, name)
	if hosts := c.Clients[genericClient].Tools[name]; found == nil && hosts != nil && len(hosts.Callee) > 0 {
		found = hosts
	}
	if found != nil {
		out.tool, out.known = found, true
		return out
	}
	if m := c.method(name, false); m != nil {
		out.method, out.known = m, true
		return out
	}
	if server, tool, ok := splitMCP(entry, name); ok {
		out.server, out.name = server, tool
	}
	return out
}

// spelledLikeKnown reports whether a name is a catalogued tool of any client,
// an MCP tool, or a method but for case, blanks and slashes.
func (c *catalog) spelledLikeKnown(name string) bool {
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

func (c *catalog) tool(entry *client, name string) *tool {
	for entry != nil {
		if found, ok := entry.Tools[name]; ok {
			return found
		}
		entry = c.Clients[entry.Inherits]
	}
	return nil
}

// method finds a method by its exact name, or by its namespace if the protocol
// says that it is one or the namespace is known without it.
func (c *catalog) method(name string, certain bool) *method {
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

// mcpOperation is what an MCP tool does to a path argument: by its name where
// it is a well-known one, else it may write.
func (c *catalog) mcpOperation(tool, argument string) string {
	if op, ok := c.MCPReaders[tool]; ok {
		return op
	}
	if known := c.Clients[genericClient].Tools[tool]; known != nil {
		if op, ok := known.Paths[argument]; ok {
			return op
		}
	}
	return v1.OpWrite
}

// kind is the tool kind of an identity.
func (i identity) kind() string {
	switch {
	case i.tool != nil:
		return i.tool.Kind
	case i.method != nil:
		return v1.ToolACP
	case i.server != "":
		return v1.ToolMCP
	}
	return v1.ToolOther
}

// Inert names the arguments of a call that change nothing of what it does: a
// description, a timeout.
func (x *Extractor) Inert(call *v1.Call) []string {
	who := x.catalog.identify(call.Session.Agent, call.Tool, call.Protocol)
	switch {
	case who.tool != nil:
		return who.tool.Inert
	case who.method != nil:
		return who.method.Inert
	}
	return nil
}
