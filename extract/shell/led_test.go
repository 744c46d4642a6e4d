package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V9: text that only the run can tell makes no option of a word that begins
// with other text; unquoted, it may make words of its own.
func TestWordsThatBeginPlain(t *testing.T) {
	for line, option := range map[string]bool{
		`x=$(cat f); grep "import $x" g`: false, `x=$(cat f); grep "\"$x" g`: false, `x=$(cat f); grep 'a'"$x" g`: false,
		`x=$(cat f); grep "$x" g`: true, `x=$(cat f); grep "-$x" g`: true, `x=$(cat f); grep import$x g`: true, `x=$(cat f); grep \-"$x" g`: true,
		`x=$(cat f); grep "${x}a" g`: true, `x=$(cat f); grep ""$x g`: true, `x=$(cat f); grep $'-'"$x" g`: true, `x=$(cat f); grep {-f,a}"$x" g`: true,
		`x=-; grep "$x$(cat f)" g`: true,
	} {
		assert.Equal(t, option, last(t, line).Caveats.Has("dynamic_option"), line)
	}
}

// V9: numbers that seq counts are numbers, and what else a loop takes is not.
func TestLoopsThatSeqCounts(t *testing.T) {
	for line, known := range map[string]bool{
		`for i in $(seq 3); do sed -n "${i}p" f; done`: true, `for i in $(seq 1 2 9); do sed -n "${i}p" f; done`: true,
		`n=$(wc -l < f); for i in $(seq 1 $n); do sed -n "${i}p" f; done`: true, `n=3; for i in $(seq 1 $n); do sed -n "${i}p" f; done`: true,
		`for i in $(seq -w 9); do sed -n "${i}p" f; done`: false, `for i in $(seq -f %gw 9); do sed -n "${i}p" f; done`: false,
		`for i in $(seq 1 $x); do sed -n "${i}p" f; done`: false, `for i in $(seq 3; cat g); do sed -n "${i}p" f; done`: false,
		`IFS=1; for i in $(seq 31); do sed -n "${i}p" f; done`: false, `seq() { cat g; }; for i in $(seq 3); do sed -n "${i}p" f; done`: false,
		`for i in "$(seq 3)"; do sed -n "${i}p" f; done`: true, `for i in $(seq 3 < g); do sed -n "${i}p" f; done`: false,
		`for i in x$(seq 3); do sed -n "${i}p" f; done`: false, `for i in $(seq 0x3); do sed -n "${i}p" f; done`: false,
	} {
		kind, _ := last(t, line).Form.Get("<script>")
		assert.Equal(t, known, kind == "sed" && len(parse(t, line).Messy) == 0, line)
	}
}

// V9: a pattern without the end that all its matches have matches what is left of
// them.
func TestEndsCutOffMatches(t *testing.T) {
	for line, want := range map[string]string{
		`for f in a/*.up.sql; do cat "${f%.up.sql}.down.sql"; done`: "read a/*.down.sql",
		`for f in a/*.up.sql; do g="${f%.sql}"; cat "$g"; done`:     "read a/*.up, read a/*.up",
		`for f in a/*.go; do g=$f; cat "$g"; done`:                  "read a/*.go, read a/*.go",
		`for f in a/*.go; do cat "${f%.md}"; done`:                  "read ${f…}",
		`for f in a/x.go a/*; do cat "${f%/*}"; done`:               "read a, read ${f…}",
		`for f in a/*.go; do cat "${f%.*}"; done`:                   "read ${f…}",
		`for f in a/x[.]go; do cat "${f%go}"; done`:                 "read ${f…}",
		`for f in *.go; do g=$f; cd a; cat "$g"; done`:              "read *.go, read $g",
		`for f in a/*.go; do g="$f$f*"; cat $g; done`:               "read $g, read $g",
	} {
		assert.Equal(t, want, accesses(t, line), line)
	}
	for _, line := range []string{`for f in a/*; do grep "-f$f" x; done`, `for f in a/*; do g="-f$f"; grep "$g" x; done`} {
		assert.Contains(t, last(t, line).Caveats, "dynamic_option", line)
	}
}

// V8: a variable that holds one of several texts holds text, and what was in the
// environment before is no part of it.
func TestVariablesOfSeveralTexts(t *testing.T) {
	for line, text := range map[string]bool{
		`x=a; if ls; then x=$(cat f); fi; echo "$x"`: true, `x=; for f in a b; do [ -e $f ] || x="$x $f"; done; echo "$x"`: true,
		`if ls; then x=a; fi; echo "$x"`: false, `x=a; if ls; then x=$y; fi; echo "$x"`: false, `x=a; if ls; then read x; fi; echo "$x"`: true,
	} {
		assert.Equal(t, text, !last(t, line).Caveats.Has("dynamic_word"), line)
	}
	for _, line := range []string{`x=1; if ls; then x='a[$(id)]'; fi; echo $((x))`, `x=1; if ls; then x='a[$(id)]'; fi; [[ $x -eq 1 ]]`} {
		assert.NotEmpty(t, parse(t, line).Messy, line)
	}
	assert.Contains(t, last(t, `x=a; if ls; then x=-p; fi; git log "$x"`).Caveats, "dynamic_option")
}
