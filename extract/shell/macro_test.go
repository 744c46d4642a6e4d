package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
)

// V5: a recipe runs what a variable of make holds, and a pattern that matches nothing is
// handed on as it is, for the recipe's shell to match.
func TestVariablesOfMake(t *testing.T) {
	for line, executes := range map[string]bool{
		"make test": false, "make CC=gcc test": false, "make all*": false, "make A=./x": false,
		"make SHELL=./x": true, "make 'A=x;y'": true, "make A=./e*l": true, "make a[]=b": true, "make SHELL?=x": true,
	} {
		assert.Equal(t, executes, last(t, line).Caveats.Has("executes"), line)
	}
	for _, line := range []string{"make A=./x*", "make a[]=./x*"} {
		assert.Contains(t, last(t, line).Accesses, command.Access{Text: "./x*", Op: v1.OpExecute, Naming: command.ByGlob, Presence: command.IfPathLike}, line)
	}
}
