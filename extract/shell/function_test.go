package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

// A function stands for what its body does with the words of each call.
func TestFunctions(t *testing.T) {
	for line, want := range map[string]string{
		`show() { head -n 3 "$1"; }; show a; show b`:                "read a, read b",
		`show() { cat "$@"; }; show a 'b c'`:                        "read a, read b c",
		`show() { cat "${1:-x}" "$2"; }; show a b`:                  "read a, read b",
		`show() { shift; cat "$1"; }; show a b`:                     "read b",
		`show() { local f=$1; cat "$f"; }; show a`:                  "read a",
		`g() { cat "$1"; }; show() { g "$2"; cat "$1"; }; show a b`: "read b, read a",
		`show() { cat "$1"; }; for f in a b; do show "$f"; done`:    "read a, read b",
		`function show { cat $1; }; show a`:                         "read a",
		`show() ( cd docs; cat "$1" ); show a`:                      "read a",
		`show() { cat "$1"; }; show a | head -3`:                    "read a",
		`show() { cat "$1"; } 2>/dev/null; show a`:                  "write /dev/null, read a",
	} {
		assert.Equal(t, want, touched(t, line), line)
		assert.Empty(t, parse(t, line).Messy, line)
	}
}

func TestFunctionsLeaveWhatTheyChange(t *testing.T) {
	assert.Equal(t, []string{"/etc"}, last(t, "f() { cd /etc; }; f && cat passwd").Cwd.Known)
	for _, line := range []string{
		`x=a; f() { x=/etc/passwd; }; f; cat $x`, `f() { x=$1; }; f /etc/passwd; cat $x`,
	} {
		assert.Contains(t, touched(t, line), "read /etc/passwd", line)
	}
	for _, line := range []string{
		`x=/etc/passwd; f() { local x=a; }; f; cat $x`, `f() { shift; cat "$1"; }; f *.go x`, `f() { cat "$3"; }; f a b`, `f() { cat "$2"; }; f *.go b`,
	} {
		c := last(t, line)
		assert.True(t, c.Caveats.Has("dynamic_word") || touched(t, line) == "", line)
	}
}

// What the line defines and never calls stays behind in the shell, wherever it is defined.
func TestFunctionsThatAreNotCalled(t *testing.T) {
	for _, line := range []string{
		"f() { cat a; }", "f() { g() { cat a; }; }", "f() { g() { h() { cat a; }; }; }", "f() { g() { cat a; }; }; f", "f() { f() { cat a; }; }; f",
	} {
		assert.Equal(t, "read a", touched(t, line), line)
		assert.Contains(t, parse(t, line).Messy, guard.MessyFunction, line)
	}
}

// V8: what a function hides, or may not be, is messy.
func TestFunctionsThatAreNotFollowed(t *testing.T) {
	for _, line := range []string{
		"ls() { rm x; }; ls", "f() { rm x; }", "f() { f; }; f", "f() { g; }; g() { f; }; f", "if true; then f() { ls; }; fi; f",
		"x=1 f() { ls; }; f", "f() { ls; }; x=1 f", "cd() { ls; }; cd x", "test() { ls; }; test", "policyd() { ls; }; policyd",
		"echo() { rm x; }; echo", "if() { ls; }", "f() { ls; }; unset -f f; f", "f() { ls; }; eval f", "eval() { ls; }; eval x",
		"f() { cat \"$1\"; }; f <(ls)", "kill() { rm x; }; kill 1",
	} {
		assert.NotEmpty(t, parse(t, line).Messy, line)
	}
	// Programs ask no functions.
	for _, line := range []string{"f() { ls; }; f; timeout 5 f", "f() { ls; }; f; xargs f", "f() { ls; }; f; command f", "f() { ls; }; f; bash -c f"} {
		got := parse(t, line)
		c := got.Commands[len(got.Commands)-1]
		assert.True(t, c.Caveats.Has("unknown_program") || c.Caveats.Has("executes"), line)
	}
}

// S2: a piece of a line that can't be read prints the environment by every word
// that declares variables.
func TestPiecesThatPrintTheEnvironment(t *testing.T) {
	for _, word := range []string{"declare", "typeset", "export", "readonly", "local", "set", "env", "printenv"} {
		got := parse(t, word+" ) (")
		require.NotEmpty(t, got.Messy, word)
		assert.True(t, got.Commands[0].Caveats.Has("reads_environment"), word)
	}
}

// V9: in a function of zsh $0 is its name, whatever the script was called.
func TestFunctionsNamedInZsh(t *testing.T) {
	line := newTable(t).Parse(`zsh -c 'cat "$0"; id_rsa() { cat "$0"; }; id_rsa; cat "$0"' a.txt`, host.Options{Platform: "linux", Cwd: "/p"})
	var dynamic []bool
	for i := range line.Commands {
		dynamic = append(dynamic, line.Commands[i].Caveats.Has("dynamic_word"))
	}
	assert.Equal(t, []bool{false, true, false}, dynamic)
}
