package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: segments of names in a path lead to something below the directory in front of them,
// whatever they are, as long as none of them goes up.
func TestSegmentsInPaths(t *testing.T) {
	lines := []string{
		`for d in a/*/; do n=$(basename "$d"); [ -f "a/$n/${n}_test.go" ] || echo "$n"; done`, `for d in a/*; do n=${d##*/}; cat "a/$n/$n.go"; done`,
		`for f in a/*/*.go; do b=$(basename "$f" .go); wc -l "a/${b}_test.go"; done`, `for f in a/*/*.go; do n=${f##*/}; n=${n%.go}; head -1 "./a/${n}_test.go"; done`,
		`find a -type f | while read -r f; do n=$(basename "$f" .go); wc -l < "a/${n}_test.go"; done`, `ls a | while read -r n; do ls "a/$n/$n.go"; done`,
		`for f in $(find a); do n=${f##*/}; p="a/$n/x"; cat "$p"; done`, `find a -exec sh -c 'n=${1##*/}; cat "a/$n/x"' _ {} \;`,
	}
	never := []string{
		`for d in a/*; do n=${d##*/}; cat "$n/x"; done`, `for d in a/*; do n=${d##*/}; cat "/$n"; done`, `for d in a/*; do n=${d##*/}; cat a/$n; done`,
		`for d in a/*; do n=${d##*/}; cat "a/$n/../x"; done`, `for d in a/*; do n=${d##*/}; cat "../$n"; done`, `for d in a/.*; do n=${d##*/}; cat "a/$n/x"; done`,
		`for d in a/*; do n=$(basename "$d" .go); cat "a/$n/x"; done`, `for d in a/*; do n=${d##*/}; n=${n%.go}; cat "a/$n/x"; done`, `for d in a/*; do n=${d##*/}; n=${n%.go}; cat "a/$n."; done`,
		`for d in a/*; do n=${d##*/}; cat "a/$n$n"; done`, `for d in a/*; do n=${d##*/}; p="a/$n/x"; cat $p; done`, `for d in a/*; do n=${d##*/}; p="a/$n/x"; for q in $p; do cat "$q"; done; done`,
		`for d in a/*; do n=${d##"*/"}; cat "a/$n/x"; done`, `for d in a/*; do n=${d##*\/}; n=${n#*/}; cat "a/$n/x"; done`, `for d in a/*; do n=${d##*/}; p="a/$n/x"; cat "$(dirname "$p")/y"; done`,
		`for d in a/*; do n=${d##*/}; "./a/$n/run"; done`, `for d in a/*; do n=${d##*/}; git -C b show "a/$n/x"; done`, `n=$(basename "$x"); cat "a/$n"`,
	}
	p := newPlace(t)
	p.files(t, "a/m/m.go", "b/x")
	for _, line := range lines {
		assert.Emptyf(t, p.lastOf(line), "%q", line)
	}
	for _, line := range never {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
	// Cut, or without the blanks at its ends, a name is another one.
	for _, name := range []string{"a/ ../k", "a/x .. y/k", "a/q\n../k", "a/\\../k"} {
		p := newPlace(t)
		p.files(t, "a/m/m.go", name)
		assert.NotEmptyf(t, p.lastOf(`for f in $(find a); do n=${f##*/}; cat "b/$n/x"; done`), "%q", name)
	}
	p = newPlace(t)
	p.files(t, "a/m/m.go", "a/ ../k")
	assert.NotEmpty(t, p.lastOf(`ls a | while read -r n; do cat "b/$n/x"; done`))
	// What lies below counts.
	p = newPlace(t)
	p.files(t, "a/m/m.go", "b/m/.env")
	assert.Contains(t, p.lastOf(`for d in a/*; do n=${d##*/}; cat "b/$n/.env"; done`), "reaches_secret")
	require.NoError(t, os.Symlink("../../other", p.project+"/a/l"))
	assert.Contains(t, p.lastOf(`for d in b/*; do n=${d##*/}; cat "a/$n/x"; done`), "reaches_outside")
}

// S3: a set of what a character is not ([!.]) is matched as shells do, ranges and other marks not.
func TestPatternsThatLeaveCharactersOut(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/out"))
	for line, want := range map[string]string{
		"du -sh .[!.]*": "", "ls -d .[!.]*": "", "cat src/[!x]*": "", "cat [!.]*": "", "cat .[!.]*": "reaches_secret", "cat .[!E]nv": "reaches_secret", "cat .[!.e]*": "",
		"cat .[!_]*": "reaches_unknown", "cat .[!a-f]*": "reaches_unknown", "cat .[^.]*": "reaches_unknown", "ls -d .[!_]*": "", "ls -ld .[!_]*": "reaches_unknown", "cat [!]]*": "reaches_unknown",
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		caveats := facts.Items[len(facts.Items)-1].Caveats
		assert.Equal(t, want == "", len(caveats) == 0, "%s: %v", line, caveats)
		assert.True(t, want == "" || caveats.Has(want), "%s: %v", line, caveats)
	}
	require.NoError(t, os.Symlink("/etc/hostname", p.project+"/.out"))
	facts := p.facts("Bash", map[string]any{"command": "cat .[!e]ut"})
	assert.True(t, facts.Items[0].Caveats.Has("reaches_outside"))
}
