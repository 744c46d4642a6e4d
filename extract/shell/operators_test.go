package shell

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
)

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
	for _, name := range table.Names() {
		assert.Equal(t, table.Program(name), extended.Program(name), name)
	}
	assert.Nil(t, table.Program("acme"))
	require.NoError(t, extended.Check())
	read := func(table *Table, line string) command.Command {
		parsed := table.Parse(line, host.Options{Platform: "linux", Shell: "bash"})
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
