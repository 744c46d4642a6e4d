package argv

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
	names = append(names, slices.Concat(table.Words.Shell.Builtins, table.Words.Shell.RunsText, table.Words.Shell.Hooks)...)
	names = append(names, "python3.99", "python2.7", "bash", "zsh", "policyd", "policyd-hook", "./acme", "/usr/bin/acme", "acme status", "", "-x", "a\nb", "git.EXE", "acme.cmd")
	require.Greater(t, len(names), 1000)
	for _, name := range names {
		_, err := table.With(map[string]any{name: map[string]any{"options": map[string]any{"--json": "none"}}})
		var refused *EntryError
		require.ErrorAsf(t, err, &refused, "%q", name)
		require.Equal(t, "programs."+name, refused.Entry)
	}
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
