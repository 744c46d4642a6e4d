package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newRepositoryPlace is a place whose project is a repository with one commit.
func newRepositoryPlace(t *testing.T) place {
	t.Helper()
	p := newPlace(t)
	p.git(t, "init", "-q", "-b", "main")
	p.git(t, "add", "README.md", "src", "docs")
	p.git(t, "commit", "-q", "-m", "first")
	return p
}

// doubted joins the verbs of the commands of a line that another one may change what they read for.
func (p place) doubted(t *testing.T, line string) string {
	t.Helper()
	facts := p.facts("Bash", map[string]any{"command": line})
	require.False(t, facts.Messy, line)
	var out []string
	for _, item := range facts.Items {
		doubt := slices.ContainsFunc([]string{"link_unknown", "reaches_unknown", "reaches_secret", "line_chooses_program", "line_changes_repository"}, item.Caveats.Has)
		if item.Kind == "command" && doubt && !slices.Contains(out, item.Verb) {
			out = append(out, item.Verb)
		}
	}
	return strings.Join(out, ", ")
}

// holdDoubted holds what doubted says of lines.
func (p place) holdDoubted(t *testing.T, lines map[string]string) {
	t.Helper()
	for line, want := range lines {
		assert.Equal(t, want, p.doubted(t, line), line)
	}
}

// TestWhatGitPrintsBehindItsOwnChanges checks S2 and S3: what a repository holds before a line says nothing of what is
// printed behind a command that changes the index, branches, tags or notes. A table states the commands that don't.
func TestWhatGitPrintsBehindItsOwnChanges(t *testing.T) {
	newRepositoryPlace(t).holdDoubted(t, map[string]string{
		"git add -A && git diff --cached":                         "git diff",
		"git add -N . && git grep x":                              "git grep",
		"git fetch origin && git log -p origin/dev":               "git log",
		"git remote update && git show origin/main":               "git show",
		"git remote set-head origin dev && git show origin":       "git show",
		"git tag z dev && git show z":                             "git show",
		"git tag -f v1 dev && git show v1":                        "git show",
		"git branch -f z dev && git log -p z":                     "git log",
		"git branch -M x && git log -p x":                         "git log",
		"git reset -q && git diff":                                "git diff",
		"git reset --soft HEAD~1 && git show":                     "git show",
		"git update-index --cacheinfo 1,2,x && git diff --cached": "git diff",
		"git notes copy HEAD~1 HEAD && git show":                  "git show",
		"git town sync && git show":                               "git show",
		"git unknown && cat docs/a.md":                            "cat",
		"gh pr list && git show":                                  "",
		"git add -A && git diff --cached --stat":                  "",
		"git add -A && git commit -m x && git status":             "",
		"git fetch && git log --oneline -3":                       "",
		"git status && git branch && git tag -l && git diff":      "",
		"git branch --show-current; git remote -v; git show":      "",
		"git stash list && git show":                              "",
		"git diff HEAD~1 | git apply --stat":                      "",
		"git apply --stat --apply a.patch && git diff":            "git diff",
		"git --version && git show && cat docs/a.md":              "",
	})
}

// TestNamesThatALineMayReplace checks P1 and S1: behind a command that makes files of unknown names each path below may
// be a link, a directory and a pattern without a match today included. Git's commands that name files change those.
func TestNamesThatALineMayReplace(t *testing.T) {
	newRepositoryPlace(t).holdDoubted(t, map[string]string{
		"git checkout dev && cat docs/a.md":                              "cat",
		"git checkout dev && cat *.txt":                                  "cat",
		"git checkout dev && cat */*.txt":                                "cat",
		"git checkout dev && cd src && cat *":                            "cat",
		"git checkout dev && grep -rn x src":                             "grep",
		"git checkout -f && cat docs/a.md":                               "cat",
		"git sparse-checkout disable && cat docs/a.md":                   "cat",
		"git checkout dev -- docs/a.md && cat docs/a.md README.md":       "cat",
		"git restore docs && cat docs/a.md":                              "cat",
		"git restore 'doc*' && cat docs/a.md":                            "cat",
		"tar xf a.tar -C src && grep -rn x src/gen":                      "grep",
		"tar xf a.tar -C src && cat src/main.go":                         "cat",
		"tar xf a.tar -C src && cat src/*.txt":                           "cat",
		"tar xf a.tar -C src && cat docs/a.md":                           "",
		"git restore README.md && cat docs/a.md && ls src":               "",
		"git checkout -- README.md && wc -l docs/*.md":                   "",
		"git checkout -b new && cat docs/a.md":                           "",
		"git reset --soft HEAD~1 && cat docs/a.md":                       "",
		"git bisect start && cat docs/a.md":                              "cat",
		"git bisect next && cat docs/a.md":                               "cat",
		"cd docs && git restore -s dev a.md && cat a.md":                 "cat",
		"git -C docs restore -s dev a.md && cat docs/a.md":               "cat",
		"git restore -s dev ':!q' && cat docs/a.md":                      "cat",
		"tar xf a.tar --strip-components=1 t/docs/a.md && cat docs/a.md": "cat",
		"tar xf a.tar docs/b.md && cat docs/a.md":                        "",
		"unzip -j a.zip src/a.md && cat docs/a.md README.md":             "cat",
		"git update-index --assume-unchanged README.md && ls src":        "",
		"git checkout dev && ls && git status":                           "",
	})
}

