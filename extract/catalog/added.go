package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
)

// addedTool is the part of the catalog's entries that operators may write.
type addedTool struct {
	Kind     string            `json:"kind"`
	Command  []string          `json:"command"`
	Shell    string            `json:"shell"`
	Cwd      []string          `json:"cwd"`
	Paths    map[string]string `json:"paths"`
	Default  string            `json:"default"`
	Patterns []string          `json:"patterns"`
	URLs     []string          `json:"urls"`
	Content  []string          `json:"content"`
	Inert    []string          `json:"inert"`
}

// Additions are an operator's additions to the catalog, by client and tool.
type Additions map[string]struct {
	Tools map[string]*addedTool `json:"tools"`
}

// With returns a catalog that has an operator's tools as well. It changes no entry of c: a
// name that c knows is a *argv.EntryError, as is an entry that can't be used. denied are
// the kinds and verbs that some agent may not use.
func (c *Catalog) With(clients Additions, denied map[string]bool) (*Catalog, error) {
	if len(clients) == 0 {
		return c, nil
	}
	extended := *c
	extended.Aliases, extended.Clients = maps.Clone(c.Aliases), maps.Clone(c.Clients)
	for _, name := range slices.Sorted(maps.Keys(clients)) {
		key, err := extended.addClient(name)
		if err != nil {
			return nil, err
		}
		entry := *extended.Clients[key]
		entry.Tools = maps.Clone(entry.Tools)
		extended.Clients[key] = &entry
		for _, called := range slices.Sorted(maps.Keys(clients[name].Tools)) {
			path := "clients." + name + ".tools." + called
			if err := extended.addable(key, called, denied); err != nil {
				return nil, &argv.EntryError{Entry: path, Message: err.Error()}
			}
			made, err := clients[name].Tools[called].tool(path)
			if err != nil {
				return nil, err
			}
			entry.Tools[called] = made
		}
	}
	extended.index()
	return &extended, nil
}

// addClient returns the key of a client. One that the catalog doesn't know has all that
// agents have that it doesn't know.
func (c *Catalog) addClient(name string) (string, error) {
	if key, known := c.Aliases[strings.ToLower(name)]; known {
		return key, nil
	}
	if c.Clients[name] != nil {
		return name, nil
	}
	if name == "" || strings.TrimSpace(name) != name || c.Clients[strings.ToLower(name)] != nil {
		return "", &argv.EntryError{Entry: "clients." + name, Message: "no name of a client; write the name that sessions have in agent, or generic for every unknown client"}
	}
	c.Aliases[strings.ToLower(name)] = name
	c.Clients[name] = &client{MCP: c.Clients[genericClient].MCP, Inherits: genericClient, Tools: map[string]*Tool{}}
	return name, nil
}

// addable reports why an operator can't add a tool: whatever the catalog would know without
// the addition, by any of the ways that it looks names up, stays what it is. A tool of an
// MCP server stays one for the agents that may not use it.
func (c *Catalog) addable(key, name string, denied map[string]bool) error {
	if name == "" || strings.TrimSpace(name) != name {
		return fmt.Errorf("no name of a tool; write it as the agent sends it")
	}
	if c.tool(c.Clients[key], name) != nil || c.Clients[genericClient].Tools[name] != nil && len(c.Clients[genericClient].Tools[name].Callee) > 0 {
		return fmt.Errorf("the catalog has this tool already, and its entry can't be changed; remove this one")
	}
	namespace, _, _ := strings.Cut(name, "/")
	if c.Method(name, true) != nil || c.ACP[namespace+"/*"] != nil {
		return fmt.Errorf("the name is that of an ACP method, whose entry can't be changed; remove this one")
	}
	if server, tool, is := splitMCP(c.Clients[key], name); is {
		for _, entry := range []string{v1.ToolMCP, MCPVerb(server, tool)} {
			if denied[entry] {
				return fmt.Errorf("agents has %q in a list deny_tools, which this entry would take from it; deny the tool by its name %s, or remove this entry", entry, name)
			}
		}
	}
	return nil
}

// tool returns what the catalog has for an operator's entry, with every part checked.
func (a *addedTool) tool(path string) (*Tool, error) {
	if a == nil {
		return nil, &argv.EntryError{Entry: path, Message: "empty; an entry has a kind, and names the arguments"}
	}
	made := &Tool{
		Kind: a.Kind, CommandLines: CommandLines{Command: a.Command, Shell: a.Shell, Cwd: a.Cwd},
		Files: Files{Paths: a.Paths, Default: a.Default, Patterns: a.Patterns}, URLs: a.URLs, Content: a.Content, Inert: a.Inert,
	}
	if err := a.checkKind(path); err != nil {
		return nil, err
	}
	if err := a.checkArguments(path); err != nil {
		return nil, err
	}
	return made, nil
}

