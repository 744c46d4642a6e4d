package shell

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5: no entry of an operator has the name of a program that the table knows, however it is
// spelled, nor of what a shell does itself.
func TestOperatorsChangeNoEntry(t *testing.T) {
	table := newTable(t)
	var names []string
	for name := range table.raw {
		names = append(names, name, strings.ToUpper(name), name+".exe")
	}
	for name := range table.windows {
		_, bare, _ := strings.Cut(name, "/")
		names = append(names, bare, strings.ToUpper(bare))
	}
	names = append(names, slices.Concat(table.words.Builtins, table.words.RunsText, table.words.Hooks)...)
	names = append(names, "python3.99", "python2.7", "bash", "zsh", "policyd", "policyd-hook", "./acme", "/usr/bin/acme", "acme status", "", "-x", "a\nb", "git.EXE", "acme.cmd")
	require.Greater(t, len(names), 1000)
	for _, name := range names {
		_, err := table.With(map[string]any{name: map[string]any{"options": map[string]any{"--json": "none"}}})
		var refused *EntryError
		require.ErrorAsf(t, err, &refused, "%q", name)
		require.Equal(t, "programs."+name, refused.Entry)
	}
}

// V5: a table with additions reads every other program as before, and the table that it was
// made of knows nothing of them.
func TestOperatorsAddPrograms(t *testing.T) {
	table := newTable(t)
	var programs map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{
		"acme": {
			"options": {"-p,--profile": "value"}, "aliases": {"st": "status"},
			"commands": {"status": {"options": {"--json": "none", "-o,--output": "write"}, "operands": [{"roles": ["file:read*"]}]}}
		},
		"acmectl": {"style": "go", "operands": [{"roles": ["name:value"]}], "separators": ["--"], "network": true}
	}`), &programs))
	extended, err := table.With(programs)
	require.NoError(t, err)
	for name := range table.raw {
		assert.JSONEq(t, string(table.raw[name]), string(extended.raw[name]), name)
	}
	assert.Nil(t, table.program("acme"))
	require.NoError(t, extended.Check())
	read := func(table *Table, line string) Command {
		parsed := table.Parse(line, Options{Platform: "linux", Shell: "bash"})
		require.Len(t, parsed.Commands, 1, line)
		return parsed.Commands[0]
	}
	known := read(extended, "acme -p x st --json a.txt")
	assert.Equal(t, "acme status", known.Verb)
	kind, _ := known.Form.Get("<file>")
	assert.Equal(t, "read", kind)
	assert.False(t, known.Caveats.Has("unknown_option") || known.Caveats.Has("unknown_program"))
	assert.True(t, read(extended, "acme status --nope").Caveats.Has("unknown_option"))
	assert.True(t, read(extended, "acmectl x").Caveats.Has("network"))
	assert.True(t, read(table, "acme status --json").Caveats.Has("unknown_program"))
}

// V5: each way in which an entry can be wrong is an error that names the entry.
func TestMalformedProgramsAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ entry, at string }{
		"null":                        {`null`, "programs.acme"},
		"a wrong type":                {`"read-only"`, "programs.acme"},
		"an unknown column":           {`{"safe": true}`, "safe"},
		"a column of policyd alone":   {`{"wrapper": "plain"}`, "wrapper"},
		"an option that does nothing": {`{"inert": true}`, "inert"},
		"an unknown kind":             {`{"options": {"--json": "harmless"}}`, "programs.acme.options.--json"},
		"no kind":                     {`{"options": {"--json": ""}}`, "programs.acme.options.--json"},
		"no option":                   {`{"options": {"json": "none"}}`, "programs.acme.options.json"},
		"the same option twice":       {`{"options": {"-j,--json": "none", "--json": "value"}}`, "defined twice"},
		"an unknown role":             {`{"commands": {"x": {"operands": [{"roles": ["file"]}]}}}`, "programs.acme.commands.x.operands[0].roles[0]"},
		"an unknown style":            {`{"style": "raw"}`, "programs.acme.style"},
		"an unknown separator":        {`{"separators": ["++"]}`, "programs.acme.separators[0]"},
		"a default that leads on":     {`{"default": "y", "commands": {"x": {}}}`, "programs.acme.default"},
		"an alias that leads nowhere": {`{"aliases": {"y": "z"}, "commands": {"x": {}}}`, "programs.acme.aliases.y"},
		"an empty command":            {`{"commands": {"x": null}}`, "programs.acme.commands.x"},
	} {
		var entry any
		require.NoError(t, json.Unmarshal([]byte(test.entry), &entry))
		_, err := newTable(t).With(map[string]any{"acme": entry})
		assert.ErrorContains(t, err, test.at, name)
	}
}

// V5: a safe form declares its options, with kinds that only read.
func TestSafeFormsOnlyRead(t *testing.T) {
	refused := 0
	for kind, acts := range kinds {
		form := SafeForm{Form: map[string]string{"--x": kind}}
		if acts {
			refused++
			assert.ErrorContains(t, form.Check("common.acme[0]"), "never safe", kind)
			continue
		}
		assert.NoError(t, form.Check("common.acme[0]"), kind)
	}
	assert.Greater(t, refused, 15)
	for name, form := range map[string]SafeForm{
		"no form":                  {},
		"an unknown kind":          {Form: map[string]string{"--x": "harmless"}},
		"no kind":                  {Form: map[string]string{"--x": ""}},
		"needs what it can't hold": {Form: map[string]string{"--x": "none"}, Needs: map[string]string{"--y": "none"}},
		"needs another kind":       {Form: map[string]string{"--x": "none"}, Needs: map[string]string{"--x": "value"}},
	} {
		assert.Error(t, form.Check("common.acme[0]"), name)
	}
	assert.NoError(t, (&SafeForm{Form: map[string]string{}}).Check("common.acme[0]"))
}

// V5: a form that no call can have is told.
func TestSafeFormsThatNothingMatches(t *testing.T) {
	table := newTable(t)
	for name, test := range map[string]struct{ verb, option, kind, want string }{
		"an unknown program": {"acme", "--json", "none", "in no table"},
		"an unknown command": {"git look", "--json", "none", "no command look"},
		"an unknown option":  {"sort", "--jsn", "none", "knows no option --jsn"},
		"another name":       {"sort", "--reverse", "none", "call this option -r"},
		"another kind":       {"sort", "-r", "value", `kind "none"`},
		"an unknown operand": {"sort", "<thing>", "read", "no operand <thing>"},
		"two blanks":         {"git  status", "--short", "none", "one blank"},
	} {
		err := table.Explains("linux", test.verb, &SafeForm{Form: map[string]string{test.option: test.kind}}, "common.x[0]")
		assert.ErrorContains(t, err, test.want, name)
	}
	assert.NoError(t, table.Explains("linux", "sort", &SafeForm{Form: map[string]string{"-r": "none", "<file>": "read"}}, "x"))
	assert.NoError(t, table.Explains("linux", "make lint", &SafeForm{Form: map[string]string{}}, "x"), "a verb that ends in an operand")
}
