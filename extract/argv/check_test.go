package argv

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5: what the table can't have is an error that names the column, in an entry of the table as in an operator's.
func TestMalformedEntriesAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ entry, want string }{
		"an unknown column":            {`{"stile": "go"}`, `plotx: unknown column "stile"`},
		"one of a subcommand":          {`{"commands": {"x": {"stile": "go"}}}`, `plotx.commands.x: unknown column "stile"`},
		"a wrong type":                 {`{"recursive": "-r"}`, `plotx.recursive: a string is of the wrong type`},
		"a wrong type within":          {`{"commands": {"x": {"operands": [{"roles": "a:read"}]}}}`, `plotx.commands.x.operands.roles: a string is of the wrong type`},
		"null":                         {`null`, `plotx: empty`},
		"a style":                      {`{"style": "golang"}`, `plotx.style: "golang" is not known; allowed: cmd, cmdlet`},
		"joined":                       {`{"style": "go", "joined": "figures"}`, `plotx.joined: "figures" is not known; allowed: digits, letters`},
		"implicit":                     {`{"implicit": "lst"}`, `plotx.implicit: "lst" is not known`},
		"a wrapper":                    {`{"wrapper": "plainn"}`, `plotx.wrapper: "plainn" is not known`},
		"inline":                       {`{"inline": "sometimes"}`, `plotx.inline: "sometimes" is not known`},
		"the kind of a filter":         {`{"options": {"-g": "value"}, "filters": {"-g": "inclde"}}`, `plotx.filters: "inclde" is not known`},
		"a filter without an option":   {`{"filters": {"-g": "include"}}`, `plotx.filters: "-g" is no option`},
		"an option that isn't there":   {`{"options": {"-r": "none"}, "recursive": ["-rr"]}`, `plotx.recursive[0]: "-rr" is no option and no role`},
		"one by another of its names":  {`{"options": {"-r,--recursive": "none"}, "recursive": ["--recursive"]}`, `with the first of its names`},
		"one in a condition":           {`{"operands": [{"when": ["-x"], "roles": []}]}`, `plotx.operands[0].when[0]: "-x" is no option`},
		"one of what is printed":       {`{"prints": {"names": {"options": ["-x"]}}}`, `plotx.prints.names.options[0]: "-x" is no option`},
		"one of a placement":           {`{"places": {"into": ["-t"]}}`, `plotx.places.into[0]: "-t" is no option`},
		"an option without a dash":     {`{"options": {"I": "value"}}`, `plotx.options.I: "I" is no name of an option`},
		"an option with a plus":        {`{"style": "go", "options": {"+level": "write"}}`, `leave the program out`},
		"a dash for a command of cmd":  {`{"style": "cmd", "options": {"-a": "none"}}`, `begin with a slash`},
		"a role without a kind":        {`{"operands": [{"roles": ["file"]}]}`, `plotx.operands[0].roles[0]: role "file": want name:kind`},
		"a role of an unknown kind":    {`{"operands": [{"roles": ["file:reed*"]}]}`, `plotx.operands[0].roles[0]: role file: unknown kind "reed"`},
		"a word of the chain":          {`{"chain_roles": ["target"]}`, `plotx.chain_roles: "target" is no role`},
		"a risk of a role":             {`{"risks": {"<target>": "force"}}`, `plotx.risks.<target>`},
		"a value of a risk":            {`{"risks": {"-x": "force {what}"}}`, `no value is called "what"`},
		"a default that leads nowhere": {`{"default": "y", "commands": {"x": {}}}`, `plotx.default: there is no command "y"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkEntry(json.RawMessage(test.entry))
			require.Error(t, err)
			assert.ErrorContains(t, below("plotx", err), test.want)
		})
	}
}

// Lists may name options in front of a subcommand, roles, and what an entry has without listing it.
func TestEntriesMayNameWhatTheyHave(t *testing.T) {
	err := checkEntry(json.RawMessage(`{
		"options": {"--global": "none"}, "darwin": {"-f": "none"},
		"commands": {"x": {
			"style": "gnu", "numeric": true, "pathspecs": true, "options": {"-r,--recursive": "none"}, "operands": [{"when": ["--global"], "roles": ["file:read*"]}],
			"recursive": ["*", "-r"], "judged": ["<file>", "<words>"], "chain_roles": ["file"], "risks": {"-q": "", "!-r": "force", "=rev": "", "<file>": ""},
			"prints": {"names": {"options": ["-NUM", "<path>"]}}
		}}
	}`))
	require.NoError(t, err)
}

func TestTheTableIsWhole(t *testing.T) {
	table := newTable(t)
	require.NoError(t, table.Check())
	for text, want := range map[string]string{
		`{"plotx": {"stile": "go"}}`: `programs/plotx.json: plotx: unknown column "stile"; programs/README.md lists the columns`,
		`{"plotx": {`:                `programs/plotx.json: `,
	} {
		require.ErrorContains(t, table.checkFiles(fstest.MapFS{"programs/plotx.json": {Data: []byte(text)}}, nil), want)
	}
}

func BenchmarkCheckTable(b *testing.B) {
	table := newTable(b)
	for b.Loop() {
		require.NoError(b, table.Check())
	}
}
