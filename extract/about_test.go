package extract_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S3: text about a name leads nowhere else, whatever names there are: names
// that the shell cuts, links and secrets below are asked about.
func TestTextAboutNamesOnDisk(t *testing.T) {
	const line = `for d in $(ls cmd); do cat cmd/$d/main.go; done`
	caveats := func(p place, line string) []string {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		return items[len(items)-1].Caveats
	}
	plain := newPlace(t)
	require.NoError(t, os.MkdirAll(plain.project+"/cmd/a", 0o700))
	assert.Empty(t, caveats(plain, line))
	assert.Contains(t, caveats(plain, `for d in $(ls); do cat $d/.env; done`), "reaches_secret")
	for _, name := range []string{"x .. y", "x -n y", "a*", "'a'", "x\ny"} {
		p := newPlace(t)
		require.NoError(t, os.MkdirAll(p.project+"/cmd/"+name, 0o700))
		assert.Containsf(t, caveats(p, line), "reaches_unknown", "%q", name)
	}
	secret := newPlace(t)
	require.NoError(t, os.MkdirAll(secret.project+"/cmd/a", 0o700))
	require.NoError(t, os.WriteFile(secret.project+"/cmd/a/.env", nil, 0o600))
	assert.Contains(t, caveats(secret, `for d in $(ls cmd); do cat cmd/$d/.e*; done`), "reaches_secret")
	linked := newPlace(t)
	require.NoError(t, os.Mkdir(linked.project+"/cmd", 0o700))
	require.NoError(t, os.Symlink("../../other", linked.project+"/cmd/out"))
	assert.NotEmpty(t, caveats(linked, line))
}

// S3: a name that a variable holds is cut once more where nothing quotes it, as the items of a
// loop, the members of an array and what printf prints, whatever made it one word before.
func TestNamesCutAgain(t *testing.T) {
	whole := []string{
		`find src -type f | while read -r f; do for x in "$f"; do cat "$x"; done; done`, `for f in src/*; do for x in "$f"; do cat "$x"; done; done`,
	}
	cut := []string{
		`find src -type f | while read -r f; do for x in $f; do cat "$x"; done; done`, `for f in src/*; do for x in $f; do cat "$x"; done; done`,
		`for f in src/*; do y=$f; for x in $y; do cat "$x"; done; done`, `for f in src/*; do a=($f); for x in "${a[@]}"; do cat "$x"; done; done`,
		`g() { for x in $1; do cat "$x"; done; }; for f in src/*; do g "$f"; done`, `g() { for x in $1; do cat "$x"; done; }; find src -type f | while read -r f; do g "$f"; done`,
		`find src -type f -exec sh -c 'for x in $1; do cat "$x"; done' _ {} \;`,
		`for f in src/*; do for x in ${f%v}; do cat "$x"; done; done`, `for f in src/*; do for x in $f*; do cat "$x"; done; done`,
		`g() { cat "$1"; }; for f in src/*; do g $f; done`, `for f in src/*; do sh -c 'cat "$1"' _ $f; done`, `for f in src/*; do a=($f); cat "${a[0]}"; done`,
		`for f in src/*; do printf '%s\n' $f | while read -r x; do cat "$x"; done; done`,
	}
	caveats := func(p place, line string) []string {
		facts := p.facts("Bash", map[string]any{"command": line})
		last := facts.Items[len(facts.Items)-1]
		if facts.Messy {
			return facts.Doubts
		}
		return last.Caveats
	}
	p := newPlace(t)
	for _, line := range append(whole, cut[:7]...) {
		assert.Emptyf(t, caveats(p, line), "%q", line)
	}
	require.NoError(t, os.WriteFile(p.project+"/src/a .env", nil, 0o600))
	require.NoError(t, os.WriteFile(p.project+"/.env", nil, 0o600))
	for _, line := range whole {
		assert.Emptyf(t, caveats(p, line), "%q", line)
	}
	for _, line := range cut {
		assert.NotEmptyf(t, caveats(p, line), "%q", line)
	}
	// A name that the line hands to xargs by itself stays what it is.
	assert.Contains(t, caveats(p, `for f in $(find . -type f); do find src -type f | xargs cat "$f"; done`), "reaches_secret")
}

