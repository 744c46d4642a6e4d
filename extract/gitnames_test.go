package extract_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S3: names that git prints of HEAD and the work tree are those of the index
// while it holds what HEAD holds; a name that only HEAD has may be cut into others.
func TestNamesOfHead(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/.env"))
	require.NoError(t, os.MkdirAll(p.project+"/x /etc", 0o700))
	git := func(args ...string) { p.git(t, args...) }
	caveats := p.lastCaveats
	git("init", "-q", "-b", "main")
	git("add", "README.md", "src", "docs")
	git("commit", "-q", "-m", "one")
	const line = "git diff --name-only HEAD | xargs grep -n x"
	assert.Empty(t, caveats(line))
	const staged = "git diff --name-only --cached --diff-filter=ACM | xargs -r grep -n x"
	assert.Empty(t, caveats(staged))
	assert.Empty(t, caveats(`for f in $(git diff --name-only HEAD -- src); do wc -l "$f"; done`))
	require.NoError(t, os.WriteFile(p.project+"/x /etc/passwd", nil, 0o600))
	git("add", "x /etc/passwd")
	git("commit", "-q", "-m", "two")
	assert.Contains(t, caveats(line), "reaches_unknown", "cut at its blank it names another file")
	git("rm", "-q", "--cached", "x /etc/passwd")
	require.NoError(t, os.RemoveAll(p.project+"/x "))
	assert.Contains(t, caveats(line), "reaches_unknown", "HEAD still names it")
	assert.Contains(t, caveats(staged), "reaches_unknown", "HEAD still names it")
	git("commit", "-q", "-m", "three")
	assert.Empty(t, caveats(line))
	for _, line := range []string{"git diff --name-only main | xargs cat", "git diff --name-only @ | xargs cat", "git diff --cached --name-only main | xargs cat"} {
		assert.Emptyf(t, caveats(line), "%q names HEAD", line)
	}
	for _, line := range []string{
		"git diff --name-only HEAD~1 | xargs cat", "git diff --name-only HEAD~1 HEAD | xargs cat", "git diff --name-only HEAD HEAD~1 | xargs cat",
		"git diff --name-only HEAD...main~1 | xargs cat", "git diff --name-only HEAD^ | xargs cat", "git diff --cached --name-only HEAD~1 | xargs cat",
		"git log --name-only --format= HEAD | xargs cat", "git show --name-only --format= HEAD | xargs cat",
		"git show --name-only --format= | xargs cat", "git diff-tree -r --no-commit-id --name-only HEAD | xargs cat",
		"git ls-tree -r --name-only HEAD~1 | xargs cat",
	} {
		assert.NotEmptyf(t, caveats(line), "%q", line)
	}
}

