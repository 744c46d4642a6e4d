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
	c := parse(t, `n=3; x=$(ls); echo "$((n+1)): $x"`).Commands
	assert.Equal(t, v1.Set{"output_word"}, c[len(c)-1].Caveats)
}
