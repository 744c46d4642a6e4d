package extract_test

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: one match of a pattern, as a loop over directories hands it to cd, leads to any of the
// directories that match on the disk, and to nothing else.
func TestCdToAMatch(t *testing.T) {
	lines := []string{
		`for d in a/*; do (cd "$d" && ls); done`, `for d in a/*/; do (cd $d && head -1 go.mod); done`, `for d in a/*; do cd "$d"; ls; cd ../..; done; ls`,
		`for d in a/*; do echo "$d: $(cd "$d" && grep -m1 module go.mod)"; done`, `for d in a/*; do (cd "$d" && echo "== $d"); done`, `f() { cd "$1" && ls; }; for d in a/*; do (f "$d"); done`,
		`for d in b/*/; do cd "$d"; ls ..; cd ../..; done`, `for d in b/*; do (cd "$d" && ls ..); done`,
	}
	never := []string{
		`for d in a/*; do (cd "$d" && cat ../../../other/file); done`, `for d in a/*; do (cd "$d" && cd ../../.. && ls); done`, `for d in a/*; do (cd "$d" && cat "$d"); done`,
		`for d in b/*; do cd "$d"; ls; cd ../..; done; ls`, `for d in b/*; do cd "$d"; ls ../..; done`, `for d in none/*; do (cd "$d" && ls); done`,
		`for d in *; do (cd "$d" && ls); done`, `for d in */; do (cd "$d" && ls); done`, `for d in a/.*; do (cd "$d" && ls); done`, `for d in a/*/..; do (cd "$d" && ls); done`,
		`for d in a/*; do (cd -P "$d" && ls); done`, `for d in a/*; do (cd "$d/.." && ls); done`, `CDPATH=/; for d in a/*; do (cd "$d" && ls); done`, `IFS=m; for d in a/*; do (cd $d && ls); done`,
		`touch a/z; for d in a/*; do (cd "$d" && ls); done`, `for d in many/*; do (cd "$d" && ls); done`, `for d in a/*; do (cd "$d" && [[ "$d" -eq 1 ]]); done`, `for d in a/*; do (cd "$d" && sed "$d" go.mod); done`,
	}
	p := newPlace(t)
	p.files(t, "a/m/go.mod", "a/n/go.mod", "b/m/x", "b/file", "other/x")
	for i := range 17 {
		p.files(t, "many/"+strconv.Itoa(i)+"/x")
	}
	for _, dir := range []string{"a", "a/m", "a/n", "b", "b/m"} {
		require.NoError(t, os.Chmod(p.project+"/"+dir, 0o755))
	}
	holds := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		bad := facts.Messy && !slices.Equal(facts.Doubts, []string{"control_flow"})
		for _, item := range facts.Items {
			for _, caveat := range item.Caveats {
				bad = bad || !slices.Contains([]string{"output_word", "shallow"}, caveat)
			}
			bad = bad || item.Touches.Has("list.outside") || item.Touches.Has("read.outside") || item.Touches.Has("list.unknown") || item.Touches.Has("write.project")
		}
		return !bad
	}
	for _, line := range lines {
		assert.Truef(t, holds(line), "%q", line)
	}
	for _, line := range never {
		assert.Falsef(t, holds(line), "%q", line)
	}
	for _, name := range []string{"c/a b/x", "c/a\n../x", "c/a*/x", "c/$x/x"} {
		p.files(t, name)
		assert.Falsef(t, holds(`for d in c/*; do (cd "$d" && ls); done`), "%q", name)
		require.NoError(t, os.RemoveAll(p.project+"/c"))
	}
	require.NoError(t, os.Symlink("../../other", p.project+"/a/l"))
	assert.False(t, holds(lines[0]), "a link among the directories")
}