// S3: a member, and a slice, of names that were found is only known to the run.
func TestPartsOfArraysOfNames(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.env"))
	for _, line := range []string{
		`a=(src/*); head -5 "${a[@]:0:3}"`, `mapfile -t a < <(find src -type f); wc -l "${a[0]}"`, `a=($(find src -type f)); head -5 "${a[0]}"`,
		`a=(README.md src); ls "${a[@]:0:1}"`, `a=(README.md src); cat "${a[@]:x:1}"`, `a=(README.md src); ls "${!a[@]}"`,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.Truef(t, facts.Messy || len(facts.Items[len(facts.Items)-1].Caveats) > 0, "%q", line)
	}
}

// S3: a part of a name is text to search for, whatever names there are, as long as none of them
// makes it an option; and it is never a path.
func TestPartsOfNames(t *testing.T) {
	lines := []string{
		`for f in src/*; do n=$(basename "$f" .go); grep -n "$n" README.md; done`, `for f in $(find src); do n=$(basename "$f"); grep -n "$n" README.md; done`,
		`find src | while read -r f; do grep -c "$(basename "$f" .go)" README.md; done`, `for f in src/*; do n=${f##*/}; grep -n "${n%.go}" README.md; done`,
		`for f in src/*; do grep -n "${f#src/}" README.md; done`, `for f in src/*; do n=$(basename "$f" .go); grep -n "${n}_test" README.md; done`,
		`for f in $(find src); do n=${f##*/}; grep -n "${n%%.*}(" README.md; done`, `for f in src/*; do n=${f##*/}; grep -n -- "$n" README.md; done`,
	}
	judged := func(p place, line string) (clear bool) {
		facts := p.facts("Bash", map[string]any{"command": line})
		caveats := facts.Items[len(facts.Items)-1].Caveats
		return !facts.Messy && !slices.ContainsFunc(caveats, func(caveat string) bool { return caveat != "output_word" })
	}
	plain := newPlace(t)
	for _, line := range append(lines, `n=$(basename src/main.go .go); grep -n "$n" README.md`, `f=src/main.go; n=$(basename "$f"); cat "src/$n"`) {
		assert.Truef(t, judged(plain, line), "%q", line)
	}
	for _, line := range []string{
		`for f in src/*; do n=${f##*/}; cat "$n"; done`, `for f in src/*; do n=$(basename "$f"); cat <"$n"; done`, `for f in src/*; do n=$(basename "$f"); grep -f "$n" README.md; done`,
		`for f in src/*; do n=$(basename "$f"); git show "$n"; done`, `for f in src/*; do n=$(basename "$f"); git log -- "$n"; done`, `for f in src/*; do n=$(basename "$f"); cat "x$n"; done`,
		`for f in src/*; do n=$(basename "$f"); echo $((n)); done`, `for f in src/*; do n=$(basename "$f"); sed -n "$n" README.md; done`, `for f in src/*; do n=$(basename "$f"); grep -n $n README.md; done`,
		`for f in src/*; do n=$(basename "$f"); for x in $n; do cat "$x"; done; done`, `for f in src/*; do n=$(basename "$f"); sh -c 'cat "$1"' _ "$n"; done`,
		`for f in src/*; do n=$(basename "$f"); cd docs; grep -n "$n" x; cd ..; done`, `n=$(basename -a src/main.go .env); cat "$n"`, `n=$(basename src/.env.go .go); cat "$n"`,
		`for f in src/*; do grep -n "${f#sr}" README.md; done`, `for f in src/*; do grep -n "${f#*i}" README.md; done`, `for f in src/*; do grep -n "${f#$x/}" README.md; done`,
		`n=$(basename "$x" .go); grep -n "$n" README.md`, `for f in src/*; do n=$(basename "$f" "$x"); grep -n "$n" README.md; done`, `while read -r l; do n=$(basename "$l"); grep -n "$n" x; done < README.md`,
	} {
		facts := plain.facts("Bash", map[string]any{"command": line})
		secret := slices.ContainsFunc(facts.Paths, func(path v1.Path) bool { return len(path.Class) > 0 })
		assert.Truef(t, secret || !judged(plain, line), "%q", line)
	}
	for _, name := range []string{"src/-f.env.go", "src/-f", "src/--include=.env"} {
		p := newPlace(t)
		require.NoError(t, os.WriteFile(p.project+"/"+name, nil, 0o600))
		for _, line := range lines[:len(lines)-1] {
			assert.Falsef(t, judged(p, line), "%q with %q", line, name)
		}
	}
	below := newPlace(t)
	require.NoError(t, os.MkdirAll(below.project+"/src/d/-f b/c", 0o700))
	assert.False(t, judged(below, lines[1]), "a segment that blanks cut")
	// What differs by where names come from alone is not the same.
	joined := `if true; then a=$(find src -name '*.go' | head -1); y="HEAD:$a"; else a=$(find src -type f | head -1); y="HEAD:$a"; fi; git show "$y"`
	assert.False(t, judged(plain, joined))
}

