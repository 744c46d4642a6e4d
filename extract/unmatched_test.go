package extract_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S3: a pattern that matches nothing is handed on as it stands, and brackets don't match
// their own text.
func TestFilesCalledLikeAPattern(t *testing.T) {
	lines := []string{
		`cat d/[z]`, `sort d/[z]`, `cat < d/[z]`, `cat [q]/*`, `grep -r x d/[y]`, `cat d/[y]/file`, `for f in d/[z]; do cat "$f"; done`,
		`for f in d/[z]; do cat "d/${f##*/}"; done`, `a=(d/[z]); cat "${a[0]}"`,
	}
	for _, planted := range []bool{false, true} {
		p := newPlace(t)
		p.files(t, "d/Z", "src/a")
		if planted {
			for name, target := range map[string]string{"d/[z]": "other/file", "[q]/*": "other/file", "d/[y]": "other"} {
				p.plant(t, name, "", p.home+"/"+target)
			}
		}
		for _, line := range lines {
			if planted {
				assert.Containsf(t, p.lastOf(line), "reaches_outside", "%q", line)
			} else {
				assert.Emptyf(t, p.lastOf(line), "%q", line)
			}
		}
	}
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/.env", []byte("x"), 0o600))
	p.plant(t, "d/[z]", "", p.project+"/.env")
	assert.Contains(t, p.lastOf(`cat d/[z]`), "reaches_secret")
}

// S2: what is made is then called like the pattern.
func TestFilesMadeOfAPattern(t *testing.T) {
	p := newPlace(t)
	p.plant(t, "src/X.none", "", "/dev/null") // a match only where case doesn't count
	for line, want := range map[string]string{
		`tee src/x*.none`: v1.SpaceProject,
		`tee docs/*.none`: v1.SpaceProject, `for f in nodir/*; do tee "$f"; done`: v1.SpaceProject, `a=(src/[x]); tee "${a[0]}"`: v1.SpaceProject,
		`tee ../other/*.none`: v1.SpaceOutside, `touch docs/*.none`: v1.SpaceProject,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		touches := facts.Items[slices.IndexFunc(facts.Items, func(item v1.Item) bool { return item.Verb == "tee" || item.Verb == "touch" })].Touches
		assert.Truef(t, touches.Has(v1.OpWrite+"."+want), "%q touches %v", line, touches)
	}
}

// S3: a link may be made to what isn't there.
func TestLinksNamedByAPattern(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a")
	facts := p.facts("Bash", map[string]any{"command": "ln -s x/*.none src"})
	var names []string
	for i := range facts.Paths {
		names = append(names, facts.Paths[i].Real)
	}
	assert.Contains(t, names, p.project+"/src/*.none")
}
