package extract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S3: a name with another ending lies in the directory of the name.
func TestNamesBesideThoseThatWereFound(t *testing.T) {
	lines := []string{
		`find a -name '*.go' | while read -r f; do [ -f "${f%.go}_test.go" ] || echo "$f"; done`, `find a -type f | while read f; do t="${f%.go}_test.go"; [ -f "$t" ] && wc -l "$t"; done`,
		`for f in $(git ls-files '*.go'); do [ -f "${f%.go}_test.go" ] || echo "$f"; done`, `git ls-files '*.go' ':!vendor' | while read -r f; do n=${f%.go}; test -e "${n}_test.go" || echo "$f"; done`,
		`grep -rl x a | while read -r f; do head -1 "${f%.go}.md"; done`, `find a -exec sh -c 'cat "${1%.go}.md"' _ {} \;`,
	}
	never := []string{
		`find a | while read -r f; do cat ${f%.go}.md; done`, `find a | while read -r f; do t="${f%.go}.md"; cat $t; done`, `find a | while read -r f; do t="${f%.go}.md"; for x in $t; do cat "$x"; done; done`,
		`find a | while read -r f; do cat "${f%.go}/../../x"; done`, `find a | while read -r f; do cat "${f%.go}."; done`, `find a | while read -r f; do cat "${f%%.go*}.md"; done`,
		`find a | while read -r f; do cat "${f%/*}.md"; done`, `find a | while read -r f; do cat "${f#a}.md"; done`, `find a | while read -r f; do ls "${f%.go}-x" -- "${f%.go}"; done`,
		`find a | while read -r f; do rm "${f%.go}.md"; done`, `find a | while read -r f; do cp a/x.go "${f%.go}.md"; done`, `find a | while read -r f; do echo x > "${f%.go}.md"; done`,
		`find a | while read -r f; do git show "${f%.go}:x"; done`, `find a | while read -r f; do sh "${f%.go}.sh"; done`, `find a | while read -r f; do "./${f%.go}.sh"; done`, `find a | while read -r f; do . "${f%.go}.sh"; done`,
		`find a | while read -r f; do cd b; cat "${f%.go}.md"; done`, `find .. -name x | while read -r f; do cat "${f%.go}.md"; done`, `find a | while read -r f; do n=${f%.go}; n=${n%x}; cat "$n.md"; done`,
		`cd a && git ls-files ../b | while read -r f; do cat "${f%x}.md"; done`, `cd a && git ls-files ../b | while read -r f; do ls "$(dirname "$f")"; done`, `cd a && git ls-files :/b | while read -r f; do ls "$(dirname "$f")"; done`,
		`cd a && git grep -l x -- :/ | while read -r f; do grep -r x "$(dirname "$f")"; done`,
	}
	fresh := func() place {
		p := newPlace(t)
		require.NoError(t, os.Remove(p.project+"/out"))
		p.files(t, "a/x.go", "a/y/z.go", "b/x")
		p.git(t, "init", "-q", "-b", "main")
		p.git(t, "add", "-A", "-f")
		p.git(t, "commit", "-q", "-m", "one")
		return p
	}
	settled := func(p place, line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		loose := func(caveat string) bool { return caveat != "output_word" }
		bad := slices.ContainsFunc(facts.Paths, func(path v1.Path) bool { return len(path.Class) > 0 })
		for _, item := range facts.Items {
			bad = bad || slices.ContainsFunc(item.Caveats, loose) || slices.ContainsFunc(item.Touches, func(touch string) bool {
				return strings.HasSuffix(touch, ".unknown") || strings.HasSuffix(touch, ".outside") || strings.HasPrefix(touch, "execute.")
			})
		}
		return !bad
	}
	p := fresh()
	for _, line := range lines {
		assert.Truef(t, settled(p, line), "%q", line)
	}
	for _, line := range never {
		assert.Falsef(t, settled(p, line), "%q", line)
	}
	// What the names could be with that ending, a name that is nothing else, and a root that is one count.
	for file, line := range map[string]string{
		"a/.env":      `find a -name '*.x' | while read -r f; do cat "${f%.x}env"; done`,
		"a/y/.env":    `find a -name '*.go' | while read -r f; do cat "${f%z.go}.env"; done`,
		"a/-x/y.go":   `find a -name '*.q' -printf '%f\n' | while read -r f; do ls "${f%.q}.go"; done`,
		"a/ x.go":     `find a -name '*.go' | while read -r f; do cat "${f%.go}.md"; done`,
		"a/x\ny.go":   `find a -name '*.go' | while read -r f; do cat "${f%.go}.md"; done`,
		".env":        `find ./a -name '*.go' | while read -r f; do cat "${f%/a}/.env"; done`,
		".env.x":      `find c.go | while read -r f; do cat "${f%c.go}.env.x"; done`,
		"b/x.go/.env": `find b -name '*.go' | while read -r f; do grep -r x "${f%.go}.go"; done`,
	} {
		p := fresh()
		p.files(t, file)
		assert.Falsef(t, settled(p, line), "%q: %q", file, line)
	}
	for _, link := range []string{"a/l_test.go", "a/y/z.md"} {
		p := fresh()
		require.NoError(t, os.Symlink(p.home+"/other/file", p.project+"/"+link))
		assert.Falsef(t, settled(p, `find a -name '*.go' | while read -r f; do cat "${f%.go}.md"; done`), link)
	}
}