// S3: the directory of a name that was found, and the name with another ending, are only known to the run.
func TestNamesMadeOfFoundNames(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/out"))
	for _, line := range []string{
		`for f in $(find src -name '*.go'); do ls "$(dirname "$f")"; done`, `for f in src/*/*.go; do d=$(dirname "$f"); ls "$d"; done`,
		`find src -name '*.go' | while read -r f; do head -1 "${f%.go}.md"; done`, `find src -exec sh -c 'cat "${1%.go}.md"' _ {} \;`,
		`for f in $(git ls-files); do ls "$(dirname "$f")"; done`, `for f in src/*.go; do cat "${f/.go/.md}"; done`,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		last := facts.Items[len(facts.Items)-1]
		assert.Truef(t, facts.Messy || slices.Contains(last.Caveats, "dynamic_word"), "%q: %s", line, last.Caveats)
	}
	facts := p.facts("Bash", map[string]any{"command": `f=$(find . -name main.go | head -1); n=$(basename "$f" .go); grep -n "$n" README.md`})
	assert.Empty(t, facts.Items[len(facts.Items)-1].Caveats)
}

// S3: where a command found no name, where a name is cut to nothing, and where read came to
// the end, what stands behind it is a path from the root, or an option.
func TestTextBehindNoName(t *testing.T) {
	const none, run = `< <(find src -name zzz); `, `src/run.sh`
	asked := []string{
		`mapfile -t a ` + none + `cat "${a[0]}/etc/hosts"`,
		`mapfile -t a ` + none + `b="${a[0]}/etc/hosts"; cat "$b"`, `mapfile -t a ` + none + `cat "${a[0]}/etc"/*`,
		`a=($(find src -name zzz)); cat ${a[7]}/etc/hosts`, `g() { cat "$9/etc/hosts"; }; g $(find src -type d)`,
		`read -r a ` + none + `cat "${a}/etc/hosts"`, `a=($(find src -name zzz)); d=$(dirname ${a[0]}); cat "$d/etc/hosts"`,
		`mapfile -t a ` + none + `grep "${a[0]}-f.env" README.md`, `mapfile -t a ` + none + `rg "${a[0]}--pre=./` + run + `" x src`,
		`for f in src/*; do grep "${f%%*}-f.env" README.md; done`, `for f in src/*; do n=${f%%*}; rg "$n--pre=./` + run + `" x src; done`,
		`g() { grep "$1-f.env" README.md; }; g $(find src -name zzz)`, `read -r a ` + none + `grep "$a-f.env" README.md`,
		`for f in *a.txt; do cat "${f%a.txt}/etc/hosts"; done`, `for f in *a.txt; do grep "${f%a.txt}-f.env" README.md; done`,
		`n=$(wc -l < none); grep "$n-f.env" README.md`, `n=$(grep -c x none); m="$n--pre=./` + run + `"; rg "$m" x src`,
		`h=$(git log -1 --format=%h -- zzz); rg "$h--pre=./` + run + `" x src`, `h=$(git merge-base HEAD zzz); rg "$h"'--pre=./` + run + `' x src`,
		`for f in *a.txt; do cat "${f%a.txt}../other/secret.txt"; done`, `for f in src/*v; do cat "${f%v}../../other/secret.txt"; done`,
	}
	clear := []string{
		`find src -type d | while read -r d; do cat "$d/etc/hosts"; done`, `for d in $(find src -type d); do cat "$d/etc/hosts"; done`,
		`read -r a < <(find src -type f); cat "$a"`,
		`for f in src/*.go; do cat "${f%.go}/x"; done`,
		`for f in src/*main.go; do cat "${f%in.go}.md"; done`,
	}
	requireCaveats(t, asked, clear)
}

