package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: words that name objects by their paths say all that git prints only where nothing else in
// the line names commits, and where no single tree is compared with all that is tracked.
func TestMoreThanObjectsIsPrinted(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	require.NoError(t, os.MkdirAll(p.project+"/src", 0o700))
	for _, name := range []string{".env", "src/a.go", "README.md"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("KEY=1\n"), 0o600))
	}
	output, err := exec.Command("git", "-C", p.project, "add", "-f", ".").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for line, want := range map[string]bool{
		"git diff HEAD:src":                      true,
		"git diff --cached HEAD:src":             true,
		"git diff-index -p HEAD:src":             true,
		"git diff HEAD:src -- '*env'":            true,
		"git diff HEAD:src -- src":               false,
		"git diff HEAD:src src":                  false,
		"git diff HEAD~1:src HEAD:src":           false,
		"git diff HEAD~1:src..HEAD:src":          false,
		"git diff HEAD:README.md README.md":      false,
		"git show HEAD:README.md":                false,
		"git show --all HEAD:README.md":          true,
		"git show HEAD:README.md --branches":     true,
		"git show --glob='*' HEAD:README.md":     true,
		"git show --reflog HEAD:README.md":       true,
		"git show HEAD:README.md..HEAD":          true,
		"git show :0:README.md..HEAD":            true,
		"git show HEAD:src...main":               true,
		"git show --all HEAD:README.md -- src":   false,
		"git log -p HEAD:README.md --all":        true,
		"git log --oneline --all HEAD:README.md": false,
		"git show HEAD:README.md HEAD:src/a.go":  false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		assert.Equal(t, want, someItemHas(items, reachesSecret, "reaches_unknown"), line)
	}
}

// S2: a tree that a tag or a hash names has paths of its own, of which nothing tells the directory.
func TestPathsInTreesThatNoCommitLeadsTo(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	for name, content := range map[string]string{".kube/config": "token: SECRET\n", "src/a.go": "package a\n", "README.md": "hello\n"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte(content), 0o600))
	}
	git := func(arguments ...string) string {
		t.Helper()
		arguments = append([]string{"-C", p.project, "-c", "user.name=a", "-c", "user.email=a@example.com"}, arguments...)
		output, err := exec.Command("git", arguments...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
		return strings.TrimSpace(string(output))
	}
	git("add", "-f", "src", "README.md")
	git("commit", "-qm", "harmless")
	git("tag", "v1")
	git("add", "-f", ".kube")
	git("commit", "-qm", "with a secret")
	git("tag", "kt", "HEAD:.kube")
	git("tag", "-a", "-m", "x", "kta", "HEAD:.kube")
	git("tag", "st", "HEAD:src")
	git("reset", "-q", "--hard", "HEAD~1")
	tree, commit, source := git("rev-parse", "kt"), git("rev-parse", "HEAD"), git("rev-parse", "st")
	empty := git("hash-object", "-t", "tree", "-w", "/dev/null")
	for line, want := range map[string]bool{
		"git show " + tree + ":config":                                true,
		"git show " + tree[:7] + ":config":                            true,
		"git show kt:config":                                          true,
		"git show kta:config":                                         true,
		"git show kta^{tree}:config":                                  true,
		"git show kta^{}:config":                                      true,
		"git show refs/tags/kt:config":                                true,
		"git cat-file -p " + tree + ":config":                         true,
		"git cat-file blob kt:config":                                 true,
		"git diff kt:config HEAD:README.md":                           true,
		"git diff HEAD:README.md kt:config":                           true,
		"git diff HEAD:README.md.." + tree + ":config":                true,
		"git grep SECRET " + tree + " -- config":                      true,
		"git grep SECRET kt -- config":                                true,
		"git diff-tree -p " + empty + " kt -- config":                 true,
		"git diff-index -p kt -- config":                              true,
		"git diff " + empty + " kt -- config":                         true,
		"git config --blob kt:config --list":                          true,
		"git show " + commit + ":README.md":                           false,
		"git show " + commit[:7] + ":src/a.go":                        false,
		"git show v1:README.md":                                       false,
		"git show HEAD^{tree}:README.md":                              false,
		"git show v1^{}:README.md":                                    false,
		"git show HEAD~0:README.md":                                   false,
		"git show main:README.md":                                     false,
		"git show nosuch:README.md":                                   false,
		"git show HEAD:src":                                           false,
		"git diff v1:README.md HEAD:README.md":                        false,
		"git diff " + empty + " HEAD -- src":                          false,
		"git show " + source + ":a.go":                                true, // of which directory isn't known
		"git show 0123456789012345678901234567890123456789:README.md": false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		assert.Equal(t, want, someItemHas(items, reachesSecret, "reaches_unknown"), line)
	}
}
