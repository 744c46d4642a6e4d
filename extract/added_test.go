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