// S3: names of commits are looked at like those of the index: what they are where they
// become words, and what lies there now.
func TestNamesOfRevisions(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/.env"))
	git := func(args ...string) { p.git(t, args...) }
	caveats := p.lastCaveats
	write := func(name string) {
		require.NoError(t, os.MkdirAll(p.project+"/"+path.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x"), 0o600))
	}
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(outside+"/hosts", nil, 0o600))
	git("init", "-q", "-b", "main")
	git("add", "README.md", "src", "docs")
	git("commit", "-q", "-m", "base")
	lines := []string{
		"git diff --name-only main~1 | xargs grep -n x", "git diff --name-only main~1..HEAD | xargs -r cat", "git diff --name-only HEAD~2...main~1 | xargs cat",
		"git show --name-only --pretty= HEAD~1 | xargs cat", "git ls-tree -r --name-only main~1 | xargs cat",
		"git diff-tree -r --no-commit-id --name-only HEAD | xargs cat",
		`for f in $(git diff --name-only HEAD~1); do cat "$f"; done`, `git diff --name-only HEAD~1 | while read -r f; do [ -f "$f" ] && wc -l "$f"; done`,
	}
	for name, now := range map[string]func(name string){
		"there": nil, "--files0-from=x": nil, "dir/-x": nil, "a /etc/b": nil, ".env": write, "deep/server.pem": write,
		"link/hosts": func(string) { require.NoError(t, os.Symlink(outside, p.project+"/link")) },
		"sub":        func(string) { write("sub/.env") },
		"lost":       func(string) { require.NoError(t, os.Symlink(outside+"/hosts", p.project+"/lost")) },
	} {
		git("commit", "-q", "--allow-empty", "-m", "before")
		write(name)
		git("add", "-f", "--", name)
		git("commit", "-q", "-m", "add")
		git("rm", "-rq", "--", name)
		git("commit", "-q", "-m", "remove")
		if now != nil {
			now(name)
		}
		for _, line := range lines {
			if name == "there" || strings.Contains(name, " ") && strings.Contains(line, "read -r") {
				assert.Emptyf(t, caveats(line), "%q", line)
			} else {
				assert.NotEmptyf(t, caveats(line), "%q with %s", line, name)
			}
		}
		assert.Empty(t, caveats("git diff --name-only main~1 README.md src | xargs cat"), "of these paths alone")
		// What lies in the project goes, and nothing behind a link.
		first, _, _ := strings.Cut(name, "/")
		require.NoError(t, os.RemoveAll(p.project+"/"+first))
	}
	require.FileExists(t, outside+"/hosts")
}

// S3: a word may be a revision or a path, and HEAD counts where no line names it.
func TestWordsOfRevisions(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) { p.git(t, args...) }
	caveats := p.lastCaveats
	git("init", "-q", "-b", "main")
	git("add", "-f", "README.md", ".env")
	git("commit", "-q", "-m", "base")
	git("branch", "old")
	git("rm", "-q", "--cached", ".env")
	const known = "git diff --name-only README.md | xargs cat"
	assert.Empty(t, caveats(known), "a path")
	for _, name := range []string{"old", "HEAD", "HEAD~0"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, nil, 0o600))
	}
	for _, line := range []string{
		"git diff --cached --name-only | xargs cat", "git diff --cached --name-only . | xargs cat", "git diff --name-only old -- . | xargs cat",
		"git diff --name-only HEAD -- | xargs cat", "git show --name-only --format= | xargs cat", "git show --name-only --format= . | xargs cat",
		"git ls-tree -r --name-only old | xargs cat",
	} {
		assert.NotEmptyf(t, caveats(line), "%q", line)
	}
	assert.Empty(t, caveats("git diff --name-only old src | xargs cat"), "git takes it for both, and does nothing")
	// A path of that name is none to git: it goes by what the words mean.
	for name, line := range map[string]string{
		"$(hash)": "for h in $(git log --format=%h); do git diff --name-only $h | xargs cat; done",
		"$(ref)":  "for t in $(git tag); do git diff --name-only $t | xargs cat; done",
		"^old":    "git diff --name-only ^old main | xargs cat",
	} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, nil, 0o600))
		items := p.facts("Bash", map[string]any{"command": line}).Items
		assert.Containsf(t, items[len(items)-1].Caveats, "reaches_unknown", "%q", line)
	}
	for _, line := range []string{
		"git show --name-only --format=%s main | xargs cat", "git show --name-only main | xargs cat", "git show --name-only --oneline main | xargs cat",
		"git ls-tree --name-only main | xargs cat", "git diff-tree -r --name-only main | xargs cat", "git diff-tree --no-commit-id --name-only main | xargs cat",
		`git diff --name-only "$x" | xargs cat`, "git diff --name-only main:src | xargs cat", "git -c core.quotepath=off diff --name-only main | xargs cat",
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		assert.NotEqualf(t, "cat", items[len(items)-1].Verb, "%q", line)
	}
}

// maxAsked is more often than one call has refs read.
const maxAsked = 12

