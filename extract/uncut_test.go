package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: where a shell cuts a name at its blanks, what is made of each piece lies anywhere, be there
// no file that is called like the piece.
func TestPiecesOfNamesThatOthersAreMadeOf(t *testing.T) {
	p := newPlace(t)
	for _, dir := range []string{"a/b", "plain"} {
		require.NoError(t, os.MkdirAll(p.project+"/"+dir, 0o700))
	}
	for _, name := range []string{"a/b/q conf.go", "plain/x.go"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x"), 0o600))
	}
	require.NoError(t, os.Symlink("/etc/passwd", p.project+"/conf_test.go"))
	for line, want := range map[string]bool{
		`for f in $(find a/b -name '*.go'); do cat "${f%.go}_test.go"; done`:                   true,
		`for f in $(grep -rl x a/b); do cat "${f%.go}_test.go"; done`:                          true,
		`find a/b -name '*.go' | xargs sh -c 'for f; do cat "${f%.go}_test.go"; done' _`:       true,
		`for f in $(find a/b -name '*.go'); do cat "$(dirname "$f")/conf_test.go"; done`:       true,
		`for f in $(find a/b -name '*.go'); do d=$(dirname "$f"); cat "$d/conf_test.go"; done`: true,
		`find a/b -name '*.go' | while read -r f; do cat "${f%.go}_test.go"; done`:             false,
		`find a/b -name '*.go' -exec sh -c 'for f; do cat "${f%.go}_test.go"; done' _ {} +`:    false,
		`find a/b -name '*.go' | while read -r f; do cat "$(dirname "$f")/conf_test.go"; done`: false,
		`for f in $(find plain -name '*.go'); do cat "${f%.go}_test.go"; done`:                 false,
		`for f in $(find plain -name '*.go'); do cat "$(dirname "$f")/conf_test.go"; done`:     false,
		`for f in $(find a/b -name '*.go'); do cat "$f"; done`:                                 false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		assert.Equal(t, want, someItemHas(items, "reaches_unknown", "reaches_outside", "dynamic_word"), line)
	}
}
