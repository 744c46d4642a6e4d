package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
)

// Behind declare and the like bash cuts a value at its braces, and sets the last
// alternative. Another assignment keeps them.
func TestBracesInDeclarationsAreNotKept(t *testing.T) {
	for _, line := range []string{
		`declare x={README,/etc/shadow}; cat $x`, `typeset x={a,b}; cat $x`, `f() { local x={a,b}; cat "$x"; }; f`,
		`declare y=1 x=a{b,c}; cat $x`, `declare x={1..3}; cat $x`, `x=a; export x={b,c}; cat $x`, `readonly x={b,c}; cat $x`,
	} {
		assert.Contains(t, parse(t, line).Messy, guard.MessyBraces, line)
	}
	assert.Equal(t, "read {a,b}", touched(t, `x={a,b}; cat $x`))
	assert.Equal(t, "read {a,b}", touched(t, `declare x='{a,b}'; cat "$x"`))
}

// What a declaration sets is known no more, however its name is written.
func TestDeclaredNamesMayBeQuoted(t *testing.T) {
	for _, line := range []string{
		`x=a; export "x=b"; cat "$x"`, `x=a; export x\=b; cat "$x"`, `x=a; declare "x=b"; cat "$x"`, `x=a; declare 'x'=b; cat "$x"`,
		`x=a; readonly "x=b"; cat "$x"`, `x=a; typeset x{,y}=b; cat "$x"`, `x=a; export 'x+=b'; cat "$x"`, `f() { local "x=b"; cat "$x"; }; x=a; f`,
	} {
		parsed := parse(t, line)
		if len(parsed.Messy) > 0 {
			continue
		}
		last := parsed.Commands[len(parsed.Commands)-1]
		assert.Equal(t, "cat", last.Verb, line)
		assert.True(t, last.Caveats.Has("assigns"), line)
		assert.True(t, last.Caveats.Has("dynamic_word"), line)
	}
	assert.Empty(t, parse(t, `x=a; export "x=b"; cat "$x"`).Messy)
	assert.Contains(t, parse(t, `declare "x[0]=b"; cat "$x"`).Messy, guard.MessyDeclaration)
	assert.Contains(t, parse(t, `declare -p "KEY_A"`).Commands[0].Variables, "KEY_A")
}

// Shells count a part of a value beyond what a machine word holds, and over.
func TestPartsOfValuesEndWithTheValue(t *testing.T) {
	for _, line := range []string{
		`x=abc; cat ${x:1:9223372036854775807}`, `x=abc; cat "${x:18446744073709551616:2}"`, `x=abc; cat a${x:99999999999999999999:1}`, `x=abc; cat ${x:1:2}`,
	} {
		last := parse(t, line).Commands[1]
		assert.True(t, last.Caveats.Has("dynamic_word"), line)
	}
}

// What an operator joins to the body of a function runs where the function is defined,
// with the words in force there.
func TestFunctionsEndWithTheirBody(t *testing.T) {
	for _, line := range []string{
		`f() { :; } && cat ${1:-/etc/shadow}; f README`, `f() { :; } || cat ${1:-/etc/shadow}; f README`,
		`f() { :; } | cat ${1:-/etc/shadow}; f README`, `f() ( : ) |& cat ${1:-/etc/shadow}; f README`,
		`function f { :; } && cat ${1:-/etc/shadow}; f README`, `f() if true; then :; fi && cat ${1:-/etc/shadow}; f README`,
		`f() cat ${1:-x}; f README`, `f() ! { cat a; }; f`, `f() time cat a; f`, `f() g() { cat a; }; f; g`, `f() { :; } && x=b; x=a; f; cat $x`,
	} {
		assert.Contains(t, parse(t, line).Messy, guard.MessyFunction, line)
	}
	assert.Equal(t, "read a", touched(t, `f() { cat "$1"; }; f a`))
	assert.Equal(t, "read a", touched(t, `f() ( cat "$1" ); f a`))
}

// A word of a loop that only the shell can cut makes as many rounds as it likes, or none:
// what one leaves behind is there for the next, and what none does for what follows.
func TestLoopsOverWhatTheShellCuts(t *testing.T) {
	for _, words := range []string{"$(seq 3)", "$(uname -a)", "$PAGES", "$*", `"$@"`, "1 $(seq 3)"} {
		line := parse(t, `x=a; z=b; for i in `+words+`; do cat $x; x=$z; z=/etc/shadow; done`)
		last := command.Command{}
		for _, c := range line.Commands {
			if c.Verb == "cat" {
				last = c
			}
		}
		assert.True(t, len(line.Messy) > 0 || last.Caveats.Has("dynamic_word"), words)
		line = parse(t, `for i in `+words+`; do cd ..; done; cat a`)
		last = line.Commands[len(line.Commands)-1]
		assert.True(t, len(line.Messy) > 0 || len(last.Cwd.Known) == 3, "%s leads to %q", words, last.Cwd.Known)
	}
	line := parse(t, `for i in 1 $(true); do cd ..; done; cat x`)
	assert.ElementsMatch(t, []string{"/srv/proj", "/srv", "/"}, line.Commands[len(line.Commands)-1].Cwd.Known)
	line = parse(t, `x=b; for i in 1 $(true); do x=$y; y=b; done; cat $x`)
	assert.True(t, line.Commands[len(line.Commands)-1].Caveats.Has("dynamic_word"))
	assert.Equal(t, "read a, read b", touched(t, `for i in a b; do cat $i; done`))
	assert.Empty(t, parse(t, `for i in $(seq 3); do cat a; done`).Messy)
}

// A declaration may set a variable to nothing.
func TestDeclarationsMayLackAValue(t *testing.T) {
	for _, line := range []string{"export LC_ALL=; ls", "export x=", "export x= y=1; ls $x", "declare x=; ls $x", "readonly x=", "f() { local x=; ls $x; }; f"} {
		assert.NotPanics(t, func() { parse(t, line) }, line)
	}
	assert.Empty(t, parse(t, "export LC_ALL=; ls").Messy)
}