// S3: what git prints of refs is a revision to git and no file to others, as long as no
// ref is called like an option.
func TestRefsAreRevisions(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) { p.git(t, args...) }
	caveats := p.lastCaveats
	git("init", "-q", "-b", "main")
	git("add", "README.md", "src")
	git("commit", "-q", "-m", "base")
	git("tag", "v1")
	revisions := []string{
		`for t in $(git tag); do git log -1 --format=%as "$t"; done`, `git tag | while read -r t; do git show --stat "$t"; done`,
		"git tag -l 'v*' | head -3 | xargs -n1 git log -1 --oneline", `for b in $(git branch --format='%(refname:short)'); do git log -1 $b; done`,
		`for b in $(git for-each-ref --format='%(refname)' refs/heads); do git rev-list --count $b; done`,
		`for t in $(git tag); do git show "$t:README.md"; done`, `git tag | while read -r t; do git show $t:src/main.go; done`, `git show "$(git describe --tags):README.md"`,
	}
	for _, line := range revisions {
		assert.Emptyf(t, caveats(line), "%q", line)
	}
	for _, line := range []string{
		`for t in $(git tag); do cat "$t"; done`, `for t in $(git tag); do grep -r x $t; done`, `for t in $(git tag); do git log -1 -- "$t"; done`,
		`t=$(git tag); git show $t:README.md`, `t=$(git tag); git show "$t:README.md..HEAD"`, `t=$(git tag); git show "$t:$t"`, `t=$(git tag); git show "$t$t:x"`,
		`t=$(git tag); git show "x$t:x"`, `t=$(git tag); git show "$t:/x"`, `t=$(git tag); git show "$t:../x"`, `t=$(git tag); git show "$t:"`, `t=$(git tag); cat "$t:x"`, `for t in $(git tag); do git -C src log -1 "$t"; done`, "git tag | xargs sort",
		`for t in $(git tag -n); do git log -1 "$t"; done`, `for b in $(git branch); do git log -1 "$b"; done`,
		`for t in $(git tag --format='%(contents)'); do git log -1 "$t"; done`, `for t in $(git tag); do git diff --no-index "$t" README.md; done`,
		`IFS=v; for t in $(git tag); do git log -1 $t; done`, `for t in $(git tag); do [ -f "$t" ]; done`,
		`for t in $(git -c column.ui=always tag); do git log -1 "$t"; done`, `t=$(git tag); cat "src/$t"`, `git tag | xargs grep -l x`,
	} {
		assert.NotEmptyf(t, caveats(line), "%q", line)
	}
	assert.True(t, p.facts("Bash", map[string]any{"command": `for t in $(git tag); do wc <"$t"; done`}).Messy)
	secret := p.facts("Bash", map[string]any{"command": `for t in $(git tag); do git show "$t:.env"; done`}).Paths
	assert.True(t, slices.ContainsFunc(secret, func(path v1.Path) bool { return len(path.Class) > 0 }))
	hashes := `for h in $(git log --format='%h %ad' | cut -d' ' -f1); do git log -1 $h; done`
	altered := func(line string) bool {
		return slices.ContainsFunc(p.facts("Bash", map[string]any{"command": line}).Items, func(item v1.Item) bool { return slices.Contains(item.Caveats, "reaches_unknown") })
	}
	assert.False(t, altered(hashes))
	git("config", "log.date", "format:%n--output=x")
	assert.True(t, altered(hashes), "a date may be two lines")
	assert.True(t, altered(revisions[0]))
	assert.False(t, altered("git log -3 --format='%h %ad'"), "nothing is made of it")
	git("config", "--unset", "log.date")
	assert.False(t, altered(revisions[0]))
	assert.True(t, altered(strings.Repeat(revisions[0]+"; ", maxAsked)), "refs are read only so often")
	git("update-ref", "refs/tags/--output=x", "HEAD")
	for _, line := range revisions {
		assert.Containsf(t, caveats(line), "reaches_unknown", "%q", line)
	}
}

