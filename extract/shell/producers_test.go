package shell

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/host"
)

// Every producer has a value, and what has the shape of one prints that shape.
func TestProducersPrintTheirShape(t *testing.T) {
	table := newTable(t)
	shapes := map[string]*regexp.Regexp{"number": regexp.MustCompile(`^[0-9]+$`), "identifier": regexp.MustCompile(`^[0-9A-Za-z]+$`)}
	require.NotEmpty(t, table.Words.Producers())
	run := 0
	for _, p := range table.Words.Producers() {
		shape := shapes[p.Value]
		if shape == nil {
			continue
		}
		if _, err := exec.LookPath(p.Command[0]); err != nil {
			continue
		}
		output, err := exec.CommandContext(t.Context(), p.Command[0], p.Command[1:]...).Output()
		require.NoError(t, err, p.Command)
		assert.Regexp(t, shape, strings.TrimRight(string(output), "\n"), p.Command)
		line := table.Parse("head -n $("+strings.Join(p.Command, " ")+") x", host.Options{Platform: "linux", Home: "/h", Cwd: "/p"})
		head := &line.Commands[len(line.Commands)-1]
		assert.Empty(t, line.Messy)
		assert.Empty(t, head.Caveats, p.Command)
		run++
	}
	if run == 0 {
		t.Skip("skipped: none of the programs is installed")
	}
}

// Shells make no word of what is empty outside of quotes, but where it names the program.
func TestEmptyWordsVanish(t *testing.T) {
	table := newTable(t)
	for line, want := range map[string][]string{
		"X=; cat $X a":       {"cat", "a"},
		`X=; cat "$X" a`:     {"cat", "", "a"},
		`X=; cat $X"" a`:     {"cat", "", "a"},
		"X=; cat $X$X a $X":  {"cat", "a"},
		"X=; cat $X/a a$X":   {"cat", "/a", "a"},
		"X=; cat $X-n":       {"cat", "-n"},
		"X=; Y=$X; cat $Y a": {"cat", "a"},
		"X=; cat $X~ a":      {"cat", "~", "a"},
	} {
		got := table.Parse(line, host.Options{Platform: "linux", Home: "/h", Cwd: "/p"})
		last := &got.Commands[len(got.Commands)-1]
		var words []string
		for _, word := range last.Argv {
			assert.Equal(t, expansion.Literal, word.Kind, line)
			words = append(words, word.Text)
		}
		assert.Equal(t, want, words, line)
	}
}
