package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

func everywhere(string) bool { return true }

// textual are the surroundings of lines that look for numbers in files.
var textual = host.Options{
	Platform: "linux", Cwd: "/p", Plain: everywhere, Enterable: everywhere, Readable: everywhere, Toplevel: func(dir string) string { return dir },
	Textual: func(path string) bool { return path == "/p/f" },
}

// V8: what is known to print numbers may be computed with, and nothing else.
func TestWhatPrintsNumbers(t *testing.T) {
	for line, known := range map[string]bool{
		"grep -n x f | head -1 | cut -d: -f1": true, "grep -n x f | cut -d ':' -f 1 | tail -n 1": true, "grep -m1 -n x f | cut -f1 -d:": true,
		"grep -n x f | head -1 | awk -F: '{print $1}'": true, "grep -n x f | sed -n 2p | sed 's/:.*//'": true, "grep -n x < f | head -1 | cut -d: -f1": true,
		"grep -n x f | sort -n | tail -1 | cut -d: -f1 || true": true,
		"wc -l f | awk '{print $1}'":                            true, "wc -l f | cut -d' ' -f1": true, "wc -l < f | tr -d ' '": true, "wc -l < f | xargs": false,
		"wc -l < f 2>/dev/null": true, "grep -c x f 2>/dev/null || true": true, "wc -l f g 2>/dev/null | cut -d' ' -f1": false, "wc -l < f 2>&1": false,
		"grep -c x f || true": true, "stat -c%s f": true, "stat --format=%Y f": true, "du -sk f | cut -f1": true, "awk 'END{print NR}' f": true,
		"awk '/x/ {print NR; exit}' f": true,
		// Another file, one that is no text, several, or another part of the line.
		"grep -n x g | head -1 | cut -d: -f1": false, "grep -n x f f | head -1 | cut -d: -f1": false, "grep -rn x f | head -1 | cut -d: -f1": false,
		"grep -n x | head -1 | cut -d: -f1": false, "grep -Hn x f | head -1 | cut -d: -f1": false, "grep -n -A1 x f | head -1 | cut -d: -f1": false,
		"grep -n x f | cut -d: -f1": false, "grep -n x f | head -1": false, "grep -n x f | head -1 | cut -d: -f2": false, "grep -n x f | head -1 | cut -c1-9": false,
		"grep -n x f | tail -c 9 | cut -d: -f1 | head -1": false, "grep -n x f | head -1 | awk '{print $1}'": false, "grep -n x f 2>&1 | head -1 | cut -d: -f1": false,
		"grep -n x f | sed s/1/x/ | head -1 | cut -d: -f1": false, "LC_ALL=x rm f; grep -n x f | head -1 | cut -d: -f1": false,
		// The name of a file in front, where - is another, and words of another kind.
		"grep -n x f - | head -1 | cut -d: -f1": false, "grep -n x - f | head -1 | cut -d: -f1": false,
		"wc --version f | head -1 | awk '{print $1}'": false, "wc --help f | head -1 | cut -d' ' -f1": false, "awk '/x/ {pr int NR; exit}' f": false,
		"wc -l f g | awk '{print $1}'": false, "wc -l f | awk '{print $2}'": false, "wc -l f": false, "wc -l < f || echo 0": false,
		"stat -c%n f": false, "stat -c '%s %n' f": false, "stat -c%s f g": false, "du -sh f | cut -f1": false, "du -sk f": false,
		"awk 'END{print $1}' f": false, "awk '{NR=$0} END{print NR}' f": false, "awk -v NR=x 'END{print NR}' f": false, "awk 'END{print NR}' NR=x f": false,
		// The last of several options counts, and a word among others is none.
		"stat -c %s -c %n f": false, "stat -c%s --format=%n f": false, "stat -c %s f -c %n": false, "grep -n -m1 -m 5 x f | cut -d: -f1": false,
		"grep -n -m1 --max-count=5 x f | cut -d: -f1": false, "grep -n -e -m1 f | cut -d: -f1": false, "awk '/exit/{print NR}' f": false,
		"seq 3 | tr -d '[:space:]'": false, "wc -l < f | tr -d '[:space:]'": true,
		"awk '/x/{print NR}' f": false, "awk 'END{print NR; exit}' f": true, "awk '{print NR; exit}' f": true,
		"seq 3": false, "seq 3 f | head -1": false, "cat f | xargs": false, "cat f || true": false, "echo 'a[$(id)]' || true": false,
	} {
		got := newTable(t).Parse("n=$("+line+"); [[ $n -gt 1 ]]", textual)
		assert.Equal(t, known, len(got.Messy) == 0, "%s: %v", line, got.Messy)
		several := slices.Contains([]string{
			"grep -n x f | cut -d: -f1", "grep -n -m1 -m 5 x f | cut -d: -f1", "grep -n -m1 --max-count=5 x f | cut -d: -f1", "grep -n -e -m1 f | cut -d: -f1",
			"awk '/exit/{print NR}' f", "awk '/x/{print NR}' f", "seq 3",
		}, line)
		got = newTable(t).Parse("n=$("+line+"); echo $((n+1))", textual)
		assert.Equal(t, known || several, len(got.Messy) == 0, "%s: %v", line, got.Messy)
	}
}

