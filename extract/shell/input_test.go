package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V8: read and xargs get whole lines only while no other command takes parts of
// the stream that they share.
func TestStreamsThatOthersCut(t *testing.T) {
	for line, known := range map[string]bool{
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); sed -n \"${n}p\" f; wc -l < f; done": true,
		"grep -n x f | while IFS=: read -r n rest; do cat f | head -c 2; echo $((n)); done":             true,
		"find . -name x | while read -r f; do cat \"$f\"; head -c 2 < f; done":                          true,
		"find . -name x | while read -r f; do cat \"$f\"; git log -- \"$f\"; done":                      true,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); head -c 2; done":                     false,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); head -c 2 -; done":                   false,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); head -c 2 /dev/stdin; done":          false,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); head -c 2 < /dev/stdin; done":        false,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); head -c 2 <&0; done":                 false,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); y=$(head -c 2); done":                false,
		"grep -n x f | while IFS=: read -r n rest; do echo $((n)); sh -c 'head -c 2'; done":             false,
		"g() { head -c 2; }; grep -n x f | while IFS=: read -r n rest; do echo $((n)); g; done":         false,
		"grep -n x f | { sed 1q; IFS=: read -r n rest; echo $((n)); }":                                  false,
		"wc -l f | while read -r n name && head -c 2; do echo $((n)); done":                             false,
		"find . -name x | { head -c 1; while read -r f; do cat \"$f\"; done; }":                         false,
		"while read -r f; do cat \"$f\"; head -c 1; done < <(find . -name x)":                           false,
		"find . -name x -print0 | while read -r -d '' f; do cat \"$f\"; read -r y; done":                false,
		"find . -name x | { head -c 1; mapfile -t list; cat \"${list[@]}\"; }":                          false,
		"find . -name x | while read -r f; do cat \"$f\"; file f; git cat-file -p HEAD; done":           true,
		"find . -name x | while read -r f; do cat \"$f\"; file -; done":                                 false,
		"find . -name x | while read -r f; do cat \"$f\"; grep -qf f f -; done":                         false,
		"find . -name x | while read -r f; do cat \"$f\"; grep -qf - f; done":                           false,
		"find . -name x | while read -r f; do cat \"$f\"; sort -R --random-source=/dev/stdin f; done":   false,
		"find . -name x | while read -r f; do cat \"$f\"; head -c 2 - 3< f; done":                       false,
		"find . -name x | while read -r f; do cat \"$f\"; git cat-file --batch-check | head -1; done":   false,
		"find . -name x | while read -r f; do cat \"$f\"; git shortlog; done":                           false,
		"find . -name x | while read -r f; do cat \"$f\"; cmp f g; awk 1 f; done":                       true,
		"find . -name x | while read -r f; do cat \"$f\"; cmp f; done":                                  false,
		"find . -name x | while read -r f; do cat \"$f\"; awk '{exit}' v=1; done":                       false,
	} {
		got := newTable(t).Parse(line, textual)
		assert.Equal(t, known, len(got.Messy) == 0, "%s: %v", line, got.Messy)
	}
	for line, named := range map[string]bool{
		"find . -name x | { xargs cat; }":                                    true,
		"find . -name x | { read -r y; xargs cat; }":                         true,
		"for i in 1 2; do find . -name x | xargs cat; done":                  true,
		"find . -name x | { head -c 1; xargs cat; }":                         false,
		"find . -name x -print0 | { read -r y; xargs -0 cat; }":              false,
		"find . -name x | { read -r -d '' y; xargs cat; }":                   false,
		"find . -name x | while :; do xargs -n1 cat; done":                   false,
		"find . -name x | for i in 1 2; do xargs -n1 cat; done":              false,
		"find . -name x | while read -r y z; do head -c 1; xargs cat; done":  false,
		"find . -name x | while [ -e y ]; do [ -e z ] && head -c 1; done":    false,
		"find . -name x | xargs -I{} cat {}":                                 true,
		"find . -name x | xargs -I{} -n2 cat {}":                             false,
		"find . -name x | xargs -I{} -L1 cat {}":                             false,
		"find . -name x | while :; do find . -name x | xargs -n1 cat; done":  true,
		"find . -name x | until sh -c 'xargs -n1 cat'; do read -r y z; done": false,
	} {
		got := newTable(t).Parse(line, textual)
		last := got.Commands[len(got.Commands)-1]
		assert.Equal(t, named, len(last.Accesses) == 1 && last.Accesses[0].FromStream, "%s: %+v", line, last)
	}
}

// V8: where the first of the words behind a script is several names, only one of
// them is what the script is called.
func TestParametersOfSeveralNames(t *testing.T) {
	for _, line := range []string{
		"find . -name x | xargs sh -c 'cat \"$@\"'", "find . -name x | xargs sh -c 'cat $*'", "sh -c 'cat \"$@\"' *",
		"find . -name x -exec sh -c 'for f in \"$@\"; do cat \"$f\"; done' {} +", "list=(x y); sh -c 'cat \"$@\"' \"${list[@]}\"",
	} {
		got := newTable(t).Parse(line, textual)
		read := len(got.Messy) > 0
		for _, command := range got.Commands {
			read = read || command.Verb == "cat" && (len(command.Accesses) > 0 || len(command.Caveats) > 0)
		}
		assert.True(t, read, "%s: %+v", line, got.Commands)
	}
}
