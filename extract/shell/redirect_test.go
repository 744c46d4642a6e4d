package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
)

// What is no plain number or dash behind >& is the name of a file to one shell or
// another (V8).
func TestDuplicatesThatNameFiles(t *testing.T) {
	for _, line := range []string{
		"ls >&2-", "ls 2>&1-", "{ ls; } >&2-", "x=2-; ls >&$x", "ls >&'-'", "x=-; ls >&$x", "ls >&999999999999", "cat <&0-", "ls >&''",
		"for i in 1- 2; do ls >&$i; done",
	} {
		for _, shell := range []string{"bash", "zsh", "sh", "dash", "ksh"} {
			parsed := newTable(t).Parse(line, host.Options{Shell: shell, Cwd: "/srv/proj", Plain: func(string) bool { return true }})
			writes := slices.ContainsFunc(parsed.Commands, func(c command.Command) bool {
				return slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return a.Op == v1.OpWrite })
			})
			assert.True(t, writes || len(parsed.Messy) > 0, "%s: %s", shell, line)
		}
	}
	for _, line := range []string{"ls >&2", "ls 2>&1", "ls >&-", "ls 2>& -", "cat <&3", "x=2; ls >&$x", "ls 10>&1"} {
		assert.Empty(t, parse(t, line).Messy, line)
	}
}
