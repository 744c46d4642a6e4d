package extract

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/patch"
	"policyd/extract/shell"
	"policyd/extract/shell/host"
)

// acpReader makes the items of ACP methods.
type acpReader struct {
	facts    *builder
	view     *disk.View
	catalog  *catalog.Catalog
	table    *shell.Table
	commands *commands
	tools    *tools
	files    *fileTools
}

// acp makes the facts of a method: the method itself is the first item, and what
// it does is items as of any other tool. Which of them count is decided by the
// mode of its namespace.
func (e *extraction) acp(m *catalog.Method) {
	e.tools.args = e.tools.args.Given()
	e.acps.method(m)
	switch {
	case m.Reports:
		return
	case m.Asks:
		e.acps.permission()
	case m.Act == v1.ToolShell:
		e.acps.terminal(m)
	case m.Act != "":
		e.tools.does(&catalog.Tool{Kind: m.Act, Files: catalog.Files{Paths: m.Paths}, Content: m.Content})
	}
	r := e.argumentReader("")
	r.secretsOnly = true
	r.arguments()
	if m.Act != "" {
		e.tools.args.Ignore(m.Inert)
		e.tools.args.Ignore(m.Content)
		e.tools.unknownArguments()
	}
}

// method makes the item of the method and what says where it goes.
func (a *acpReader) method(m *catalog.Method) {
	a.facts.Tool.Namespace = m.Namespace
	item := v1.Item{Kind: v1.ItemMethod, Verb: a.facts.call.Tool, Path: -1}
	if m.Any {
		item.Caveats.Add("unknown_method")
	}
	a.facts.Items = append(a.facts.Items, item)
	for _, peer := range a.facts.call.Session.Peers {
		facts := v1.PeerFacts{ID: peer.ID, Capabilities: v1.Set{}}
		for _, capability := range peer.Capabilities {
			facts.Capabilities.Add(capability)
		}
		a.facts.Method.Peers = append(a.facts.Method.Peers, facts)
	}
	a.facts.Method.Permission.Asks = m.Asks
	a.facts.Method.Terminal.Step = m.Step
	if m.Terminal == "" {
		return
	}
	// Whatever else stands there names no terminal.
	if id, err := arguments.Text(a.tools.args.Raw(m.Terminal)); err == nil {
		a.facts.Method.Terminal.ID = id
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
	e.facts.about(v1.ToolACP)
	e.acps.method(m)
	return e.facts.finish(), true
}

// terminal makes the items of a program that is started with its arguments.
func (a *acpReader) terminal(m *catalog.Method) {
	a.facts.Tool.Act = m.Act
	for _, dir := range a.tools.texts([]string{"cwd"}) {
		a.tools.changeCwd(dir)
	}
	command, err := a.text("command")
	if err != nil || strings.TrimSpace(command) == "" {
		a.facts.doubt("command_missing")
		return
	}
	args, err := a.list("args")
	if err != nil {
		a.facts.doubt("argument_type")
	}
	first := len(a.facts.Items)
	if len(args) == 0 || quoteWord(command) != command {
		// A host may hand it to a shell.
		a.commands.commandLine(command)
	}
	if len(args) > 0 {
		a.commands.commandLine(commandText(append([]string{command}, args...), true))
	}
	a.environment(first)
}

// environment makes the variables that a program gets what assignments in front of
// it are, for every command item from first on.
func (a *acpReader) environment(first int) {
	assignments, ok := a.variables()
	if !ok {
		a.facts.doubt("environment_unreadable")
		return
	}
	if assignments == "" {
		return
	}
	parsed := a.table.Parse(assignments+"true", host.Options{
		Shell: a.facts.call.Session.Shell, Platform: a.facts.Session.Platform, Home: a.view.Home, Cwd: a.facts.Cwd,
		Plain: a.commands.asks.Plain, Toplevel: a.commands.asks.Toplevel,
	})
	harmless := len(parsed.Messy) == 0 && len(parsed.Commands) == 1 &&
		!parsed.Commands[0].Caveats.Has("assigns") && !parsed.Commands[0].Caveats.Has("sets_variable")
	for i := first; i < len(a.facts.Items); i++ {
		if item := &a.facts.Items[i]; item.Kind == v1.ItemCommand && !harmless {
			item.Caveats = append(v1.Set{}, item.Caveats...) // others may share it
			item.Caveats.Add("assigns")
		}
	}
}

// variables are the members of env as assignments in front of a command.
func (a *acpReader) variables() (assignments string, ok bool) {
	list, ok := a.variableList()
	var out strings.Builder
	for _, variable := range list {
		out.WriteString(variable.name + "=" + quoteWord(variable.value) + " ")
	}
	return out.String(), ok
}

type variable struct{ name, value string }

// variableList are the members of env.
func (a *acpReader) variableList() (out []variable, ok bool) {
	found := a.tools.args.Find("env")
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
	args, err := arguments.Decode(e.facts.call.Args)
	if err != nil {
		return nil, errNoCommand
	}
	e.tools.args = args.Given()
	for _, dir := range e.tools.texts([]string{"cwd"}) {
		e.facts.call = withCwd(e.facts.call, dir)
	}
	command, err := e.acps.text("command")
	if err != nil || strings.TrimSpace(command) == "" {
		return nil, errNoCommand
	}
	words, err := e.acps.list("args")
	if err != nil {
		return nil, errNoCommand
	}
	variables, ok := e.acps.variableList()
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
func (a *acpReader) text(name string) (string, error) {
	found := a.tools.args.Find(name)
	if found == nil {
		return "", arguments.ErrArgument
	}
	found.Used = true
	return arguments.Text(found.Raw)
}

// list takes a list of texts, and no text.
func (a *acpReader) list(name string) ([]string, error) {
	found := a.tools.args.Find(name)
	if found == nil {
		return nil, nil
	}
	if found.Raw[0] != '[' {
		found.Used = true
		return nil, arguments.ErrArgument
	}
	return a.tools.args.Take(name)
}

// permission makes the items of the tool call that a session/request_permission is
// about (N8). Only catalogued raw input is what the agent will do. What else it
// says (a title, places, a diff) can only add to it.
func (a *acpReader) permission() {
	call, err := arguments.Decode(a.tools.args.Raw("toolCall"))
	if err != nil || call == nil {
		return // nothing is known of it: whoever is asked decides
	}
	kind, _ := arguments.Text(call.Raw("kind"))
	input := a.rawInput(call, kind)
	a.facts.Method.Permission.RawInput = input != nil
	a.title(call, kind, input)
	a.places(call, kind)
}

// rawInput makes the items of a tool call's raw input where the catalog knows what
// it means for this client, and returns it; nil where it doesn't.
func (a *acpReader) rawInput(call arguments.Arguments, kind string) arguments.Arguments {
	t := a.catalog.Permission(a.facts.Tool.Client, kind)
	raw := call.Raw("rawInput")
	if t == nil || len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	input, err := arguments.Decode(raw)
	if err != nil || len(input) == 0 {
		return nil
	}
	outer := a.tools.args
	defer func() { a.tools.args = outer }()
	a.tools.args = input
	for _, names := range [][]string{t.Inert, t.Content, t.Diffs} {
		a.tools.args.Ignore(names)
	}
	a.tools.does(t)
	a.diffs(t)
	a.tools.unknownArguments()
	return input
}

// diffs doubts a diff that names another file than the path that it stands beside.
func (a *acpReader) diffs(t *catalog.Tool) {
	var named []string
	for path := range t.Paths {
		named = append(named, a.tools.texts([]string{path})...)
	}
	for _, diff := range a.tools.texts(t.Diffs) {
		if !patch.NamesOnly(diff, named) {
			a.facts.doubt("diff_names_another_file")
		}
	}
}

// title reads the title of a tool call as a command line. Where the raw input is
// known, a title that names a program counts unless it is that very command; where
// it is not, the title is all that there is of a command.
func (a *acpReader) title(call arguments.Arguments, kind string, input arguments.Arguments) {
	title, err := arguments.Text(call.Raw("title"))
	switch {
	case err != nil, input == nil && kind != kindExecute:
		return
	case input != nil && says(a.catalog.Permission(a.facts.Tool.Client, kind), input, strings.TrimSpace(title)):
		return
	}
	items, paths := len(a.facts.Items), len(a.facts.Paths)
	messy, doubts, complete := a.facts.Messy, len(a.facts.Doubts), a.facts.Complete
	a.commands.commandLine(withoutCodeSpan(title))
	a.facts.Messy, a.facts.Doubts, a.facts.Complete = messy, a.facts.Doubts[:doubts], complete
	if input != nil && !slices.ContainsFunc(a.facts.Items[items:], namesProgram) {
		a.facts.Items, a.facts.Paths = a.facts.Items[:items], a.facts.Paths[:paths] // a description
		return
	}
	for i := items; i < len(a.facts.Items); i++ {
		item := &a.facts.Items[i]
		item.Caveats = append(v1.Set{}, item.Caveats...) // others may share it
		item.Caveats.Add("only_titled")
	}
}

// places makes items of the places that a tool call names beside its raw input.
func (a *acpReader) places(call arguments.Arguments, kind string) {
	operation, known := a.catalog.ACPKinds[kind]
	if !known {
		return
	}
	for _, name := range [...]string{"locations", "content"} {
		raw := call.Raw(name)
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			a.facts.doubt("argument_type")
			continue
		}
		for _, entry := range list {
			members, err := arguments.Decode(entry)
			if err != nil {
				a.facts.doubt("argument_type")
				continue
			}
			if path, err := arguments.Text(members.Raw("path")); err == nil {
				a.files.alsoNamed(path, operation)
			}
		}
	}
}

// kindExecute is ACP's kind of tool calls that run a command.
const kindExecute = "execute"

// says reports whether a text is the command of a raw input. Clients may write a command as code in Markdown.
func says(t *catalog.Tool, input arguments.Arguments, text string) bool {
	return slices.ContainsFunc(t.Command, func(name string) bool {
		command, err := arguments.Text(input.Raw(name))
		return err == nil && (strings.TrimSpace(command) == text || withoutCodeSpan(text) == command)
	})
}

// withoutCodeSpan is the text of a title that is one span of code in Markdown, with escaped backticks in it; else the title.
func withoutCodeSpan(title string) string {
	inner, opens := strings.CutPrefix(strings.TrimSpace(title), "`")
	inner, closes := strings.CutSuffix(inner, "`")
	plain := strings.ReplaceAll(inner, "\\`", "")
	if !opens || !closes || inner == "" || strings.HasSuffix(inner, "\\") || strings.Contains(plain, "`") {
		return title
	}
	return strings.ReplaceAll(inner, "\\`", "`")
}

// namesProgram reports whether an item is a command that the program table knows.
func namesProgram(item v1.Item) bool {
	return item.Kind == v1.ItemCommand && item.Verb != "" && !item.Caveats.Has("unknown_program")
}
