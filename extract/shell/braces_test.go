package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
)

// V8: bash drops the braces around two dots beside a list, and zsh makes sequences
// that bash doesn't. What any of them reads otherwise than the parser is messy.
func TestBracesThatAreMessy(t *testing.T) {
	for _, line := range []string{
		"cat {..{/x,y}}", "cat {{.,x}..c}/x", "cat {1..{2,3}}", "cat {a..{b..c}}", "cat {a..}", "cat {..}", "cat {a..Z}",
		"cat {1..c}", "cat {1..3..}", "cat {1..99999999999999999999}", `cat {"a".."c"}`, "cat {$x..c}", "cat {a..b",
	} {
		assert.Containsf(t, parse(t, line).Messy, guard.MessyBraces, "%q", line)
		assert.Containsf(t, parseZsh(t, line).Messy, guard.MessyBraces, "%q", line)
	}
	for _, line := range []string{
		"cat {-..1}etc/passwd", "cat {a..e..2}", "cat {1..6..-2}", "cat {1..3..0}", "cat {a.$e.c}", `cat {a"".c}`, "cat {a.$(echo).c}", `cat {\...0}`,
	} {
		assert.Containsf(t, parseZsh(t, line).Messy, guard.MessyBraces, "%q", line)
	}
}

// V1: lists, sequences that all shells read alike, and braces that are no list
// are words.
func TestBracesThatAreUnderstood(t *testing.T) {
	for line, texts := range map[string][]string{
		"cat {1..3}": {"1", "2", "3"}, "cat {03..1}": {"03", "02", "01"}, "cat {a..c}x": {"ax", "bx", "cx"}, "cat {a,b{c,d}}": {"a", "bc", "bd"},
		"cat x{a}": {"x{a}"}, "cat x{a{b,c}}": {"x{ab}", "x{ac}"}, "cat {a..b,c}": {"a..b", "c"}, "cat x{}y": {"x{}y"},
		"cat {-1..1}": {"-1", "0", "1"}, `cat {"a b",c}`: {"a b", "c"},
	} {
		for shell, parsed := range map[string]command.Line{"bash": parse(t, line), "zsh": parseZsh(t, line)} {
			assert.Emptyf(t, parsed.Messy, "%s: %q", shell, line)
			var got []string
			for _, access := range parsed.Commands[0].Accesses {
				got = append(got, access.Text)
			}
			if line != "cat {-1..1}" { // the first is an option
				assert.Equalf(t, texts, got, "%s: %q", shell, line)
			}
		}
	}
	assert.Empty(t, parse(t, "git diff HEAD@{1}..HEAD@{2}").Messy)
	assert.Empty(t, parse(t, "for i in {1..9..2}; do echo $i; done").Messy)
}
