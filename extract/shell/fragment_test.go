package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
)

// prefixes stand in front of a command without a word of it.
var prefixes = []string{
	">y", "> y", ">\ty", ">>y", "2>y", "2> y", "2>&1", "2>& 1", ">&2", "&>y", "&>>y", ">|y", ">| y", "<>y", "<y", "<&0", "<&-", "0<&3-", "{fd}>y", "{fd}>&-",
	"<<<x", "<<< x", "<<<'a b'", `<<<"a b"`, `>'a b'`, `>"a b"`, `>a\ b`, `>'a;b'`, `>"a&b"`, `>a\;b`, ">'a\nb'", ">$x", ">${x}", ">\"${x}\"", ">$(pwd)", "<(ls) >y",
	"<<E", "<<-E", "<< E", "<<E'O'F", `<<"E F"`, `<<\E`, "A=b", "A=", "A='b c'", `A="b c"`, `A=b\ c`, "A='b;c'", "A[0]=b", "A+=b", ">y A='b c' 2>&1",
	">y 2>z <a", "! >y", "then >y", ">\\\ny", ">y \\\n",
}

// Of a line that can't be parsed a command is known by what runs, whatever redirections and
// assignments stand before it, and however its name is quoted.
func TestFragmentsBehindRedirections(t *testing.T) {
	reads := func(line string) bool {
		return slices.ContainsFunc(parse(t, line).Commands, func(c command.Command) bool { return c.Caveats.Has("reads_environment") })
	}
	for _, prefix := range prefixes {
		for _, name := range []string{"env", "printenv"} {
			line := "{ <<E'O'F\n${x-\nEOF\n" + prefix + " " + name + "\n}"
			assert.True(t, reads(line), "%q", line)
			line = "pwd\n{ " + prefix + " " + name + "\nx[]\n}"
			assert.True(t, reads(line), "%q", line)
		}
	}
	for _, name := range []string{`\env`, "'env'", `e"n"v`, `e'n'v`, `e\nv`, "e\\\nnv", "/usr/bin/env", "nice /usr/bin/env", `2>y nice e''nv`, "nice >y env"} {
		line := "pwd\n{ " + name + "\nx[]\n}"
		assert.True(t, reads(line), "%q", line)
	}
	for _, other := range []string{"grep env", "2> y ls env", "A=env ls", "ls 2>&1", "A='b env' ls"} {
		line := "pwd\n{ " + other + "\nx[]\n}"
		assert.False(t, reads(line), "%q", line)
	}
}

// Nor do brackets hide a command that are too many for the parser.
func TestFragmentsOfDeepLines(t *testing.T) {
	line := parse(t, strings.Repeat("(", guard.MaxBrackets+1)+" >y env "+strings.Repeat(")", guard.MaxBrackets+1))
	assert.Contains(t, line.Messy, guard.MessyNesting)
	assert.True(t, slices.ContainsFunc(line.Commands, func(c command.Command) bool { return c.Caveats.Has("reads_environment") }), "%q", verbs(line))
}