// addedKinds are the kinds of tools that operators may add, and the lists of arguments that
// extraction reads of each. Arguments in another list would be judged by nothing.
var addedKinds = map[string][]string{
	v1.ToolShell: {"command", "shell", "cwd", "inert"}, v1.ToolRead: fileLists, v1.ToolWrite: fileLists, v1.ToolEdit: fileLists,
	v1.ToolDelete: fileLists, v1.ToolMove: fileLists, v1.ToolList: fileLists, v1.ToolSearch: fileLists,
	v1.ToolFetch: {"urls", "inert"}, v1.ToolOther: {"inert"}, v1.ToolInternal: {"inert"},
}

var fileLists = []string{"paths", "default", "patterns", "content", "inert"}

// checkKind reports a kind that no tool has.
func checkKind(path, kind string) error {
	if _, known := addedKinds[kind]; !known {
		return &argv.EntryError{Entry: path + ".kind", Message: fmt.Sprintf("%q is no kind; allowed: %s", kind,
			strings.Join(slices.Sorted(maps.Keys(addedKinds)), ", "))}
	}
	return nil
}

func (a *addedTool) checkKind(path string) error {
	if err := checkKind(path, a.Kind); err != nil {
		return err
	}
	lists := addedKinds[a.Kind]
	for _, list := range []struct {
		name   string
		length int
	}{
		{"command", len(a.Command)},
		{"shell", len(a.Shell)},
		{"cwd", len(a.Cwd)},
		{"paths", len(a.Paths)},
		{"default", len(a.Default)},
		{"patterns", len(a.Patterns)},
		{"urls", len(a.URLs)},
		{"content", len(a.Content)},
	} {
		if list.length > 0 && !slices.Contains(lists, list.name) {
			return &argv.EntryError{Entry: path + "." + list.name, Message: fmt.Sprintf("a tool of the kind %s has no %s; choose another kind, or remove it", a.Kind, list.name)}
		}
	}
	switch {
	case a.Kind == v1.ToolShell && len(a.Command) == 0:
		return &argv.EntryError{Entry: path, Message: "declares no argument with a command line; add command"}
	case a.Kind == v1.ToolFetch && len(a.URLs) == 0:
		return &argv.EntryError{Entry: path, Message: "declares no argument with an address; add urls"}
	case len(lists) == len(fileLists) && len(a.Paths) == 0:
		return &argv.EntryError{Entry: path, Message: "declares no argument with a path; add paths"}
	}
	return nil
}

// addedOps are what a tool may do to a path: tree reads all that is below.
var addedOps = []string{v1.OpRead, v1.OpWrite, v1.OpDelete, v1.OpList, "tree"}

// changingOps are those that a tool of a kind that changes files has to have one of.
var changingOps = map[string][]string{
	v1.ToolWrite: {v1.OpWrite}, v1.ToolEdit: {v1.OpWrite}, v1.ToolMove: {v1.OpWrite}, v1.ToolDelete: {v1.OpDelete},
}

// checkOps reports what no tool can do to its paths.
func checkOps(path string, paths map[string]string, otherwise string) error {
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		if !slices.Contains(addedOps, paths[name]) {
			return &argv.EntryError{Entry: path + ".paths." + name, Message: fmt.Sprintf("%q is nothing that is done to a path; allowed: %s", paths[name], strings.Join(addedOps, ", "))}
		}
	}
	if otherwise != "" && otherwise != v1.OpRead && otherwise != v1.OpList && otherwise != "tree" {
		return &argv.EntryError{Entry: path + ".default", Message: fmt.Sprintf("%q is nothing that is done to the working directory; allowed: list, read, tree", otherwise)}
	}
	return nil
}

func (a *addedTool) checkArguments(path string) error {
	if err := checkOps(path, a.Paths, a.Default); err != nil {
		return err
	}
	if ops := changingOps[a.Kind]; ops != nil && !slices.ContainsFunc(slices.Collect(maps.Values(a.Paths)), func(op string) bool { return slices.Contains(ops, op) }) {
		return &argv.EntryError{Entry: path + ".paths", Message: fmt.Sprintf("a tool of the kind %s has a path with %s; add it, or choose another kind", a.Kind, ops[0])}
	}
	lists := map[string][]string{
		"command": a.Command, "cwd": a.Cwd, "paths": slices.Collect(maps.Keys(a.Paths)), "patterns": a.Patterns, "urls": a.URLs, "content": a.Content, "inert": a.Inert,
	}
	seen := map[string]string{}
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		for _, name := range lists[list] {
			if first, twice := seen[name]; twice {
				return &argv.EntryError{Entry: path + "." + list, Message: fmt.Sprintf("the argument %q is in %s already; list it in one of them", name, first)}
			}
			seen[name] = list
		}
	}
	return nil
}
