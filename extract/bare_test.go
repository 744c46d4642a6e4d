package extract_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// S3: what grep prints of an expression without a dash is no option, nor is what is cut out of it.
func TestLinesWithoutDashes(t *testing.T) {
	p := newPlace(t)
	p.files(t, "log", "-f.env")
	clear := func(line string) bool {
		caveats := p.lastOf(line)
		return !slices.ContainsFunc(caveats, func(caveat string) bool { return caveat != "output_word" })
	}
	for _, grep := range []string{
		`-oE 'id=[a-z0-9]+' log | cut -d= -f2`, `-o 'v[0-9]*' log`, `-oiE '^create (table|view) [a-z_]+' < log | awk '{print $3}'`, `-m1 -oE '"/[a-z/]+"' log | tr -d '"'`,
		`-ohE '[A-F0-9]{7,40}' log | sort -u | head -3`, `-oF 'a b' log`, `-oE '\bT[A-Za-z]+\b' log | sed -n 2p`,
	} {
		assert.Truef(t, clear(`x=$(grep `+grep+`); grep -n "$x" README.md`), "%q", grep)
		assert.Falsef(t, clear(`x=$(grep `+grep+`); grep -n $x README.md`), "%q cut", grep)
	}
	for _, grep := range []string{
		`-oE '[-a-z]+' log`, `-oE '.+' log`, `-oE '[^x]+' log`, `-oE '[+-9]+' log`, `-oE '[[:punct:]]+' log`, `-oE 'a|-f.env' log`, `-E '[a-z]+' log`,
		`-roE '[a-z]+' src`, `-oE '[a-z]+' src/*`, `-oE '[a-z]+' log log`, `-oE '[a-z]+' ./-f.env`, `-oE -A1 '[a-z]+' log`, `-oE -e x -e -f.env log`, `-oP '\x2df' log`,
		`-oE '[a-z]+' log | sed 's/a/-f/'`, `-oE '[a-z]+' log | tr a -`, `-oE '[a-z]+' log | awk '{print "-f" $1}'`, `-oE '[a-z]+' log | cut -f1 log`, `-oE '[a-z]+' log 2>&1`,
		`-oE '[a-z]+' log || echo -f.env`, `-oE '[a-z]+' log | sort log`, `-o '*-f' log`, `-o 'a\-f' log`, `-oE '{-}' log`, `-oE --color=always a log`,
		`-1 -oE a log`, `-oE -3 a log`, `-oE5 a log`, `-oE -m1 -20 a log`, `-o2m1 a log`,
	} {
		assert.Falsef(t, clear(`x=$(grep `+grep+`); grep -n "$x" README.md`), "%q", grep)
	}
	const read = `x=$(grep -oE '[a-z]+' log); `
	for line, want := range map[string]bool{
		`grep -n "$x(" README.md`: true, `grep -n "${x}.y" README.md`: true, `for y in $x; do grep -n "$y" README.md; done`: true,
		`grep -n "$x-f.env" README.md`: false, `grep -n "$x$y" README.md`: false, `grep -n "-f$x" README.md`: false, `cat "$x"`: false, `x=${x/a/-f}; grep -n "$x" README.md`: false,
	} {
		assert.Equalf(t, want, clear(read+line), "%q", line)
	}
}
