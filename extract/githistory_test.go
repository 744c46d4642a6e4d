package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: what git prints of commits is asked about by what these hold, as the line names them: a
// secret that the index names no more is still in the history.
func TestSecretsInCommits(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	git("add", "README.md", "src")
	commit()
	git("add", "-f", ".env")
	commit()
	leak := git("rev-parse", "--short", "HEAD")
	git("rm", "-q", "--cached", ".env")
	assertReaches(t, p, map[string]bool{"git diff --cached": true, "git diff --staged -- src": false, "git diff": false, "git diff HEAD": true})
	commit()
	require.NoError(t, os.WriteFile(filepath.Join(p.project, ".gitignore"), []byte(".env\n"), 0o600))
	git("add", ".gitignore")
	commit()
	commit()
	assertReaches(t, p, map[string]bool{
		"git diff --cached": false, "git diff HEAD": false, "git diff HEAD~1 HEAD": false, "git diff HEAD~2": false, "git diff HEAD~3": true,
		"git diff HEAD~4..": false, "git diff main...HEAD": false, "git diff HEAD~3 -- src": false, "git diff HEAD~2^!": true, "git diff HEAD~1^!": true, "git diff --merge-base HEAD~3": true,
		"git show": false, "git show HEAD~1": false, "git show HEAD~2": true, "git show " + leak: true, "git show --stat " + leak: false,
		"git show HEAD~2 -- src": false, "git show -2": false, "git show -n 3": true, "git show HEAD --do-walk": true, "git show HEAD --not HEAD~3": true, "git show main~1 --oneline": false, "git show nowhere": true,
		"git cat-file -p HEAD~2": false, "git cat-file -p HEAD:README.md": false,
		"git log -p": true, "git log -p -2": false, "git log -2 -p --stat": false, "git log -p -3": true, "git log -p -n 2": false,
		"git log -p --max-count=2 --author=a": true, "git log -p -2 --reverse --text -M": false, "git log -p -2 --diff-filter=M": true, "git whatchanged -p -2": true, "git log": false, "git log --stat": false,
		"git log -p -- src/main.go": false, "git log -p src": false, "git log -p --ignore-missing src": true, "git log -p --ignore-missing -- src": false, "git log -p -2 .env.example": true, "git log -p HEAD~2..": false,
		"git log -p HEAD~3..": true, "git log -p HEAD ^HEAD~2": false, "git log -p --all": true, "git log -p -- ':!.env'": false,
		"git log -p --boundary HEAD~1..": true, "git log --oneline -S A=b": false, "git log -S A=b -p": true,
		"git grep A= HEAD": false, "git grep A= HEAD~3": true, "git grep A= HEAD~3 -- src": false, "git grep -l A= HEAD~3": false,
		"git diff HEAD~3: HEAD:": true, "git diff HEAD~3:src HEAD:src": false, "git diff HEAD~3:README.md HEAD:README.md": false,
		"git grep A= HEAD~3:": true, "git grep A= HEAD~3:src": false, "git grep A= HEAD:": false, "git show HEAD~3:": false,
		"git show HEAD~3:README.md..HEAD~1": true, "git diff HEAD~3:./": true,
		"git diff-tree -p HEAD": false, "git diff-tree -p HEAD~2": true, "git reflog": false, "git reflog -p": true,
		"git show $(git rev-parse HEAD)": true, "git rev-list --all | xargs git grep A=": true,
		"for c in $(git log --format=%h -2); do git show $c; done":              true,
		"for c in $(git log --format=%h -2); do git show --stat $c; done":       false,
		"for c in $(git log --format=%h -2); do git show $c -- README.md; done": false,
	})
}

// S3: of contents that a line names by their hash and the index doesn't hold it is not known whose they
// are: a file that was added and never committed lies in no tree.
func TestContentsThatNoFileHas(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	git("add", "README.md", "src")
	git("commit", "-q", "-m", "first")
	git("add", "-f", ".env")
	git("reset", "-q")
	secret, text := git("hash-object", ".env"), git("rev-parse", "HEAD:README.md")
	for line, want := range map[string]bool{
		"git cat-file -p " + secret: true, "git show " + secret[:8]: true, "git show -s " + secret: true, "git show --stat " + secret: true,
		"git diff " + secret + " HEAD:README.md": true, "git diff " + text + " " + secret: true, "git show HEAD " + secret: true,
		"git cat-file -p " + text: false, "git show " + text[:8]: false, "git show -s " + text: false, "git show HEAD " + text: false,
		"git diff " + text + " HEAD:README.md": false,
	} {
		assert.Equalf(t, want, slices.Contains(p.caveatsOf(t, line), "reaches_unknown"), "%q", line)
	}
	git("tag", "secret", secret)
	assert.Contains(t, p.caveatsOf(t, "git show --stat secret"), "reaches_unknown")
}

// repository makes the project a repository, and returns what runs git there.
func (p place) repository(t *testing.T) func(args ...string) string {
	t.Helper()
	git := func(args ...string) string {
		t.Helper()
		return p.git(t, args...)
	}
	git("init", "-q", "-b", "main")
	return git
}