// S3: names of refs make revisions with steps back and ranges about them, and nothing else.
func TestRangesOfRefs(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) { p.git(t, args...) }
	caveats := p.lastCaveats
	git("init", "-q", "-b", "main")
	git("add", "-f", "README.md", "src", ".env")
	git("commit", "-q", "-m", "base")
	git("tag", "-a", "-m", "first", "v1")
	ranges := []string{
		`git log --oneline $(git describe --tags --abbrev=0)..HEAD`, `last=$(git describe --tags --abbrev=0 HEAD~1 2>/dev/null); git log "$last"..HEAD --oneline`,
		`git describe --tags | xargs git log -1 --oneline`, `git rev-list --count $(git tag | tail -1)..HEAD`, `a=$(git describe --tags); b=$(git tag); git log --oneline "$a..$b"`,
		`b=$(git branch --show-current); git log --oneline origin/$b..$b`, `b=$(git rev-parse --abbrev-ref HEAD); git log --oneline "main...$b~2"`,
		`for b in $(git branch --format='%(refname:short)'); do git rev-list --count main..$b; done`, `r="$(git describe --tags)..HEAD"; git log --oneline "$r"`,
		`for t in $(git tag); do grep -n "$t" README.md; done`,
	}
	for _, line := range ranges {
		assert.Emptyf(t, caveats(line), "%q", line)
	}
	for _, line := range []string{
		// Text that makes a path, an option, an object or a search of it.
		`git log -1 src/$(git describe --tags)`, `git show "$(git describe --tags):README.md"`, `git log "-n$(git describe --tags)"`, `git log ../$(git describe --tags)..HEAD`,
		`git log "$(git describe --tags)^{/x}"`, `git log "$(git describe --tags)@{1}"`, `git log "$(git describe --tags)..HEAD..x"`, `git log :/$(git describe --tags)`,
		`git log "$(git describe --tags)$(git tag)"`, `git log "$(git describe --tags)..-x"`, `git log ".env/$(git tag)..HEAD"`, `git log "$(git tag) .. HEAD"`,
		// Other names, and names of another place.
		`git log $(git describe --all)..HEAD`, `git log $(git describe --contains HEAD)..HEAD`, `git log $(git describe --dirty)..HEAD`, `git log $(git describe HEAD:README.md)..HEAD`,
		`git log $(git describe v1)..HEAD`, `git log $(git rev-parse --abbrev-ref HEAD v1)..HEAD`, `git log $(git rev-parse --abbrev-ref @{u})..HEAD`, `git log $(git rev-parse --abbrev-ref --all)..HEAD`,
		`git log $(git rev-parse --symbolic-full-name HEAD)..HEAD`, `for f in $(git ls-files); do for t in $(git tag); do git log "$t..$f"; done; done`,
		`for f in $(git ls-files); do for t in $(git tag); do git log "$f..$t"; done; done`, `cd src; t=$(git tag); cd ..; git log "$t..HEAD"`,
		`IFS=.; git log $(git describe --tags)..HEAD`, `cat "$(git describe --tags)..HEAD"`, `git log -- "$(git describe --tags)..HEAD"`, `wc <"$(git tag)..x"`,
		// What prints whole contents of them.
		`git diff $(git describe --tags)..HEAD`, `git show $(git describe --tags)`, `git diff "$(git tag)..$(git describe --tags)" README.md`,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.Truef(t, facts.Messy || len(facts.Items[len(facts.Items)-1].Caveats) > 0, "%q", line)
	}
	// With no name at all ".." is the directory above, and "main.." may be there.
	require.NoError(t, os.WriteFile(p.project+"/main..", nil, 0o600))
	paths := p.facts("Bash", map[string]any{"command": "git diff --stat main..$(git tag)"}).Paths
	assert.NotEmpty(t, slices.DeleteFunc(slices.Clone(paths), func(path v1.Path) bool { return path.Raw != "main.." }))
	git("update-ref", "refs/tags/--output=x", "HEAD")
	for _, line := range ranges {
		assert.Containsf(t, caveats(line), "reaches_unknown", "%q", line)
	}
}

// S3: a tag may name the contents of a file, which no path and no option for commits keeps
// from being printed; and a path named like a revision hides none.
func TestTagsOfContents(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) { p.git(t, args...) }
	caveats := p.lastCaveats
	git("init", "-q", "-b", "main")
	git("add", "-f", "README.md", ".env")
	git("commit", "-q", "-m", "base")
	for range 2 {
		git("commit", "-q", "--allow-empty", "-m", "more")
	}
	git("tag", "content", "HEAD:.env")
	for _, line := range []string{
		"git show --stat content", "git cat-file -p content", "git diff content README.md", "git show --stat HEAD content", "git show --stat tags/content",
		`for t in $(git tag); do git show --stat "$t"; done`, `for t in $(git tag); do git cat-file -p "$t"; done`,
	} {
		assert.Containsf(t, caveats(line), "reaches_secret", "%q", line)
	}
	for _, line := range []string{
		"git show --stat HEAD", "git show --stat main~1", "git cat-file -p HEAD^", "git diff HEAD~2..HEAD README.md", "git diff HEAD~1 -- README.md",
		"git show --stat HEAD^{} README.md", "for h in $(git log --format=%h); do git show --stat $h; done",
	} {
		assert.Emptyf(t, caveats(line), "%q", line)
	}
	require.NoError(t, os.WriteFile(p.project+"/$(hash)", nil, 0o600))
	assert.Contains(t, caveats("for h in $(git log --format=%h); do git show $h; done"), "reaches_secret")
	git("rm", "-q", "--cached", ".env")
	assert.Contains(t, caveats("git show --stat content"), "reaches_unknown", "the tag still names it")
	git("tag", "-f", "content", "HEAD:README.md")
	assert.Empty(t, caveats("git show --stat content"), "no secret is tracked")
}

