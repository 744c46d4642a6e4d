package extract_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asks reports whether any command of a line has a caveat by which a name that was matched
// may be more than one path.
func (p place) asks(line string) bool {
	facts := p.facts("Bash", map[string]any{"command": line})
	for i := range facts.Items {
		if slices.ContainsFunc(facts.Items[i].Caveats, func(caveat string) bool {
			return caveat == "dynamic_word" || caveat == "dynamic_option" || caveat == "reaches_unknown"
		}) {
			return true
		}
	}
	return facts.Messy
}

// S3: what a pattern's matches are called matters where a word holds one with text about it:
// the word's own pattern matches none of them.
func TestMatchesWithTextAboutThem(t *testing.T) {
	cases := []struct{ name, line string }{
		{"in/a .env", `for f in in/*; do cat src/$f; done`},
		{"in/a .env", `for f in in/*; do head -1 ./$f 2>/dev/null; done`},
		{"in/a .env", `for f in in/*; do x="src/$f"; cat $x; done`},
		{"in/a .env", `for f in in/*; do for x in src/$f; do cat "$x"; done; done`},
		{"in/a .env", `a=(in/*); f=${a[0]}; for x in src/$f; do while true; do cat "$x"; y=1; done; done`},
		{"in/a .env", `for f in in/*; do x=(src/$f); cat "${x[@]}"; done`},
		{"in/a .env", `g() { cat "$@"; }; for f in in/*; do g src/$f; done`},
		{"in/a .env", `for f in in/*; do sh -c 'cat "$@"' _ src/$f; done`},
		{"in/a -f.env", `for f in in/*; do grep -e $f src/main.go; done`},
		{"in/a -f.env", `x=(in/*); rg -e ${x[0]} src`},
		{"in/a -f.env", `x=(in/*); rg -e ${x[@]} src`},
		{"in/a ", `for f in in/*; do grep -e $f-f.env src/main.go; done`},
		{"in/a ", `for f in in/*; do rg -g $f--pre=./x y src; done`},
		{"in/a ", `for f in in/*; do git log -S $f--output=x; done`},
		{"in/a .go", `for f in in/*.go; do grep -e ${f%.go}-f.env src/main.go; done`},
		{"-f", `for f in *; do grep "$f.env" src/main.go; done`},
		{"-f", `for f in *; do x="$f.env"; grep "$x" src/main.go; done`},
		{"-f.go", `for f in *.go; do grep "${f%.go}.env" src/main.go; done`},
		{"-f.env", `for f in *; do x=$(basename "src/$f"); grep "$x" src/main.go; done`},
		{"-f.env", `for f in *; do x=src/$f; grep "${x##*/}" src/main.go; done`},
	}
	for _, c := range cases {
		p := newPlace(t)
		require.NoError(t, os.MkdirAll(p.project+"/in", 0o700))
		require.NoError(t, os.MkdirAll(p.project+"/src/in", 0o700))
		require.NoError(t, os.WriteFile(p.project+"/src/in/plain.go", nil, 0o600))
		require.NoError(t, os.WriteFile(p.project+"/in/plain.go", nil, 0o600))
		assert.Falsef(t, p.asks(c.line), "%q with plain names", c.line)
		require.NoError(t, os.Remove(p.project+"/in/plain.go"))
		require.NoError(t, os.WriteFile(p.project+"/"+c.name, nil, 0o600))
		assert.Truef(t, p.asks(c.line), "%q with %q", c.line, c.name)
	}
}

// A name with a blank in it stays one word in quotes, and is printed as it is.
func TestBlanksInMatchesThatNothingCuts(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/in", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/in/a .env", nil, 0o600))
	require.NoError(t, os.WriteFile(p.project+"/in/-f", nil, 0o600))
	require.NoError(t, os.MkdirAll(p.project+"/src/in", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/src/in/plain.go", nil, 0o600))
	for _, line := range []string{
		`for f in in/*; do cat "src/$f"; done`, `for f in in/*; do echo $f $f.x; done`, `for f in in/*; do x=$f; cat "$x"; done`,
		`for f in in/*; do [[ -f src/$f ]] && cat "src/$f"; done`, `for f in in/*; do grep -e "$f" src/main.go; done`, `for f in in/*; do echo "$f: $((1))"; done`,
	} {
		assert.Falsef(t, p.asks(line), "%q", line)
	}
}

// Text about a match that is printed makes lines of which nothing on the disk tells where
// they are cut.
func TestPrintedMatchesWithTextAboutThem(t *testing.T) {
	p := newPlace(t)
	p.files(t, "in/a.go", "src/in/a.go", "src/main.go")
	for _, line := range []string{
		`for f in in/*; do echo "src/$f" | xargs cat; done`, `for f in in/*; do n=src/$f; printf '%s\n' "$n" | xargs cat; done`,
		`for f in in/*.go; do echo "${f%.go}" | xargs cat; done`, `for f in in/*; do for g in $(echo "src/$f"); do cat "$g"; done; done`,
		`for f in in/*.go; do echo "${f//go/x}" | xargs cat; done`, `a=(in/*.go); echo "${a[0]%.go}" | xargs cat`,
		`g() { echo "src/$1" | xargs cat; }; for f in in/*; do g "$f"; done`, `for f in in/*; do echo "src/$f"; done | xargs cat`,
	} {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
	for _, line := range []string{
		`for f in in/*; do echo "$f" | xargs cat; done`, `for f in in/*; do n=$f; printf '%s\n' "$n" | xargs cat; done`, `echo in/*.go | xargs cat`,
		`for f in in/*.go; do echo "src/$f: ${f%.go}"; done`, `a=(in/*.go); printf '%s\n' "${a[0]}" | xargs cat`,
	} {
		assert.Emptyf(t, p.lastOf(line), "%q", line)
	}
}