// assertReaches wants a line to reach a secret in commits, and nothing but that, or nothing at all.
func assertReaches(t *testing.T, p place, lines map[string]bool) {
	t.Helper()
	for line, want := range lines {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.Equalf(t, want, someItemHas(facts.Items, "secret_in_commits"), "%q", line)
		assert.Equalf(t, want, someItemHas(facts.Items, "reaches_secret"), "%q", line)
		assert.Falsef(t, someItemHas(facts.Items, "reaches_unknown", "reaches_outside"), "%q", line)
		assert.NotEmptyf(t, facts.Items, "%q", line)
	}
}

// Of words that no ref leads to, what they name counts, and whatever git walks from there.
func TestSecretsInCommitsThatNoRefNames(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	git("add", "README.md", "src")
	commit()
	git("checkout", "-q", "--detach")
	git("add", "-f", ".env")
	commit()
	leak := git("rev-parse", "--short=8", "HEAD")
	git("rm", "-q", "--cached", ".env")
	commit()
	commit()
	commit()
	far := git("rev-parse", "--short=8", "HEAD")
	git("checkout", "-q", "main")
	require.NoError(t, os.RemoveAll(filepath.Join(p.project, ".git", "logs")))
	assertReaches(t, p, map[string]bool{
		"git show " + far: false, "git show " + far + "^{commit}~3": true, "git show " + far + "~2^@": true, "git show " + leak + "^-": true,
		"git show x-g" + leak: true, "git show v1-3-g" + leak: true, "git show " + leak + "^{/m}": true, "git show HEAD^{/m}": false,
		"git log -p HEAD..x-g" + far: true, "git show --do-walk " + far: true, "git show -9 " + far: true, "git diff x-g" + leak: true,
		"git grep A= " + leak + "^{tree}": true, "git diff-tree -p x-g" + leak: true, "git show ':/deadbeef'": false, "git show HEAD@{0}": false,
	})
}

// Options and words that leave commits out make git show walk, and turn what others name.
func TestSecretsThatShowWalksTo(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	git("add", "README.md", "src")
	commit()
	git("add", "-f", ".env")
	commit()
	text := git("rev-parse", "HEAD:README.md")
	git("rm", "-q", "--cached", ".env")
	commit()
	for range 4 {
		commit()
	}
	git("add", "-f", ".env")
	git("stash", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "README.md"), []byte("other\n"), 0o600))
	git("stash", "-q")
	git("tag", "1")
	assertReaches(t, p, map[string]bool{
		"git show HEAD": false, "git show HEAD ^HEAD~6": true, "git show HEAD ^HEAD~2": false, "git show HEAD --not HEAD~6": true,
		"git show HEAD HEAD~2..HEAD~1": false, "git show -1": false, "git show -2 HEAD": false, "git show -9": true, "git show -n 9": true,
		"git show --max-count=9 HEAD": true, "git log -p --not ^HEAD HEAD~6": true, "git log -p --not HEAD..HEAD~6": true,
		"git show -s " + text: false, "git show " + text: false, "git show -s HEAD~5": false, "git show -s HEAD@{1}": false,
		"git diff " + text + " HEAD~5": true,
		"git stash show -p":            false, "git stash show -p 1": true, "git stash show 1 -p": true, "git show 1": false,
	})
}

// S3: git log --follow goes on with what a file began as a copy of, and shows that whole.
func TestFollowingAFileShowsWhatItWasCopiedFrom(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	p.git(t, "init", "-q", p.project)
	p.files(t, "src/.env", "a.txt")
	p.git(t, "-C", p.project, "add", "-f", "src/.env", "a.txt")
	for _, on := range []bool{false, true} {
		if on {
			p.git(t, "-C", p.project, "config", "log.follow", "true")
		}
		for line, want := range map[string]bool{
			"git log -p -- a.txt": on, "git log -p a.txt": on, "git log --follow a.txt": false, "git log --follow --stat -- a.txt": false,
			"git log -p --follow -- a.txt": true, "git log -p --follow -M1% a.txt": true, "git show --follow HEAD -- a.txt": true,
		} {
			assert.Equalf(t, want, len(p.lastOf(line)) > 0, "%q, log.follow %v", line, on)
		}
	}
}

