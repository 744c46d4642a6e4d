package extract

import (
	"encoding/json"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/patch"
)

// permission makes the items of the tool call that a session/request_permission is
// about (N8). Only catalogued raw input is what the agent will do. What else it
// says (a title, places, a diff) can only add to it.
func (e *extraction) permission() {
	call, err := arguments.Decode(e.args.Raw("toolCall"))
	if err != nil || call == nil {
		return // nothing is known of it: whoever is asked decides
	}
	kind, _ := arguments.Text(call.Raw("kind"))
	input := e.rawInput(call, kind)
	e.facts.Method.Permission.RawInput = input != nil
	e.title(call, kind, input)
	e.places(call, kind)
}

// rawInput makes the items of a tool call's raw input where the catalog knows what
// it means for this client, and returns it; nil where it doesn't.
func (e *extraction) rawInput(call arguments.Arguments, kind string) arguments.Arguments {
	t := e.x.catalog.Permission(e.facts.Tool.Client, kind)
	raw := call.Raw("rawInput")
	if t == nil || len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	input, err := arguments.Decode(raw)
	if err != nil || len(input) == 0 {
		return nil
	}
	outer := e.args
	defer func() { e.args = outer }()
	e.args = input
	for _, names := range [][]string{t.Inert, t.Content, t.Diffs} {
		e.args.Ignore(names)
	}
	e.does(t)
	e.diffs(t)
	e.unknownArguments()
	return input
}

// diffs doubts a diff that names another file than the path that it stands beside.
func (e *extraction) diffs(t *catalog.Tool) {
	var named []string
	for path := range t.Paths {
		named = append(named, e.texts([]string{path})...)
	}
	for _, diff := range e.texts(t.Diffs) {
		if !patch.NamesOnly(diff, named) {
			e.doubt("diff_names_another_file")
		}
	}
}

// title reads the title of a tool call as a command line. Where the raw input is
// known, a title that names a program counts unless it is that very command; where
// it is not, the title is all that there is of a command.
func (e *extraction) title(call arguments.Arguments, kind string, input arguments.Arguments) {
	title, err := arguments.Text(call.Raw("title"))
	switch {
	case err != nil, input == nil && kind != kindExecute:
		return
	case input != nil && says(e.x.catalog.Permission(e.facts.Tool.Client, kind), input, strings.TrimSpace(title)):
		return
	}
	items, paths := len(e.facts.Items), len(e.facts.Paths)
	messy, doubts, complete := e.facts.Messy, len(e.facts.Doubts), e.facts.Complete
	e.commandLine(title)
	e.facts.Messy, e.facts.Doubts, e.facts.Complete = messy, e.facts.Doubts[:doubts], complete
	if input != nil && !slices.ContainsFunc(e.facts.Items[items:], namesProgram) {
		e.facts.Items, e.facts.Paths = e.facts.Items[:items], e.facts.Paths[:paths] // a description
		return
	}
	for i := items; i < len(e.facts.Items); i++ {
		item := &e.facts.Items[i]
		item.Caveats = append(v1.Set{}, item.Caveats...) // others may share it
		item.Caveats.Add("only_titled")
	}
}

// kindExecute is ACP's kind of tool calls that run a command.
const kindExecute = "execute"

// says reports whether the command of a raw input is this text.
func says(t *catalog.Tool, input arguments.Arguments, text string) bool {
	return slices.ContainsFunc(t.Command, func(name string) bool {
		command, err := arguments.Text(input.Raw(name))
		return err == nil && strings.TrimSpace(command) == text
	})
}

// namesProgram reports whether an item is a command that the program table knows.
func namesProgram(item v1.Item) bool {
	return item.Kind == v1.ItemCommand && item.Verb != "" && !item.Caveats.Has("unknown_program")
}

// places makes items of the places that a tool call names beside its raw input.
func (e *extraction) places(call arguments.Arguments, kind string) {
	operation, known := e.x.catalog.ACPKinds[kind]
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
			e.doubt("argument_type")
			continue
		}
		for _, entry := range list {
			members, err := arguments.Decode(entry)
			if err != nil {
				e.doubt("argument_type")
				continue
			}
			if path, err := arguments.Text(members.Raw("path")); err == nil {
				e.alsoNamed(path, operation)
			}
		}
	}
}

// alsoNamed makes the item of a path unless there is one.
func (e *extraction) alsoNamed(path, operation string) {
	items, paths := len(e.facts.Items), len(e.facts.Paths)
	added := e.filePath(path, operation, &catalog.Tool{})
	same := func(p v1.Path) bool { return p.Op == added.Op && p.Real == added.Real && p.Space == added.Space }
	if slices.ContainsFunc(e.facts.Paths[:paths], same) {
		e.facts.Items, e.facts.Paths = e.facts.Items[:items], e.facts.Paths[:paths]
	}
}
