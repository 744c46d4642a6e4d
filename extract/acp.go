package extract

import (
	"encoding/json"
	"regexp"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/shell"
)

// acp makes the facts of a method: the method itself is the first item, and what
// it does is items as of any other tool. Which of them count is decided by the
// mode of its namespace.
func (e *extraction) acp(m *catalog.Method) {
	e.args = e.args.Given()
	e.method(m)
	switch {
	case m.Reports:
		return
	case m.Asks:
		e.permission()
	case m.Act == v1.ToolShell:
		e.terminal(m)
	case m.Act != "":
		e.does(&catalog.Tool{Kind: m.Act, Files: catalog.Files{Paths: m.Paths}, Content: m.Content})
	}
	u := uncatalogued{e: e, secretsOnly: true}
	u.arguments()
	if m.Act != "" {
		e.args.Ignore(m.Inert)
		e.args.Ignore(m.Content)
		e.unknownArguments()
	}
}

// method makes the item of the method and what says where it goes.
func (e *extraction) method(m *catalog.Method) {
	e.facts.Tool.Namespace = m.Namespace
	item := v1.Item{Kind: v1.ItemMethod, Verb: e.call.Tool, Path: -1}
	if m.Any {
		item.Caveats.Add("unknown_method")
	}
	e.facts.Items = append(e.facts.Items, item)
	for _, peer := range e.call.Session.Peers {
		facts := v1.PeerFacts{ID: peer.ID, Capabilities: v1.Set{}}
		for _, capability := range peer.Capabilities {
			facts.Capabilities.Add(capability)
		}
		e.facts.Method.Peers = append(e.facts.Method.Peers, facts)
	}
	e.facts.Method.Permission.Asks = m.Asks
	e.facts.Method.Terminal.Step = m.Step
	if m.Terminal == "" {
		return
	}
	// Whatever else stands there names no terminal.
	if id, err := arguments.Text(e.args.Raw(m.Terminal)); err == nil {
		e.facts.Method.Terminal.ID = id
	}
}

// Method makes the facts of a method without arguments: whether it would be served
// at all is what a host may advertise (N3). ok is false for a name that is no
// method of the table.
func (x *Extractor) Method(session *v1.Session, name string) (facts v1.Facts, ok bool) {
	m := x.catalog.Method(name, false)
	if m == nil {
		return v1.Facts{}, false
	}
	call := &v1.Call{Tool: name, Protocol: "acp", Session: *session}
	e := x.begin(call)
	defer e.end()
	e.session()
	e.facts.Schema, e.facts.Complete = v1.FactsSchema, true
	e.facts.Tool = v1.ToolFacts{
		Name: name, Kind: v1.ToolACP, Client: x.catalog.Identify(session.Agent, name, "acp").Client, Protocol: "acp",
		Known: true, Act: m.Act,
	}
	e.about(v1.ToolACP)
	e.method(m)
	return e.finish(), true
}

// does makes the items of a method that does what a kind of tool does.
func (e *extraction) does(t *catalog.Tool) {
	e.facts.Tool.Act = t.Kind
	switch t.Kind {
	case v1.ToolShell:
		e.shellTool(t)
	case v1.ToolFetch:
		e.fetchTool(t)
	default:
		e.fileTool(t)
	}
}

// terminal makes the items of a program that is started with its arguments.
func (e *extraction) terminal(m *catalog.Method) {
	e.facts.Tool.Act = m.Act
	for _, dir := range e.texts([]string{"cwd"}) {
		e.changeCwd(dir)
	}
	command, err := e.text("command")
	if err != nil || strings.TrimSpace(command) == "" {
		e.doubt("command_missing")
		return
	}
	args, err := e.list("args")
	if err != nil {
		e.doubt("argument_type")
	}
	first := len(e.facts.Items)
	if len(args) == 0 || quoteWord(command) != command {
		// A host may hand it to a shell.
		e.commandLine(command)
	}
	if len(args) > 0 {
		e.commandLine(commandText(append([]string{command}, args...), true))
	}
	e.environment(first)
}

