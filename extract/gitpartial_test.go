package extract_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5: git fetches each object that a partial clone lacks. What is allowed there opens none, be all of them missing.
func TestPartialClonesAndRealGit(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = p.project
		cmd.Env = append(os.Environ(), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "git %q: %s", args, output)
	}
	require.NoError(t, os.MkdirAll(p.project+"/docs", 0o700))
	for _, name := range []string{".gitignore", ".gitattributes", "docs/guide.md", "README.md"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("*.md text\n"), 0o600))
	}
	git("add", "-f", ".")
	git("commit", "-q", "-m", "one")
	git("tag", "v1")
	// Git compares the content of a file whose time isn't the one in the index.
	old := time.Unix(1_000_000_000, 0)
	require.NoError(t, os.Chtimes(p.project+"/README.md", old, old))
	for _, name := range []string{".gitignore", ".gitattributes", "docs/guide.md"} {
		require.NoError(t, os.Remove(p.project+"/"+name))
	}
	lines := map[bool][]string{
		false: {
			"git ls-files", "git ls-files -s -z docs README.md", "git ls-files -d -u -t -v --full-name --error-unmatch README.md", "git -C docs ls-files --cached",
			"git rev-parse HEAD", "git rev-parse --short HEAD", "git rev-parse --verify -q HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --symbolic-full-name HEAD",
			"git rev-parse --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --show-object-format",
			"git rev-parse --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository",
			"git rev-parse --git-path hooks", "git rev-parse --path-format=absolute --git-dir", "git branch --show-current", "git --no-pager remote -v", "git remote",
			"git remote get-url --push origin", "git remote get-url --all origin", "git config user.name", "git config --get user.name", "git config --list --show-origin --show-scope",
			"git config --global -l --name-only -z", "git config --local --type=bool --get core.bare", "git config --get-regexp 'branch.*'", "git config --get-all --default x user.name",
			"git symbolic-ref -q --short HEAD", "git worktree list", "git worktree list --porcelain", "git sparse-checkout list", "git version --build-options", "git help",
			"git --no-lazy-fetch log -1",
		},
		true: {
			"git status", "git log -1", "git log --oneline", "git show HEAD:README.md", "git diff", "git diff --name-only", "git blame README.md", "git ls-tree HEAD",
			"git cat-file -t HEAD", "git rev-parse HEAD~0", "git rev-parse HEAD^{tree}", "git rev-parse HEAD:README.md", "git rev-parse --verify 'v1^{commit}'",
			"git ls-files -m", "git ls-files --eol", "git ls-files --with-tree=HEAD", "git ls-files ':(attr:text)*.md'", "git check-attr -a README.md",
			"git config --blob HEAD:.gitmodules --list", "git show-ref", "git branch -v", "git tag -n", "git for-each-ref", "git describe", "git merge-base HEAD v1",
			"git rev-list --count HEAD", "git reflog", "git grep one", "git -c tag.sort=creatordate tag",
		},
	}
	reaches := func(line string) bool {
		return someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "network")
	}
	for _, line := range append(lines[true], lines[false]...) {
		assert.Falsef(t, reaches(line), "%q in a clone of all", line)
	}
	git("remote", "add", "origin", "file://"+p.home+"/gone")
	git("config", "core.repositoryFormatVersion", "1")
	git("config", "extensions.partialClone", "origin")
	git("config", "remote.origin.promisor", "true")
	require.NoError(t, os.RemoveAll(p.project+"/.git/objects"))
	require.NoError(t, os.Mkdir(p.project+"/.git/objects", 0o700))
	for fetches, some := range lines {
		for _, line := range some {
			assert.Equalf(t, fetches, reaches(line), "%q", line)
		}
	}
	assert.Empty(t, fetchingOf(t, p, lines[false]), "fetch and are allowed")
	assert.Equal(t, lines[true], fetchingOf(t, p, lines[true]), "fetch")
}

// V5: whatever options do that aren't known to open nothing, and words that may name any object, prompt.
func TestPartialClonesReachTheNetwork(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	settings := "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = https://example.org/x\n\tpromisor = true\n"
	require.NoError(t, os.WriteFile(p.project+"/.git/config", []byte(settings), 0o600))
	for line, reaches := range map[string]bool{
		"git rev-parse HEAD": false, "git rev-parse main": true, "git rev-parse 5716ca5987": true, "git branch": true, "git branch -a": true,
		"git branch --show-current -v": true, "git rev-parse --all": true, "git ls-files -o --exclude-standard": true, "git check-ignore x": true,
		"git rev-parse $(git branch --format='%(refname)')": true, "git -c core.x=1 ls-files": true, "git ls-files --format='%(path)'": true,
	} {
		assert.Equalf(t, reaches, someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "network"), "%q", line)
	}
}

// fetchingOf runs lines, and returns those for which git starts to fetch.
func fetchingOf(t *testing.T, p place, lines []string) (fetching []string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	var script strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&script, "echo line %d >>'%s'; ( %s ) >/dev/null 2>&1 </dev/null\n", i, trace, line)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script.String())
	cmd.Dir = p.project
	cmd.Env = append(os.Environ(), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat", "GIT_TRACE="+trace, "GIT_TERMINAL_PROMPT=0")
	_ = cmd.Run() // some lines fail
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	parts := strings.Split("\n"+string(text), "\nline ")[1:]
	require.Len(t, parts, len(lines))
	for i, part := range parts {
		if strings.Contains(part, "run_command: git -c fetch.") || strings.Contains(part, "upload-pack") {
			fetching = append(fetching, lines[i])
		}
	}
	return fetching
}