// V7, V8: where there may be several numbers, an expression has a value or fails, and a script of
// sed that chooses lines by them does no more. Anywhere else they are text that the run prints.
func TestSeveralNumbers(t *testing.T) {
	plain := func(line string) bool {
		got := newTable(t).Parse("n=$(grep -n x f | cut -d: -f1); "+line, textual)
		caveats := slices.DeleteFunc(slices.Clone(got.Commands[len(got.Commands)-1].Caveats), func(caveat string) bool { return caveat == "output_word" })
		return len(got.Messy) == 0 && len(caveats) == 0
	}
	for _, line := range []string{
		`sed -n "$((n-2)),$((n+5))p" f`, `sed -n "$(($n-2)),$(($n+5))p" f`, `sed -n "${n},$((n+20))p" f`, `sed -n "${n}p" f`, `sed -n "$n,\$p" f`, `sed "$n,+5!d" f`,
		`echo $((n+5))`, `head -n $((n+5)) f`, `echo "$n"`, `grep -n "$n" f`, `if ((n > 5)); then echo x; fi`,
	} {
		assert.True(t, plain(line), line)
	}
	for _, line := range []string{
		`sed -n "a x;${n}p;w f" f`, `sed -n "$n{p;w g" f`, `sed -n "s/x/$n/p" f`, `sed -n "/$n/p" f`, `sed -n ${n}p f`, `x=$(cat f); sed -n "$n$x" f`, `sed -n "$(cat f)p" f`, `awk "NR==$n" f`,
		`m="${n:-x}"; echo $((m+1))`, `echo $((${n:-x}+1))`, `n+=z; echo $((n+1))`, `m=a$n; echo $((m+1))`, `m=${n%5}; echo $((m+1))`, `echo $((x$n))`, `[[ $n -gt 5 ]]`,
		`cat $n`, `cat "f$n"`, `cat f$((n+1))`, `x=abc; echo ${x:$n:1}`, `declare -i m; m=$n`, `m=-$n; echo $((m+1))`, `sed -n "-$n,5p" f`,
	} {
		assert.False(t, plain(line), line)
	}
	// Where an expression may fail, what the rest of its line does may not have happened.
	got := newTable(t).Parse("n=$(grep -n x f | cut -d: -f1); cd d; echo $((n)); cd e\ncat g", textual)
	assert.Len(t, got.Commands[len(got.Commands)-1].Cwd.Known, 2)
}

