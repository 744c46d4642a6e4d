package shell

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"policyd/extract/argv"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withCommands visits every program of the table that has subcommands, at any depth.
func withCommands(t *testing.T, visit func(chain string, program *argv.Program)) {
	t.Helper()
	table, err := NewTable()
	require.NoError(t, err)
	var walk func(chain string, program *argv.Program)
	walk = func(chain string, program *argv.Program) {
		if len(program.Commands) == 0 {
			return
		}
		visit(chain, program)
		for _, name := range slices.Sorted(maps.Keys(program.Commands)) {
			walk(chain+" "+name, program.Commands[name])
		}
	}
	for _, name := range table.Names() {
		if program := table.Program(name); program != nil && !strings.Contains(name, "/") && program.Style != "cmdlet" {
			walk(name, program)
		}
	}
}

// globalOptions are the options of a program that may stand before its subcommand, each with
// values that the table has it take.
func globalOptions(program *argv.Program) (options []string) {
	for name, known := range program.Options {
		switch {
		case known.Kinds[0] == "none", strings.HasSuffix(known.Kinds[0], "?"):
			options = append(options, name)
		case known.Kinds[0] != "command":
			options = append(options, name+strings.Repeat(" v", len(known.Kinds)))
		}
	}
	slices.Sort(options)
	return options
}

// TestAVerbHoldsSubcommandsAlone holds V2 over all programs of the table that have
// subcommands: a verb is the same whatever known options stand in front of the subcommand, and
// what the table doesn't know there leaves no chain to remember.
func TestAVerbHoldsSubcommandsAlone(t *testing.T) {
	unknown := []string{
		"--zz-unknown", "--zz-unknown v", "--zz-unknown o/r", "--zz-unknown=v", "-@", "-@ v", "+nightly", "./v", "o/r", "a=b", "--", `"a b"`, "a@b",
	}
	chains := 0
	withCommands(t, func(chain string, program *argv.Program) {
		options := globalOptions(program)
		for _, name := range slices.Sorted(maps.Keys(program.Commands)) {
			chains++
			plain := last(t, chain+" "+name)
			assert.NotContains(t, plain.Caveats, argv.UnknownCommand, chain+" "+name)
			for _, option := range options {
				line := chain + " " + option + " " + name
				given := last(t, line)
				assert.Equal(t, plain.Verb, given.Verb, line)
				assert.NotContains(t, given.Caveats, argv.UnknownCommand, line)
			}
			for _, words := range unknown {
				line := chain + " " + words + " " + name
				given := last(t, line)
				if program.Default == nil {
					assert.Equal(t, chain, given.Verb, line)
				}
				if program.Default == nil || strings.HasPrefix(words, "-") && words != "--" {
					assert.Contains(t, given.Caveats, argv.UnknownCommand, line)
				}
			}
		}
	})
	assert.Greater(t, chains, 500)
}

// TestChainWordsOfUnlistedSubcommands holds how far a verb goes where the table knows how
// many words choose what a program does, and not which.
func TestChainWordsOfUnlistedSubcommands(t *testing.T) {
	verbs := map[string]string{
		"aws s3 ls": "aws s3 ls", "aws --profile p s3 ls": "aws s3 ls", "az group list": "az group list", "gh zz x": "gh zz",
	}
	for _, line := range slices.Sorted(maps.Keys(verbs)) {
		assert.Equal(t, verbs[line], last(t, line).Verb, line)
	}
	for _, line := range []string{"aws --zz v s3 rm", "az --zz v group delete", "aws --zz s3 rm", "gcloud --zz v compute instances delete x"} {
		assert.Contains(t, last(t, line).Caveats, "unknown_command", line)
	}
}