// S3: what a revision has at a name that git or find prints counts as read by that name.
func TestContentsByFedNames(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/.env"))
	for _, arguments := range [][]string{{"init", "-q", "-b", "main"}, {"add", "README.md", "src"}} {
		cmd := exec.Command("git", arguments...)
		cmd.Dir = p.project
		require.NoError(t, cmd.Run())
	}
	known := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		return !facts.Messy && len(facts.Items[len(facts.Items)-1].Caveats) == 0
	}
	lines := []string{
		`for f in $(git ls-files); do git show "HEAD:$f"; done`, `find . -type f | while read -r f; do git show main~1:"$f"; done`,
		`for f in $(git diff --name-only); do git cat-file -p "v1.0/x:$f"; done`,
	}
	for _, line := range lines {
		assert.Truef(t, known(line), "%q", line)
	}
	for _, line := range []string{
		`for f in $(git ls-files); do git show HEAD:$f; done`, `for f in $(git ls-files); do git show ":$f"; done`,
		`for f in $(git ls-files); do git show "HEAD^{/x}:$f"; done`, `for f in $(git ls-files); do git show "HEAD..main:$f"; done`,
		`for f in $(git ls-files); do git show "-x:$f"; done`, `for f in $(git ls-files); do git show "HEAD:$f/x"; done`,
		`for f in $(git ls-files); do cat "HEAD:$f"; done`, `for f in $(git ls-files); do git -C src show "HEAD:$f"; done`,
		`for f in $(ls src); do git show "HEAD:$f"; done`,
		`for f in $(git ls-files); do git show "^HEAD:$f"; done`,
	} {
		assert.Falsef(t, known(line), "%q", line)
	}
	require.NoError(t, os.WriteFile(p.project+"/.env", []byte("x"), 0o600))
	cmd := exec.Command("git", "add", "-f", ".env")
	cmd.Dir = p.project
	require.NoError(t, cmd.Run())
	for _, line := range lines {
		assert.Falsef(t, known(line), "%q", line)
	}
}

// git runs git in the project, and returns what it prints.
func (p place) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.project
	cmd.Env = append(os.Environ(), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	output, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	return strings.TrimSpace(string(output))
}

// lastCaveats are those of a line's last command.
func (p place) lastCaveats(line string) []string {
	items := p.facts("Bash", map[string]any{"command": line}).Items
	return items[len(items)-1].Caveats
}

// S3: git ls-files names what lies beside the index, too, and with --exclude-standard nothing
// that is ignored.
func TestNamesBesideTheIndex(t *testing.T) {
	for _, test := range []struct {
		setup, line string
		safe        bool
	}{
		{":", "git ls-files -o --exclude-standard | xargs cat", true},
		{":", "git ls-files -z -mo --exclude-standard | xargs -0 cat", true},
		{":", "git ls-files -co --exclude-standard '*.go' | while read -r f; do cat \"$f\"; done", true},
		{":", "cd src && git ls-files -o --exclude-standard | xargs cat", true},
		{"mv .gitignore src/rules; ln -s src/rules .gitignore; echo x > src/.env", "cd src && git ls-files -o --exclude-standard | xargs cat", false},
		{"rm .gitignore", "git ls-files -o --exclude-standard | xargs cat", false},
		{"echo x > 'src/a b'", "git ls-files -o --exclude-standard | xargs cat", true},
		{"echo x > 'src/a links'; ln -s /etc/hostname links", "git ls-files -o --exclude-standard | xargs cat", false},
		{"mkdir ./-f; echo x > ./-f/x", "git ls-files -o --exclude-standard | xargs cat", false},
		{":", "git ls-files -o | xargs cat", false},
		{":", "git ls-files -o -X src/main.go | xargs cat", false}, // no place to look in
		{":", "git ls-files -o --exclude-standard -X src/main.go | xargs cat", false},
		{":", "git ls-files -o -X src/main.go src | xargs cat", true},
		{":", "git grep -l -f src/main.go | xargs cat", true},
		{"ln -s /etc/hostname out; git add out", "git grep -l -f src/main.go | xargs cat", false},
		{":", "git ls-files -o -i --exclude-standard | xargs cat", false},
		{":", "cd src; git ls-files -o --exclude-standard :/ | xargs cat", false},
		{":", "cd src; git ls-files -o --exclude-standard .. | xargs cat", false},
		{":", "git ls-files -o --exclude-standard | xargs -r grep -r x", false},
	} {
		p := newPlace(t)
		prepare(t, p, test.setup)
		facts := p.facts("Bash", map[string]any{"command": test.line})
		last := facts.Items[len(facts.Items)-1].Caveats
		assert.Equal(t, test.safe, len(last) == 0 && !facts.Messy, "%s: %s: %v %v", test.setup, test.line, last, facts.Doubts)
	}
}