// TestWhatComesBehindChangesNothingBefore holds that a command of a later step of the line changes nothing of what an
// earlier one reads, but in loops, functions, pipes and the background.
func TestWhatComesBehindChangesNothingBefore(t *testing.T) {
	newRepositoryPlace(t).holdDoubted(t, map[string]string{
		"git diff && git stash":                                      "",
		"git show; git checkout dev":                                 "",
		"cat docs/a.md\ngit pull":                                    "",
		"cat docs/*.md | head && git stash":                          "",
		"f() { git show; }; f; git stash":                            "",
		"for i in 1 2; do git show; done; git stash":                 "",
		"go version && git pull":                                     "",
		"git show & git stash":                                       "git show",
		"{ git show & }; git stash":                                  "git show",
		"cat <(git show); git stash":                                 "git show",
		"for i in 1 2; do git show; git stash; done":                 "git show",
		"while git show; do git stash; done":                         "git show",
		"f() { git show; }; git stash; f":                            "git show",
		"git show | git stash":                                       "git show",
		"git show && cat docs/a.md; { git stash; } && cat docs/a.md": "cat",
		"git show; git stash &":                                      "git show",
		"setsid -f git show; git stash":                              "git show",
		"timeout 1 sh -c 'git show'; git stash":                      "git show",
		"bash -c 'git show'; git stash":                              "git show",
	})
}

// TestDirectoriesThatMayHoldChoosers checks V6: what a directory holds that is moved, linked or copied may choose which
// program runs.
func TestDirectoriesThatMayHoldChoosers(t *testing.T) {
	newRepositoryPlace(t).holdDoubted(t, map[string]string{
		"git mv docs new && cd new && cargo --version": "cargo",
		"ln -s docs q && cd q && cargo --version":      "cargo",
		"mv docs new && cargo --version":               "",
		"ln -s docs q && rg x q/":                      "",
		"mv docs \"$x\" && cargo --version":            "cargo",
		"cp -r docs/. . && cargo --version":            "cargo",
		"cp docs/a.md .venv/bin/ls && ls":              "ls",
		"mv docs/head node_modules/.bin && head x":     "head",
		"cp docs/a.md bin/ls && cat bin/ls":            "",
		"mv README.md r.md && cargo --version":         "",
		"cp README.md docs/b.md && cargo --version":    "",
	})
}

// TestProjectsInDirectoriesOfClients holds that a work tree which a client makes in its own directory is a project as
// any other, with protected files of its own; what else lies in that directory stays protected.
func TestProjectsInDirectoriesOfClients(t *testing.T) {
	p := newRepositoryPlace(t)
	inner := p.project + "/.claude/worktrees/x"
	p.git(t, "worktree", "add", "-q", "-b", "x", inner)
	write(t, p.project+"/.claude/skills/a/b.md", "x")
	outer := p.project
	classes := func(dir, file string) string {
		p.project = dir
		facts := p.facts("Write", map[string]any{"file_path": file, "content": "x"})
		class, _ := facts.Paths[0].Class.Get("protected_always")
		return class
	}
	assert.Empty(t, classes(inner, inner+"/src/new.go"))
	assert.Equal(t, ".claude", classes(inner, inner+"/.claude/settings.json"))
	assert.Equal(t, ".git", classes(inner, inner+"/.git"))
	assert.Equal(t, ".claude", classes(inner, outer+"/.claude/settings.json"))
	assert.Equal(t, ".claude", classes(outer, inner+"/src/new.go"))
	assert.Equal(t, ".claude", classes(outer+"/.claude/skills", outer+"/.claude/skills/a/b.md"))
}
