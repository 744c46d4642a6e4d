package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
)

// nohup writes nohup.out where its output is a terminal, unless it is sent
// elsewhere.
func TestNohupLeavesAFile(t *testing.T) {
	for line, leaves := range map[string]bool{
		"nohup ls": true, "nohup ls > /dev/null": false, "nice ls": false, "nohup ls 2>/dev/null": true, "2> log nohup ls": true, "nohup ls < a 1> out": false, "nohup ls &> out": false,
		"nohup ls > /dev/stderr": true, "nohup ls >/dev/null >&2": true, "nohup ls >/dev/null 1>&2": true, "nohup ls 1<&2": true, "nohup ls >/dev/null >&-": true,
		"nohup ls > /dev//fd/2": true, "nohup ls &> /dev/stdout": true, "nohup ls >&2 >/dev/null": false, "nohup ls >/dev/null 2>&1": false, "nohup ls &>/dev/null": false,
	} {
		got := slices.ContainsFunc(parse(t, line).Commands[0].Accesses, func(a command.Access) bool {
			return a.Op == v1.OpWrite && a.Text == "nohup.out"
		})
		assert.Equalf(t, leaves, got, "%q", line)
	}
}

// A number beside the output of a command is output, and no word of nowhere.
func TestNumbersBesideOutput(t *testing.T) {
	c := parse(t, `n=3; x=$(ls); printf %s "$((n+1)): $x"`).Commands
	assert.Equal(t, v1.Set{"output_word"}, c[len(c)-1].Caveats)
}

// shell.md section 7: assignments of some names change nothing but output, and so does taking such a variable away.
func TestAssignmentsThatChangeOutput(t *testing.T) {
	caveats := func(line string) []string {
		commands := parse(t, line).Commands
		last := commands[len(commands)-1]
		return slices.DeleteFunc(slices.Clone(last.Caveats), func(caveat string) bool { return caveat != "assigns" && caveat != "sets_variable" })
	}
	for _, line := range []string{
		"FOO=1 ls", "DEBUG=1 ls", "PORT=3000 ls", "export VERBOSE=1; ls", "GIT_PAGER= git log", "PAGER=cat git log", "CARGO_TERM_COLOR=never ls",
		"env FOO=a-b ls", "env -u FOO ls", "env -u FOO -u NODE_ENV -- ls", "env --unset=FOO ls", "env -u MY_SETTING ls",
	} {
		assert.Emptyf(t, caveats(line), "%q", line)
	}
	for _, line := range []string{
		"FOO='$(id)' make x", "FOO='a b' ls", "FOO='a;id' ls", "FOO=../x ls", "DEBUG='*' ls", "PORT=a ls", "PAGER=less git log", "CARGO_TERM_COLOR=x ls",
		"env -u PATH ls", "env -uPATH ls", "env -vu PATH ls", "env -u FOO -vu PATH ls", "env --unset=HOME ls", "env -i ls", "env -u FOO -i ls", "env - ls",
		"env -u GIT_DIR ls", "env -u $x ls", "env -u a=b ls", "env -u FOO -u LD_PRELOAD ls", "env -u FOO BAR='$(id)' ls",
	} {
		assert.NotEmptyf(t, caveats(line), "%q", line)
	}
}
