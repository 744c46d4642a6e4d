package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: where only the words are printed that a pattern matches, the directory above may be one.
func TestDotsThatAreOnlyNamed(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/.github", 0o700))
	for line, named := range map[string]bool{
		"ls -d .*/": true, "ls -d .*": true, "ls -d1 .* */": true, "ls -d src/.*": true, "echo .*": true, "echo .*/ src/*": true,
		"ls .*": false, "ls -ld .*": false, "ls -dL .*": false, "ls -dR .*": false, "ls -d .*/*": false, "ls -d .*/..": false, "ls -d .*/./": false, "echo .*/*": false,
		"cat .*": false, "for d in .*/; do ls \"$d\"; done": false, "ls -d .* | xargs ls": false, "for d in $(ls -d .*); do ls \"$d\"; done": false,
		"echo .* | xargs ls": false, "ls -d .*/ | while read -r d; do ls \"$d\"; done": false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		assert.Equal(t, !named, someItemHas(items, "reaches_unknown", "dynamic_word", "executes"), line)
	}
}

// S3: a pattern that matches nothing stays as it is, also outside of quotes, where it is one word.
func TestPatternsThatMatchNothing(t *testing.T) {
	p := newPlace(t)
	p.files(t, "a/m/m.go")
	lines := []string{
		`for d in a/*; do grep x $d/Cargo.toml; done`, `for d in a/*/; do head -3 $d/*.rs; done`, `for f in *.tf; do cat $f; done`,
		`for d in a/* b/*; do wc -l < $d/x; done`,
	}
	for _, line := range lines {
		assert.Emptyf(t, p.lastOf(line), "%q", line)
	}
	for _, line := range []string{
		`for d in 'b c'*; do cat $d/x; done`, `for d in '{b,c}'*; do cat $d/x; done`, `for d in q[x]*; do cat $d/x; done`, `for d in a/*; do cat b/$d/x; done`,
		`for d in '+(b)'*; do cat $d/x; done`, `for d in 'b\'*; do cat $d/x; done`, `zcat q*.gz`, `for f in q*.gz; do zgrep x $f; done`, `for d in q*; do cd a; cat $d; done`,
	} {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
	// A match that is cut is another name, whether there is something below it or not.
	p.files(t, "a/x y/z.go")
	for _, line := range lines[:2] {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
}