// V8: lines of numbers that a loop takes one by one.
func TestLoopsOverNumbers(t *testing.T) {
	for line, known := range map[string]bool{
		"seq 3 | while read -r n; do echo $((n)); done":                                           true,
		"while read -r n; do echo $((n)); done < <(seq 3)":                                        true,
		"for n in $(grep -n x f | cut -d: -f1); do echo $((n)); done":                             false,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)) $rest; done":                    true,
		"grep -n x f | while IFS=: read -r n rest; do echo $((rest)); done":                       false,
		"grep -n x f | while IFS=: read -r n; do echo $((n)); done":                               false,
		"grep -n x f | while read -r n rest; do echo $((n)); done":                                false,
		"for n in \"$(grep -n x f | cut -d: -f1)\"; do echo $((n)); done":                         true,
		"IFS=1; for n in $(grep -n x f | cut -d: -f1); do echo $((n)); done":                      false,
		"for n in $(seq 3 | tr -d '[:space:]'); do echo $((n)); done":                             false,
		"for n in $(seq 3 | tr -d ' '); do echo $((n)); done":                                     false,
		"seq 3 | tr -d '[:space:]' | while read -r n; do echo $((n)); done":                       false,
		"seq 3 | while read -r n; do read -r n; echo $((n)); done < g":                            false,
		"cat f | while read -r n; do echo $((n)); done":                                           false,
		"grep -n x f | while IFS=: read -r n rest; do sed -n \"${n}p\" f; done":                   true,
		"echo $(( $(wc -l < f) - 2 )) $((0x10 + 1))":                                              true,
		"echo $(( $(cat f) - 2 ))":                                                                false,
		"echo $((0x10[1]))":                                                                       false,
		"x=a; [[ $x =~ ^(a|b)+$ ]] && echo ok":                                                    true,
		"x=a; [[ $x =~ ^(a;b) ]] && echo ok":                                                      false,
		"mapfile -t a < <(git ls-files); echo ${#a[@]}; for f in \"${a[@]}\"; do wc \"$f\"; done": true,
		"mapfile -t a < f; echo $((a[0]))":                                                        false,
		"mapfile -C ls -t a < f":                                                                  false,
		"shopt -s nullglob; for f in *.go; do wc \"$f\"; done":                                    false,
		"shopt -s dotglob; ls":                                                                    false,
	} {
		got := newTable(t).Parse(line, textual)
		assert.Equal(t, known, len(got.Messy) == 0, "%s: %v", line, got.Messy)
	}
}

// V1: a script among the words of a shell is given those behind it.
func TestParametersOfScripts(t *testing.T) {
	assert.Equal(t, "f", last(t, `bash -c 'cat "$1"' _ f`).Accesses[0].Text)
	assert.Equal(t, "g", last(t, `sh -c 'cat "$0"' g`).Accesses[0].Text)
	assert.True(t, last(t, `sh -c 'cat "$2"' _ f`).Caveats.Has("dynamic_word") || last(t, `sh -c 'cat "$2"' _ f`).Accesses == nil)
	assert.True(t, last(t, `find d -exec sh -c 'cat "$1"' _ {} \;`).Accesses[0].FromStream)
	assert.True(t, last(t, `find d -exec sh -c 'cat "$1"' _ {} +`).Accesses[0].FromStream)
	assert.Contains(t, parse(t, `find d -exec sh -c '$1' _ {} \;`).Messy, guard.MessyDynamicVerb)
	assert.Contains(t, parse(t, `bash -c 'eval "$1"' _ x`).Messy, guard.MessyBuiltin)
}

// V3: text without a blank is one word, also in front of a pattern.
func TestPlainTextInFrontOfPatterns(t *testing.T) {
	assert.False(t, last(t, "d=src; cat $d/*.go").Accesses[0].Split)
	assert.True(t, last(t, "IFS=r; d=src; cat $d/*.go").Accesses[0].Split)
	assert.True(t, last(t, "d=$(cat f); cat src/$d/*.go").Caveats.Has("dynamic_word"))
}

// V8, V11: BSD's grep -o says the number of a line in front of its first match alone.
func TestNumbersOfMatches(t *testing.T) {
	elsewhere := textual
	elsewhere.Platform = "darwin"
	line := "n=$(grep -no x f | tail -1 | cut -d: -f1); echo $((n+1))"
	assert.Empty(t, newTable(t).Parse(line, textual).Messy)
	assert.NotEmpty(t, newTable(t).Parse(line, elsewhere).Messy)
}
