package extract_test

import (
	"os"
	"path/filepath"
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

// lastOf are the doubts and caveats that a line leaves with its last item.
func (p *place) lastOf(line string) []string {
	facts := p.facts("Bash", map[string]any{"command": line})
	if facts.Messy {
		return facts.Doubts
	}
	last := len(facts.Items) - 1
	for facts.Items[last].Kind == v1.ItemPath {
		last-- // of what it touches outside
	}
	return facts.Items[last].Caveats
}

// files makes files of a project without its link that leads out, in their directories.
func (p *place) files(t *testing.T, names ...string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(p.project+"/out"))
	for _, name := range names {
		require.NoError(t, os.MkdirAll(p.project+"/"+filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x"), 0o600))
	}
}

// S3: text about the matches of a pattern makes names that the whole need not match: they are
// cut all the same where nothing quotes them, and their parts may be options.
func TestTextAboutMatches(t *testing.T) {
	behind := []string{
		`for d in a/*; do cat $d/x; done`, `for d in a/*/; do cat ${d}x; done`, `for d in a/*; do p=$d/x; cat $p; done`,
		`for d in a/*; do for f in $d/x; do cat "$f"; done; done`, `for d in a/*; do p="$d/x"; for q in $p; do cat "$q"; done; done`,
		`g() { cat $1/x; }; for d in a/*; do g "$d"; done`, `for d in a/*; do wc -l < $d/x; done`,
	}
	front := []string{
		`for d in a/*; do cat b/$d/x; done`, `for d in a/*; do p="b/$d/x"; cat $p; done`, `for d in a/*; do for q in b/$d/x; do cat "$q"; done; done`,
	}
	parts := []string{
		`for f in a/*; do p="${f}v"; n=${p##*/}; grep "$n" README.md; done`, `for f in a/*; do p="b/$f"; grep "$(basename "$p")" README.md; done`,
	}
	quoted := []string{`for d in a/*; do cat "$d/x"; done`, `for d in a/*; do cat "b/$d/x"; done`, `for d in a/*; do p="$d/x"; cat "$p"; done`}
	p := newPlace(t)
	p.files(t, "a/m/x", "b/a/m/x")
	for _, line := range slices.Concat(behind, front, parts, quoted) {
		assert.Emptyf(t, p.lastOf(line), "%q", line)
	}
	p.files(t, "a/ ../k")
	for _, line := range slices.Concat(behind, front) {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
	for _, line := range quoted {
		assert.Emptyf(t, p.lastOf(line), "%q", line)
	}
	p = newPlace(t)
	p.files(t, "a/-f.en")
	for _, line := range parts {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
	p = newPlace(t)
	p.files(t, "a/zv", "a/q .en")
	assert.NotEmpty(t, p.lastOf(`for f in a/*; do cat ${f}v; done`))
	assert.Empty(t, p.lastOf(`for f in a/*v; do cat $f; done`))
}

// V3: scripts that unpack split their words once more: also a pattern that is handed on
// as it is, since it matches nothing.
func TestPatternsThatScriptsSplitAgain(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/one.gz", []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/t w.xz", []byte("x"), 0o600))
	for line, asks := range map[string]bool{
		"zcat *.gz": false, "zgrep x one*": false, "zcat *.xz": true, "zgrep x '.env '*": true, "zcat no*": true, "cat no*": false,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		assert.Equalf(t, asks, facts.Items[0].Caveats.Has("dynamic_word"), "%q", line)
	}
}

// S3: what grep -o prints is text that only the run knows, and may begin as an option does.
func TestMatchesThatGrepPrints(t *testing.T) {
	p := newPlace(t)
	p.files(t, "log", "-f.env")
	for _, line := range []string{`x=$(grep -oE '[-a-z]+' log); grep -n "$x" README.md`, `x=$(grep -oE '[a-z]+' log | cut -c1); grep -n "$x" README.md`} {
		assert.Contains(t, p.lastOf(line), "dynamic_option", "%q", line)
	}
}

// S3: read and xargs take away the blanks at the ends of a line. A name that is printed without
// the directory it lies in, or without "./", then is another one: of " .." the directory above
// is left.
func TestBlanksAtTheEndsOfNames(t *testing.T) {
	lines := []string{
		`ls docs | while read -r n; do cat "docs/$n/.env"; done`, `ls docs | while read -r n; do ls "$n"; done`,
		`ls docs | xargs -I{} ls {}`, `ls docs | xargs -I{} sh -c 'cat "docs/$1/.env"' _ {}`,
		`rg --files docs | while read -r n; do cat "$n"; done`, `rg -l x docs | xargs -I{} cat {}`,
		`rg --files | while read -r n; do head -1 "$n"; done`,
	}
	caveats := func(p place, line string) []string {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.Falsef(t, facts.Messy, "%q", line)
		return facts.Items[len(facts.Items)-1].Caveats
	}
	plain := newPlace(t)
	require.NoError(t, os.Remove(plain.project+"/out")) // a link that leads out
	require.NoError(t, os.MkdirAll(plain.project+"/docs/a b/c", 0o700))
	for _, line := range lines {
		assert.Emptyf(t, caveats(plain, line), "%q", line)
	}
	for _, name := range []string{" ..", ".. ", "\t.."} {
		p := newPlace(t)
		require.NoError(t, os.Remove(p.project+"/out"))
		require.NoError(t, os.MkdirAll(p.project+"/docs/"+name, 0o700))
		require.NoError(t, os.WriteFile(p.project+"/docs/"+name+"/x", nil, 0o600))
		for _, line := range lines {
			assert.Containsf(t, caveats(p, line), "reaches_unknown", "%q with %q", line, name)
		}
	}
}

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

// S3: what rg -l and grep -l print are files, so that a program which reads trees is given
// none, but for what they or a filter say besides.
func TestNamesOfFilesAlone(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/out"))
	for line, safe := range map[string]bool{
		"rg -l x | xargs rg -n y": true, "rg --files | xargs rg y": true, "rg -l x | xargs -r grep -rn y": true, "grep -rl --include='*.go' x . | xargs rg y": true,
		"for f in $(rg -l x); do grep -rn y $f; done": true, "rg -l x | grep -v z | xargs -r grep -rn y": true,
		"rg -l x | xargs grep -rn y":                             false, // of all, where it is given no name
		"rg -l --hidden x | xargs rg y":                          false,
		"rg -uu --files | xargs rg y":                            false,
		"grep -rL --include='*.go' x . | xargs -r grep -rn y":    false, // busybox names directories
		"grep -rl -L --include='*.go' x . | xargs -r grep -rn y": false,
		"grep -rl x . | xargs rg y":                              false,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		asked := facts.Messy || len(facts.Items[len(facts.Items)-1].Caveats) > 0
		assert.Equal(t, safe, !asked, "%s: %v", line, facts.Items[len(facts.Items)-1].Caveats)
	}
	for _, dir := range []string{"<stdin>", "file"} {
		require.NoError(t, os.Mkdir(p.project+"/"+dir, 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+dir+"/.env", nil, 0o600))
		facts := p.facts("Bash", map[string]any{"command": "rg -l x | grep -v z | xargs -r grep -rn y"})
		assert.True(t, facts.Items[len(facts.Items)-1].Caveats.Has("reaches_secret"), dir)
		require.NoError(t, os.RemoveAll(p.project+"/"+dir))
	}
	require.NoError(t, os.Symlink("/etc", p.project+"/src/link"))
	facts := p.facts("Bash", map[string]any{"command": "rg -l x | xargs rg y"})
	assert.True(t, facts.Items[len(facts.Items)-1].Caveats.Has("reaches_outside"))
}

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