// prepare makes a place's project a repository that ignores .env and links, and runs a script.
func prepare(t *testing.T, p place, setup string) {
	t.Helper()
	require.NoError(t, os.Remove(p.project+"/out"))
	script := "set -e; git() { command git -c user.name=a -c user.email=a@b \"$@\"; }; git init -q; printf '.env\\nlinks\\n' > .gitignore; git add .gitignore; git commit -qm x; " + setup
	run := exec.Command("bash", "-c", script)
	run.Dir = p.project
	output, err := run.CombinedOutput()
	require.NoErrorf(t, err, "%s: %s", setup, output)
}

// S3: which names are ignored follows from the rules as git reads them.
func TestIgnoredNames(t *testing.T) {
	const line = "git ls-files -o --exclude-standard | while read -r f; do cat \"$f\"; done"
	for _, test := range []struct {
		setup string
		safe  bool
	}{
		{"rm .gitignore", false},                                        // .env is named
		{`printf '.env\t\nlinks\n' > .gitignore`, false},                // git keeps the tab
		{`printf '.env\r\nlinks\n' > .gitignore`, true},                 // and takes this away
		{`printf '!.env\n' > src/.gitignore; echo x > src/.env`, false}, // taken back in
		{"mv .gitignore rules; ln -s rules .gitignore", false},          // git follows no such link
		{`printf '\xef\xbb\xbf!.env\n' > src/.gitignore; echo x > src/.env`, false},
		{`printf '\xef\xbb\xbf.env\nlinks\n' > .gitignore`, false}, // git skips the mark, others don't
		{`printf '!.env\n' > src/.gitignore; git add src; git update-index --skip-worktree src/.gitignore; rm src/.gitignore; echo x > src/.env`, false}, // read in the index
		{`mkdir src/b; echo x > src/b/.gitignore; git add src; git commit -qm y; git update-index --skip-worktree src/b/.gitignore; rm -r src/b`, true},
		{"ln -s /etc/hostname src/out", false},
		{"ln -s /etc/hostname src/links", true}, // ignored
		{"echo x > ./-s", false},
		{"echo x > ./-s; git add ./-s; git commit -qm y; rm ./-s", false},
	} {
		p := newPlace(t)
		prepare(t, p, test.setup)
		facts := p.facts("Bash", map[string]any{"command": line})
		last := facts.Items[len(facts.Items)-1].Caveats
		assert.Equal(t, test.safe, len(last) == 0 && !facts.Messy, "%s: %v %v", test.setup, last, facts.Doubts)
	}
}

// S3: what git status prints beside the names isn't followed.
func TestNamesOfStatus(t *testing.T) {
	p := newPlace(t)
	prepare(t, p, ":")
	for _, line := range []string{
		"git status --porcelain | awk '{print $2}' | xargs cat", "git status --porcelain | awk '{print $2}' | while read -r f; do cat \"$f\"; done", "cat $(git status --porcelain)",
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.True(t, facts.Messy || len(facts.Items[len(facts.Items)-1].Caveats) > 0, line)
	}
}

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
