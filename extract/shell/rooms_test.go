package shell

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
)

// What is read in memory that was there before keeps nothing of it, and nothing that
// is read later changes it.
func TestLinesShareNoMemory(t *testing.T) {
	table := newTable(t)
	lines := []string{
		"timeout foo", "env -i x=1 cat y", "command -v ls; type x", "sudo -u a ls b", "find . -name x | xargs -I{} cat {}", "a=(b c); echo ${a[@]}",
		"f() { cat $1; }; f a; f b", "cd src && git status && ls -la f.go", "bash -c 'ls a; cat b'", "printf %s a | xargs cat", "ls <(cat x) 2>&1",
	}
	for _, c := range costlyLines() {
		lines = append(lines, c.line[:min(len(c.line), 512)])
	}
	told := func(line *command.Line) string {
		text, err := json.Marshal(line)
		require.NoError(t, err)
		return string(text) + fmt.Sprint(line.Commands)
	}
	options := host.Options{Home: "/home/dev", Cwd: "/srv/proj"}
	kept, want := make([]command.Line, len(lines)), make([]string, len(lines))
	for i, line := range lines {
		kept[i] = table.Parse(line, options)
		kept[i].Detach()
		want[i] = told(&kept[i])
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for i := range lines {
				line := table.Parse(lines[len(lines)-1-i], options)
				line.Detach()
				assert.JSONEq(t, jsonOf(t, &kept[len(lines)-1-i]), jsonOf(t, &line))
			}
		})
	}
	group.Wait()
	for i := range lines {
		assert.Equal(t, want[i], told(&kept[i]), lines[i])
	}
}

func jsonOf(t *testing.T, line *command.Line) string {
	t.Helper()
	text, err := json.Marshal(line)
	assert.NoError(t, err)
	return string(text)
}