// environment makes the variables that a program gets what assignments in front of
// it are, for every command item from first on.
func (e *extraction) environment(first int) {
	assignments, ok := e.variables()
	if !ok {
		e.doubt("environment_unreadable")
		return
	}
	if assignments == "" {
		return
	}
	parsed := e.x.table.Parse(assignments+"true", shell.Options{
		Shell: e.call.Session.Shell, Platform: e.facts.Session.Platform, Home: e.view.Home, Cwd: e.facts.Cwd,
		Plain: e.work.asks.Plain, Toplevel: e.work.asks.Toplevel,
	})
	harmless := len(parsed.Messy) == 0 && len(parsed.Commands) == 1 &&
		!parsed.Commands[0].Caveats.Has("assigns") && !parsed.Commands[0].Caveats.Has("sets_variable")
	for i := first; i < len(e.facts.Items); i++ {
		if item := &e.facts.Items[i]; item.Kind == v1.ItemCommand && !harmless {
			item.Caveats = append(v1.Set{}, item.Caveats...) // others may share it
			item.Caveats.Add("assigns")
		}
	}
}

// variables are the members of env as assignments in front of a command.
func (e *extraction) variables() (assignments string, ok bool) {
	list, ok := e.variableList()
	var out strings.Builder
	for _, variable := range list {
		out.WriteString(variable.name + "=" + quoteWord(variable.value) + " ")
	}
	return out.String(), ok
}

type variable struct{ name, value string }

// variableList are the members of env.
func (e *extraction) variableList() (out []variable, ok bool) {
	found := e.args.Find("env")
	if found == nil {
		return nil, true
	}
	found.Used = true
	var list []json.RawMessage
	if err := json.Unmarshal(found.Raw, &list); err != nil || found.Raw[0] != '[' {
		return nil, false
	}
	for _, raw := range list {
		members, err := arguments.Decode(raw)
		if err != nil || members == nil {
			return nil, false
		}
		name, nameErr := arguments.Text(members.Raw("name"))
		value, valueErr := arguments.Text(members.Raw("value"))
		if nameErr != nil || valueErr != nil || !variableName.MatchString(name) {
			return nil, false
		}
		out = append(out, variable{name, value})
	}
	return out, true
}

// terminalArgv is how the program of a terminal is started: its variables are part of it, so
// that they don't reach what starts it.
func (e *extraction) terminalArgv() ([]string, error) {
	args, err := arguments.Decode(e.call.Args)
	if err != nil {
		return nil, errNoCommand
	}
	e.args = args.Given()
	for _, dir := range e.texts([]string{"cwd"}) {
		e.call = withCwd(e.call, dir)
	}
	command, err := e.text("command")
	if err != nil || strings.TrimSpace(command) == "" {
		return nil, errNoCommand
	}
	words, err := e.list("args")
	if err != nil {
		return nil, errNoCommand
	}
	variables, ok := e.variableList()
	if !ok {
		return nil, errNoCommand
	}
	var argv []string
	for _, variable := range variables {
		argv = append(argv, variable.name+"="+variable.value)
	}
	if argv != nil {
		argv = append([]string{"env"}, argv...)
	}
	switch plain := quoteWord(command) == command; {
	case plain:
		return append(append(argv, command), words...), nil
	case len(words) > 0:
		return nil, errNoCommand // a host may take it for a program or for a line
	}
	return append(argv, e.shell(&catalog.Tool{}), "-c", command), nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// text takes one text, and no list.
func (e *extraction) text(name string) (string, error) {
	found := e.args.Find(name)
	if found == nil {
		return "", arguments.ErrArgument
	}
	found.Used = true
	return arguments.Text(found.Raw)
}

// list takes a list of texts, and no text.
func (e *extraction) list(name string) ([]string, error) {
	found := e.args.Find(name)
	if found == nil {
		return nil, nil
	}
	if found.Raw[0] != '[' {
		found.Used = true
		return nil, arguments.ErrArgument
	}
	return e.args.Take(name)
}
