package memo

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
)

// sharedLines are lines of every kind, each with words of its own, so that what one leaves
// behind in memory shows in another.
func sharedLines() []string {
	forms := []string{
		"cat a#", "x=a#; cat $x", "for f in a# b#; do cat $f; done", "f() { cat \"$1\"; x=$2; }; f a# b#; cat $x", "ls a# | head -#1",
		"a=(a# b#); cat \"${a[@]}\"", "cat <<'E'\na#\nE", "if test -f a#; then x=b#; else x=c#; fi; cat \"$x\"", "cd a#; cat b# ${", "git log a# -- b#",
		"find a# -name b# -exec cat {} +", "bash -c 'cat a#; x=b#; cat $x'", "[[ -f a# ]] && cat b# || wc c#", "cat a#{1,2,3}",
	}
	var lines []string
	for number := range 8 {
		for _, form := range forms {
			lines = append(lines, strings.ReplaceAll(form, "#", strings.Repeat("7", number)))
		}
	}
	return lines
}

// A line is explained beside others as it is alone, by the memory of lines and without.
func TestLinesAreExplainedAlone(t *testing.T) {
	table := newTable(t)
	memo := New(table)
	options := host.Options{Home: "/home/dev", Cwd: "/srv/proj", Plain: func(string) bool { return true }}
	lines := sharedLines()
	want := make([]command.Line, len(lines))
	for i, line := range lines {
		want[i] = newTable(t).Parse(line, options)
		want[i].Detach()
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 2 * len(lines) {
				at := (i*(2*worker+1) + worker) % len(lines)
				if got := memo.Parse(lines[at], &options); !assert.Equal(t, &want[at], got, lines[at]) {
					return
				}
				got := table.Parse(lines[at], options)
				got.Detach()
				if !assert.Equal(t, want[at], got, lines[at]) {
					return
				}
			}
		})
	}
	group.Wait()
}