// S3: a tag may name the contents of a file; formats of refs print them, and git grep searches
// them whatever paths it is limited to.
func TestFormatsAndSearchesPrintWhatATagNames(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	p.git(t, "init", "-q", p.project)
	p.files(t, "src/.env", "a.txt")
	lines := map[string]bool{
		"git for-each-ref --format='%(raw)'": true, "git tag -l --format='%(*raw)'": true, "git branch --format='%(raw)'": true,
		"git for-each-ref --format='%(refname)'": false, "git tag -l": false,
		"git grep x v1 -- a.txt": true, "git grep x HEAD -- a.txt": false, "git grep -l x v1 -- a.txt": false, "git grep x -- a.txt": false,
	}
	p.git(t, "-C", p.project, "add", "a.txt")
	p.git(t, "-C", p.project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
	p.git(t, "-C", p.project, "tag", "v1")
	for line := range lines {
		assert.Emptyf(t, p.lastOf(line), "%q where no secret is tracked", line)
	}
	p.git(t, "-C", p.project, "add", "-f", "src/.env")
	for line, want := range lines {
		assert.Equalf(t, want, len(p.lastOf(line)) > 0, "%q", line)
	}
}

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

// keptHistory is a project whose history holds a secret in conf, which nothing but commits
// has any more. The last commit but one is the one that took it away.
func keptHistory(t *testing.T) (p place, git func(args ...string) string) {
	t.Helper()
	p = newPlace(t)
	git = p.repository(t)
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "m") }
	write := func(name string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.project, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(p.project, name), []byte("A=b "+name+"\n"), 0o600))
		git("add", "-f", name)
	}
	git("add", "README.md", "src")
	write("conf/x.txt")
	commit()
	write("conf/.env")
	commit()
	git("tag", "content", "HEAD:conf/.env")
	git("rm", "-q", "-f", "conf/.env")
	commit()
	commit()
	return p, git
}

// S3: what the shell makes of a pattern may be the name of a directory, of which git takes all
// that is below.
func TestDirectoriesThatPatternsStandFor(t *testing.T) {
	p, _ := keptHistory(t)
	assertReaches(t, p, map[string]bool{
		"git log -p -- con?": true, "git log -p -- ./c*f": true, "git log -p -- co[n]f src": true,
		"git log -p src con?": true, "git diff HEAD~3 HEAD~2 -- con?": true, "git grep A= HEAD~2 -- con?": true,
		"for d in con?; do git log -p -- $d; done": true, "cd src && git log -p -- ../con?": true,
		"git log -p -- sr?": false, "git log -p -- src/*.go": false, "git log -p -- *.md": false, "git log -p -- conf/*.txt": false,
		"git show HEAD -- con?": false, "git log --stat -- con?": false, "git log -p -- 'src/*'": false,
	})
}

// S3: contents that a tag names are printed with the tags, be they no file's any more.
func TestContentsThatTagsStillName(t *testing.T) {
	p, git := keptHistory(t)
	lines := []string{
		"git for-each-ref --format='%(raw)'", "git tag -l --format='%(*raw)'", "for t in $(git tag); do git show --stat $t; done",
		"git tag | xargs -n1 git show -s",
	}
	unknown := func(line string) bool {
		return someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "reaches_unknown")
	}
	for _, line := range lines {
		assert.True(t, unknown(line), line)
	}
	assert.False(t, unknown("git for-each-ref --format='%(refname)'"))
	git("tag", "-f", "content", "HEAD:conf/x.txt")
	git("tag", "-a", "-m", "m", "said", "HEAD")
	for _, line := range lines {
		assert.False(t, unknown(line), line)
	}
}

// S3: a file that is called like a revision doesn't make git take the word for a path: git log takes
// a range all the same, and others look for no file.
func TestFilesCalledLikeRevisions(t *testing.T) {
	p, git := keptHistory(t)
	git("branch", "old", "HEAD~3")
	git("branch", "removed", "HEAD~1")
	git("tag", "quiet", "HEAD")
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "conf/.env"), []byte("A=b\n"), 0o600))
	git("add", "-f", "conf/.env")
	git("stash", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "conf/x.txt"), []byte("y\n"), 0o600))
	git("stash", "-q")
	lines := map[string]bool{
		"git log -p old..removed": true, "git log -p old...removed": true, "git whatchanged -p main old..removed": true,
		"git range-diff old removed main": true, "git stash show -p 1": true,
		"git log -p feed": true, "git log -p config": false, "git log -p src": false, "git diff README.md": false,
	}
	for line := range lines {
		for _, word := range strings.Fields(line)[2:] {
			if _, err := os.Lstat(filepath.Join(p.project, word)); err != nil {
				require.NoError(t, os.WriteFile(filepath.Join(p.project, word), nil, 0o600))
			}
		}
	}
	assertReaches(t, p, lines)
	assertReaches(t, p, map[string]bool{"cd src && git log -p ../README.md": false, "cd src && git log -p ..": true})
}

// S3: git ls-files names all that is below a directory which a pattern stands for.
func TestTrackedBelowPatterns(t *testing.T) {
	p, git := keptHistory(t)
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "conf/.env"), []byte("A=b\n"), 0o600))
	git("add", "-f", "conf/.env")
	reaches := func(line string) bool {
		return someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "reaches_secret")
	}
	for _, line := range []string{"git ls-files con? | xargs cat", "git ls-files -- con? | xargs cat", "git grep --cached A= -- con?"} {
		assert.True(t, reaches(line), line)
	}
	for _, line := range []string{"git ls-files sr? | xargs cat", "git ls-files src/*.go | xargs cat"} {
		assert.False(t, reaches(line), line)
	}
}
