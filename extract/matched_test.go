package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S2, S3: where a variable holds one match of a pattern, cd and git -C lead to each of the
// directories that match.
func TestDirectoriesThatAPatternMatches(t *testing.T) {
	p := newPlace(t)
	p.files(t, "a/m/m.go", "a/n/x", "b/o/.env", "c/x y/z", "d/-P/z", "e/f")
	require.NoError(t, os.Mkdir(p.project+"/l", 0o700))
	require.NoError(t, os.Symlink("../../other", p.project+"/l/k"))
	require.NoError(t, os.Symlink("../../../other/file", p.project+"/a/n/k"))
	for line, known := range map[string]bool{
		`for d in a/*/; do (cd "$d" && ls); done`: true, `for d in a/*; do (cd $d && grep x m.go); done`: true, `for d in a/*; do git -C "$d" log --oneline -- m.go; done`: true,
		`for d in a/*/; do (cd "$d" && echo "$d: $(ls | wc -l)"); done`: true, `for d in a/*; do (cd c && cat "$d"); done`: false, `for d in a/*; do (cd c && echo $d); done`: false,
		`for d in a/*; do (cd c && echo "$d" | xargs cat); done`: false, `for d in a/*; do (cd c && x="$d"; cat "$x"); done`: false, `for d in a/*; do (cd c && "$d"); done`: false,
		`for d in a/*/; do (cd "$d" && cat k); done`: false, `for d in a/*/; do (cd "$d" && cat *); done`: false, `for d in a/*/; do tar -C "$d" -cf - k; done`: false,
		`for d in b/*; do (cd "$d" && cat .env); done`: false, `for d in b/*; do (cd "$d" && cat .e*); done`: false, `for d in b/*; do (cd "$d" && grep -r x .); done`: false,
		`for d in l/*; do (cd "$d" && cat file); done`: false, `for d in c/*; do (cd "$d" && ls); done`: false, `cd d; for d in *; do (cd "$d" && ls); done`: false,
		`for d in e/*; do (cd "$d" && ls); done`: false, `for d in a/*; do cd "$d"; cd ..; cat ../.env; done`: false, `for d in ../*/; do (cd "$d" && ls); done`: false,
		`e=/etc; for d in *; do cd "$d"; cat passwd; done`: false, `CDPATH=/etc; for d in a/*; do (cd "$d" && ls); done`: false, `cd a/*/ && ls`: false,
		`mkdir a/q; for d in a/*; do (cd "$d" && ls); done`: false, `for d in a/*; do (cd -P "$d" && ls); done`: false, `for d in ./**/; do (cd "$d" && ls); done`: false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		asked := someItemHas(items, "cwd_unknown", "dynamic_word", "reaches_outside", "reaches_unknown", reachesSecret, "assigns", "executes", "unknown_program")
		for _, path := range p.facts("Bash", map[string]any{"command": line}).Paths {
			asked = asked || path.Space == "outside" || len(path.Class) > 0
		}
		assert.Equal(t, !known, asked, line)
	}
	// Too many are none.
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17"} {
		require.NoError(t, os.MkdirAll(p.project+"/many/d"+name, 0o700))
	}
	assert.True(t, someItemHas(p.facts("Bash", map[string]any{"command": `for d in many/*; do (cd "$d" && ls); done`}).Items, "cwd_unknown"))
	// What is there now counts, and not what was there when a line was last explained.
	again := `for d in a/*/; do (cd "$d" && ls); done`
	require.NoError(t, os.Symlink("../../other", p.project+"/a/z"))
	found := false
	for _, item := range p.facts("Bash", map[string]any{"command": again}).Items {
		found = found || item.Touches.Has("list.outside")
	}
	assert.True(t, found)
}
