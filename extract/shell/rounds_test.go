package shell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/host"
)

// Commands that are the same in each round of a loop count once if the rounds would exceed the limits.
func TestLoopsOfManyRounds(t *testing.T) {
	table := newTable(t)
	for rounds, messy := range map[int]bool{3: false, 15: false, 40: true} {
		var names []string
		for i := range rounds {
			names = append(names, fmt.Sprintf("name%d", i))
		}
		line := "for s in " + strings.Join(names, " ") + `; do echo "== $s"; grep -rn "$s" --include='*.go' . | grep -v _test.go | grep -v vendor | head -20; done`
		parsed := table.Parse(line, host.Options{Shell: "bash", Platform: "linux", Home: "/home/u", Cwd: "/srv/proj"})
		assert.Equal(t, messy, len(parsed.Messy) > 0, "%d rounds: %v", rounds, parsed.Messy)
		if messy {
			continue
		}
		verbs := map[string]int{}
		for i := range parsed.Commands {
			verbs[parsed.Commands[i].Verb]++
		}
		assert.Equal(t, rounds, verbs["echo"], line)
		assert.GreaterOrEqual(t, verbs["grep"], rounds+2, line)
		assert.LessOrEqual(t, len(parsed.Commands), maxCommands, line)
	}
	// What differs between rounds is kept.
	line := "for d in a b c d e f g h i j k l m n o p q r s t; do rm $d; ls $d; cat $d/x; head $d/y; done"
	parsed := table.Parse(line, host.Options{Shell: "bash", Platform: "linux", Home: "/home/u", Cwd: "/srv/proj"})
	assert.NotEmpty(t, parsed.Messy)
}