// requireCaveats holds which lines have caveats, in a project with a few files.
func requireCaveats(t *testing.T, some, none []string) {
	t.Helper()
	p := newPlace(t)
	for _, name := range []string{"a.txt", "README.md", "src/main.go", "src/v"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, nil, 0o600))
	}
	caveats := func(line string) (caveats []string) {
		for _, item := range p.facts("Bash", map[string]any{"command": line}).Items {
			caveats = append(caveats, item.Caveats...)
		}
		return caveats
	}
	for _, line := range some {
		assert.NotEmpty(t, caveats(line), line)
	}
	for _, line := range none {
		assert.Empty(t, caveats(line), line)
	}
}

// S3: a "./" that a name is found with is none that stands in front of what is left of it, and
// neither a parameter nor a quoted item of a loop has a name where there may be none.
func TestTextBehindLostName(t *testing.T) {
	const pre = `--pre=./src/run.sh" x src`
	asked := []string{
		`for f in ./*; do n=${f%.*}; grep "$n-f.env" README.md; done`, `for f in ./*; do rg "${f%%.*}` + pre + `; done`,
		`for f in ./*; do rg "$(basename "$f" x)` + pre + `; done`, `for f in ./*; do rg "$(basename "$f")=./src/run.sh" x src; done`,
		`for f in ./*; do n=${f%/*}; rg "$n` + pre + `; done`, `rg "$(find ./src -name zzz)` + pre, `a=$(find ./src -name zzz); rg "$a` + pre,
		`mapfile -t a < <(find ./src -name zzz); rg "${a[0]}` + pre, `read -r a < <(find ./src -name zzz); rg "$a` + pre,
		`for n in 1 "$(find src -name zzz)"; do cat "$n/etc/hosts"; done`, `for n in "$(find src -name zzz)"; do find $n/etc -name hosts; done`,
		`grep -rl zzz src | xargs sh -c 'cat "$1/etc/hosts"' _`, `find src -type d | xargs sh -c 'cat "$0/etc/hosts"'`,
		`find src -type d -print0 | xargs -0 -n1 sh -c 'x=$1; ls $x/etc' _`, `find ./src -name zzz | xargs sh -c 'rg "$1` + pre + `' _`,
		`find src -type d -exec sh -c 'cat "$2/etc/hosts"' _ {} +`, `find src -type d | xargs -r sh -c 'cat "$2/etc/hosts"' _`,
		`n=$(rg -l zzz src); sh -c 'cat "$1/etc/hosts"' _ "$n"`, `sh -c 'cat "$0/etc/hosts"' "$(find src -name zzz)"`,
	}
	clear := []string{
		`find src -type d -exec sh -c 'cat "$1/etc/hosts"' _ {} +`, `find src -type d -print0 | xargs -0 -r sh -c 'cat "$1/etc/hosts"' _`,
		`find src -type d | xargs sh -c 'for d in "$@"; do cat "$d/x"; done' _`, `for d in $(find src -type d); do cat "$d/etc/hosts"; done`,
		`for d in "$(find src -type f)"; do cat $d; done`,
	}
	requireCaveats(t, asked, clear)
}
