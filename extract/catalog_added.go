package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell"
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

// addedClients are an operator's additions to the catalog, by client and tool.
type addedClients map[string]struct {
	Tools map[string]*addedTool `json:"tools"`
}

// with returns a catalog that has an operator's tools as well. It changes no entry of c: a
// name that c knows is a *argv.EntryError, as is an entry that can't be used. denied are
// the kinds and verbs that some agent may not use.
func (c *catalog) with(clients addedClients, denied map[string]bool) (*catalog, error) {
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
func (c *catalog) addClient(name string) (string, error) {
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
	c.Clients[name] = &client{MCP: c.Clients[genericClient].MCP, Inherits: genericClient, Tools: map[string]*tool{}}
	return name, nil
}

// addable reports why an operator can't add a tool: whatever the catalog would know without
// the addition, by any of the ways that it looks names up, stays what it is. A tool of an
// MCP server stays one for the agents that may not use it.
func (c *catalog) addable(key, name string, denied map[string]bool) error {
	if name == "" || strings.TrimSpace(name) != name {
		return fmt.Errorf("no name of a tool; write it as the agent sends it")
	}
	if c.tool(c.Clients[key], name) != nil || c.Clients[genericClient].Tools[name] != nil && len(c.Clients[genericClient].Tools[name].Callee) > 0 {
		return fmt.Errorf("the catalog has this tool already, and its entry can't be changed; remove this one")
	}
	namespace, _, _ := strings.Cut(name, "/")
	if c.method(name, true) != nil || c.ACP[namespace+"/*"] != nil {
		return fmt.Errorf("the name is that of an ACP method, whose entry can't be changed; remove this one")
	}
	if server, tool, is := splitMCP(c.Clients[key], name); is {
		for _, entry := range []string{v1.ToolMCP, mcpVerb(server, tool)} {
			if denied[entry] {
				return fmt.Errorf("agents has %q in a list deny_tools, which this entry would take from it; deny the tool by its name %s, or remove this entry", entry, name)
			}
		}
	}
	return nil
}

// tool returns what the catalog has for an operator's entry, with every part checked.
func (a *addedTool) tool(path string) (*tool, error) {
	if a == nil {
		return nil, &argv.EntryError{Entry: path, Message: "empty; an entry has a kind, and names the arguments"}
	}
	made := &tool{
		Kind: a.Kind, Command: a.Command, Shell: a.Shell, Cwd: a.Cwd, Paths: a.Paths, Default: a.Default, Patterns: a.Patterns,
		URLs: a.URLs, Content: a.Content, Inert: a.Inert,
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

func (a *addedTool) checkKind(path string) error {
	lists, known := addedKinds[a.Kind]
	if !known {
		return &argv.EntryError{Entry: path + ".kind", Message: fmt.Sprintf("%q is no kind; allowed: %s", a.Kind,
			strings.Join(slices.Sorted(maps.Keys(addedKinds)), ", "))}
	}
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

func (a *addedTool) checkArguments(path string) error {
	for _, name := range slices.Sorted(maps.Keys(a.Paths)) {
		if !slices.Contains(addedOps, a.Paths[name]) {
			return &argv.EntryError{Entry: path + ".paths." + name, Message: fmt.Sprintf("%q is nothing that is done to a path; allowed: %s", a.Paths[name], strings.Join(addedOps, ", "))}
		}
	}
	if a.Default != "" && a.Default != v1.OpRead && a.Default != v1.OpList && a.Default != "tree" {
		return &argv.EntryError{Entry: path + ".default", Message: fmt.Sprintf("%q is nothing that is done to the working directory; allowed: list, read, tree", a.Default)}
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

// additions are what operators add to the tables of extraction, out of data.policyd.settings.
type additions struct {
	SafeVerbs struct {
		Programs map[string]any `json:"programs"`
	} `json:"safe_verbs"`
	Catalog struct {
		Clients addedClients `json:"clients"`
	} `json:"catalog"`
	Denied []string `json:"denied"`
}

// denied are the kinds and verbs that some agent may not use.
func (a *additions) denied() map[string]bool {
	set := make(map[string]bool, len(a.Denied))
	for _, entry := range a.Denied {
		set[entry] = true
	}
	return set
}

// deniedTools gathers the lists deny_tools of all agents.
func deniedTools(settings map[string]any) []any {
	var all []any
	agents, _ := settings["agents"].(map[string]any)
	for _, value := range agents {
		agent, _ := value.(map[string]any)
		list, _ := agent["deny_tools"].([]any)
		all = append(all, list...)
	}
	return all
}

func readAdditions(settings map[string]any) (*additions, error) {
	text, err := json.Marshal(map[string]any{"safe_verbs": programsOf(settings), "catalog": settings["catalog"], "denied": deniedTools(settings)})
	if err != nil {
		return nil, fmt.Errorf("read additions: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var read additions
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("read additions: %w", err)
	}
	return &read, nil
}

func programsOf(settings map[string]any) map[string]any {
	verbs, _ := settings["safe_verbs"].(map[string]any)
	if programs, there := verbs["programs"]; there {
		return map[string]any{"programs": programs}
	}
	return nil
}

// tables say how command lines and tool calls are read. They are safe for concurrent use.
type tables struct {
	table   *shell.Table
	lines   *shell.Memo
	catalog *catalog
}

// with returns tables that hold an operator's programs and tools as well, and t where there
// are none.
func (t *tables) with(settings map[string]any) (*tables, error) {
	added, err := readAdditions(settings)
	if err != nil {
		return nil, err
	}
	if len(added.SafeVerbs.Programs)+len(added.Catalog.Clients) == 0 {
		return t, nil
	}
	extended := *t
	if extended.table, err = t.table.With(added.SafeVerbs.Programs); err != nil {
		return nil, fmt.Errorf("read safe_verbs: %w", err)
	}
	if extended.table != t.table {
		extended.lines = shell.NewMemo(extended.table)
	}
	if extended.catalog, err = t.catalog.with(added.Catalog.Clients, added.denied()); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	return &extended, nil
}

// CheckAdditions reports what of an operator's safe_verbs and catalog, in the shape of
// data.policyd.settings, can't be used beside its agents. A *argv.EntryError names the entry.
func (b *Base) CheckAdditions(settings map[string]any) error {
	extended, err := b.builtin.with(settings)
	if err != nil {
		return err
	}
	verbs, _ := settings["safe_verbs"].(map[string]any)
	for _, platform := range []string{"common", "linux", "darwin", "windows"} {
		if verbs[platform] == nil {
			continue
		}
		if err := checkForms(extended.table, platform, verbs[platform]); err != nil {
			return fmt.Errorf("read safe_verbs: %w", err)
		}
	}
	return nil
}

// FormRisk is the risk of an option or role of a built-in verb, as the program table marks it, or "".
func (b *Base) FormRisk(platform, verb, name, kind string) string {
	return b.builtin.table.FormRisk(platform, verb, name, kind)
}

// checkForms reports the first form of a platform that can't count.
func checkForms(table *shell.Table, platform string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("read safe forms: %w", err)
	}
	var verbs map[string][]argv.SafeForm
	if err := json.Unmarshal(text, &verbs); err != nil {
		return fmt.Errorf("read safe forms: %w", err)
	}
	for _, verb := range slices.Sorted(maps.Keys(verbs)) {
		path := platform + "." + verb
		if len(verbs[verb]) == 0 {
			return &argv.EntryError{Entry: path, Message: "declares no options; add a form with the options and operands that are safe, or {form: {}} for none"}
		}
		for i := range verbs[verb] {
			form, at := &verbs[verb][i], fmt.Sprintf("%s[%d]", path, i)
			if err := form.Check(at); err != nil {
				return err
			}
			if err := table.Explains(platform, verb, form, at); err != nil {
				return err
			}
		}
	}
	return nil
}
