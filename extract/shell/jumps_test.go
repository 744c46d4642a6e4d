package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
)

// reads lists what the last command of a line reads, with every directory that
// it may run in.
func last(tb testing.TB, line string) command.Command {
	tb.Helper()
	got := parse(tb, line)
	assert.NotEmpty(tb, got.Commands, line)
	return got.Commands[len(got.Commands)-1]
}

// A body may end at break, continue and return, and a function's parameters and
// a line end with them: what is assigned behind them may not be.
func TestBodiesEndWhereTheyMayEnd(t *testing.T) {
	for _, line := range []string{
		"f=a; for i in 1; do f=/etc/passwd; break; f=a; done; cat $f",
		"f=a; for i in 1 2; do f=/etc/passwd; continue; f=a; done; cat $f",
		"f=a; while true; do f=/etc/passwd; break; f=a; done; cat $f",
		"f=a; until false; do f=/etc/passwd; break; f=a; done; cat $f",
		"f=a; for ((i=0; i<2; i++)); do f=/etc/passwd; break; f=a; done; cat $f",
		"f=a; for i in 1; do for j in 1; do f=/etc/passwd; break 2; done; f=a; done; cat $f",
		"f=a; while f=/etc/passwd; break; do f=a; done; cat $f",
		"f=a; g() { f=/etc/passwd; return; f=a; }; g; cat $f",
		"f=a; g() { f=/etc/passwd; [ -f x ] && return 1; f=a; }; g; cat $f",
		"f=a; for i in *.go; do f=/etc/passwd; break; f=a; done; cat $f",
	} {
		c := last(t, line)
		assert.True(t, c.Caveats.Has("dynamic_word"), line)
	}
	for _, line := range []string{
		"f=a; for i in 1 2; do [ -f x ] || continue; f=a; done; cat $f",
		"for f in a b; do [ -f $f ] || break; cat $f; done",
	} {
		assert.False(t, last(t, line).Caveats.Has("dynamic_word"), line)
	}
	directories := last(t, "for i in 1; do cd /etc; break; cd /srv/proj; done; cat passwd")
	assert.Contains(t, directories.Cwd.Known, "/etc")
}

// bash gives up the rest of a line whose expansion fails, and goes on with the
// next line.
func TestLinesThatAreGivenUp(t *testing.T) {
	for _, line := range []string{
		"f=/etc/passwd; x=$((1/0)); f=a\ncat $f",
		"n=0; f=/etc/passwd; x=$((1%n)); f=a\ncat $f",
		"f=/etc/passwd; x=$((08)); f=a\ncat $f",
		"f=/etc/passwd; for i in 08; do echo $((i+1)); done; f=a\ncat $f",
		"f=/etc/passwd; { x=$((1/0)); f=a; }\ncat $f",
		"f=/etc/passwd; n=$(grep -c x y); x=$((5 - $n)); f=a\ncat $f",
		"f=/etc/passwd; a=(1); i=$((0-9)); x=${a[i]}; f=a\ncat $f",
		"g() { x=$((1/0)); }\nf=/etc/passwd; g; f=a\ncat $f",
		"declare -A m; f=/etc/passwd; m[$i]=; f=a\ncat $f",
		"declare -A m; f=/etc/passwd; m=([$i]=x); f=a\ncat $f",
		"f=/etc/passwd; a=(); a[-1]=x; f=a\ncat $f",
	} {
		assert.True(t, last(t, line).Caveats.Has("dynamic_word"), line)
	}
	for _, line := range []string{
		"f=/etc/passwd; x=$((1/0)); f=a; cat $f", "f=/etc/passwd; x=$((6/2)); f=a\ncat $f",
		"n=8; f=/etc/passwd; x=$((n+1)); f=a\ncat $f", "f=/etc/passwd; ((1/0)); f=a\ncat $f",
	} {
		assert.False(t, last(t, line).Caveats.Has("dynamic_word"), line)
	}
}
