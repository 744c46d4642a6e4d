package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: names that git lists are those of its index, whatever lies beside them;
// how they are handed on says which of them can be told.
func TestNamesOfTrackedFiles(t *testing.T) {
	p := newPlace(t)
	write := func(path string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+path), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+path, []byte("x"), 0o600))
	}
	write("docs/my notes.md")
	write("keys/server.pem")
	write("links/a.go")
	write("links/b.txt")
	write("parts/x links/b.txt") // cut at the blank it names another file
	git := func(args ...string) {
		output, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	git("add", "src", "docs", "keys", "links", "parts")
	require.NoError(t, os.Remove(p.project+"/links/a.go"))
	require.NoError(t, os.Symlink(p.home+"/other/file", p.project+"/links/a.go"))
	for line, want := range map[string]string{
		"git ls-files src | xargs cat":                                  "",
		"git ls-files '*.md' -z | xargs -0 wc -l":                       "",
		"cat $(git ls-files src)":                                       "",
		"git ls-files docs | while read -r f; do cat \"$f\"; done":      "",
		"git grep -l x -- src | xargs cat":                              "",
		"git ls-files docs | xargs cat":                                 "",
		"git ls-files docs | while read -r f; do cat $f; done":          "",
		"git ls-files parts | xargs cat":                                "reaches_unknown",
		"git ls-files parts | while read -r f; do cat $f; done":         "reaches_unknown",
		"git ls-files parts | while read -r f; do cat \"$f\"; done":     "",
		"find parts -type f | xargs cat":                                "reaches_unknown",
		"find parts -type f -print0 | xargs -0 cat":                     "",
		"find 'parts/x links' -type f | xargs cat":                      "reaches_unknown",
		"find 'parts/x /etc/passwd' | xargs cat":                        "reaches_unknown",
		"grep -rl x 'x /etc' | xargs cat":                               "reaches_unknown",
		"for f in $(find 'x /etc' -type f); do cat $f; done":            "reaches_unknown",
		"ls parts/*/* | xargs cat":                                      "reaches_unknown",
		"ls parts/*/* | while read -r f; do cat \"$f\"; done":           "",
		"ls src/*.go | while read -r f; do wc -l \"$f\"; done":          "",
		"ls * | xargs cat":                                              "reaches_outside",
		"printf '%s\\n' keys/* | xargs cat":                             "reaches_secret",
		"git ls-files keys | xargs cat":                                 "reaches_secret",
		"cd src && git ls-files :/keys | xargs cat":                     "reaches_secret",
		"git ls-files -o | xargs cat":                                   "reaches_secret",
		"git ls-files links | xargs cat":                                "reaches_outside",
		"find docs -name '*.md' | xargs cat":                            "",
		"find docs -name 'a*.md' | xargs cat":                           "",
		"find docs -name '*.md' -exec cat {} +":                         "",
		"find docs -type f -print0 | xargs -0 cat":                      "",
		"find docs -name '*.md' | xargs -I{} cat {}":                    "",
		"find docs -name '*.md' | while read -r f; do cat $f; done":     "",
		"find docs -name '*.md' | while read -r f; do cat \"$f\"; done": "",
		"find keys -exec ls -l {} +":                                    "",
		"find keys -exec cat {} +":                                      "reaches_secret",
		"fd -e md . docs -x cat":                                        "",
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		got := ""
		for _, item := range facts.Items {
			for _, caveat := range []string{"reaches_unknown", "reaches_secret", "reaches_outside"} {
				if item.Caveats.Has(caveat) {
					got = caveat
				}
			}
		}
		assert.Equalf(t, want, got, "%q", line)
	}
}

// V5, S3: of an index nothing is named but files, so that the directory which begins with a
// dash is met in their names alone: "file -f/etc/x" prints the lines of /etc/x.
func TestTrackedDirectoriesThatAreOptions(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/-f/etc", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/-f/etc/x", []byte("x"), 0o600))
	git := func(args ...string) {
		args = append([]string{"-C", p.project, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)
		output, err := exec.Command("git", args...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	git("add", "src", "./-f")
	git("commit", "-qm", "x")
	for line, want := range map[string]bool{
		"git ls-files | xargs file": true, "git ls-files -z | xargs -0 file": true, "git ls-files | while read -r f; do file \"$f\"; done": true,
		"for f in $(git ls-files); do file \"$f\"; done": true, "git grep -l x | xargs file": true, "git ls-tree -r --name-only HEAD | xargs file": true,
		"git ls-files src | xargs file": false, "cd src && git ls-files | xargs file": false,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.Equal(t, want, someItemHas(facts.Items, "reaches_unknown"), line)
	}
}

// V5, S3: a name that begins with a dash is an option to what it is handed to,
// whether or not the operand in its place is a path.
func TestNamesThatAreOptions(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/odd", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/odd/--python=x", []byte("x"), 0o600))
	output, err := exec.Command("git", "-C", p.project, "init", "-q").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	output, err = exec.Command("git", "-C", p.project, "add", "odd", "src").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for line, want := range map[string]bool{
		"cd odd && ls | xargs pip show":               true,
		"cd odd && rpm -q $(ls)":                      true,
		"cd odd && git ls-files | xargs npm ls":       true,
		"ls odd | xargs systemctl is-active":          true,
		"git ls-files src | xargs rpm -q":             false,
		"cd odd && git ls-files | xargs -n1 basename": false,
		"cd odd && ls | xargs echo":                   false,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		assert.Equal(t, want, someItemHas(facts.Items, "reaches_unknown"), line)
	}
}
