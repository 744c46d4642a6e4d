//go:build unix

package extract_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// stores are ways in which a repository names a secret beside its branches and its index; hidden is the
// store that the run doesn't see, "" if no run is offered.
var stores = map[string]struct{ line, hidden string }{
	"index of a linked worktree":  {line: "git worktree add -q ../wt && cp .env ../wt && git -C ../wt add -f .env"},
	"HEAD of a linked worktree":   {line: "git worktree add -q --detach ../wt && cp .env ../wt && git -C ../wt add -f .env && git -C ../wt commit -qm s && git -C ../wt rm -q .env"},
	"copy of the index":           {line: "git add -f .env && cp .git/index .git/index.mine && git rm -q --cached .env"},
	"index of a tool":             {line: "git add -f .env && mkdir .git/tool && cp .git/index .git/tool/state && git rm -q --cached .env"},
	"tag of a blob":               {line: "git tag blobtag $(git hash-object -w .env)"},
	"tag of a tag of a blob":      {line: "git tag -a -m x one $(git hash-object -w .env) && git tag -a -m y two one && git tag -d one"},
	"tag of a tree":               {line: "git add -f .env && git tag treetag $(git write-tree) && git rm -q --cached .env"},
	"ORIG_HEAD":                   {line: "git add -f .env && git commit -qm s && git reset -q --hard HEAD~1 && rm -r .git/logs && git show ORIG_HEAD:.env"},
	"a pseudo ref of a tool":      {line: "git add -f .env && git commit -qm s && git rev-parse HEAD > .git/SAVED_HEAD && git reset -q --hard HEAD~1 && rm -r .git/logs .git/ORIG_HEAD"},
	"AUTO_MERGE":                  {line: "git add -f .env && git write-tree > .git/AUTO_MERGE && git rm -q --cached .env"},
	"what a rebase has under way": {line: "git add -f .env && git commit -qm s && mkdir .git/rebase-merge && git rev-parse HEAD > .git/rebase-merge/orig-head && git reset -q --hard HEAD~1 && rm -r .git/logs .git/ORIG_HEAD"},
	"reflog":                      {line: "git add -f .env && git commit -qm s && git reset -q --hard HEAD~1 && rm .git/ORIG_HEAD"},
	"stash":                       {line: "cp .env b.key && git stash -q -u && touch .env"},
	"refs in a table":             {line: "rm -rf .git/HEAD.x && mkdir .git/reftable"},
	"a link in the place of refs": {line: "mv .git/logs .git/kept && ln -s kept .git/logs"},
	"module that is kept":         {line: "git init -q ../m && cp .env ../m && git -C ../m add -f .env && git -C ../m commit -qm s && mkdir .git/modules && cp -r ../m/.git .git/modules/vend", hidden: "/.git/modules/vend"},
	"bare repository":             {line: "git init -q ../m && cp .env ../m && git -C ../m add -f .env && git -C ../m commit -qm s && mkdir nest && git clone -q --bare ../m nest/gitdir", hidden: "/nest/gitdir"},
	"bare repository without HEAD": {
		line: "git init -q ../m && cp .env ../m && git -C ../m add -f .env && git -C ../m commit -qm s && mkdir nest && cp -r ../m/.git nest/gitdir && rm nest/gitdir/HEAD", hidden: "/nest/gitdir",
	},
	"linked objects": {
		line: "git init -q ../m && cp .env ../m && git -C ../m add -f .env && git -C ../m commit -qm s && mkdir nest && cp -r ../m/.git nest/gitdir && mv nest/gitdir/objects nest/o && ln -s ../o nest/gitdir/objects", hidden: "/nest/gitdir",
	},
	"repository with settings that hold a credential": {
		line: "git init -q --bare nest/gitdir && git -C nest/gitdir config remote.o.url https://u:ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@example.org/x", hidden: "/nest/gitdir",
	},
}

// Whatever names a secret in a store of git's objects that a run could read, no program prints it there.
func TestNoStoreOfObjectsWithASecretIsSeen(t *testing.T) {
	for name, c := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			git := p.repository(t)
			git("add", "README.md", "src")
			git("commit", "-q", "-m", "first")
			for range 2 { // what the second remembers makes no difference
				_, err := p.contained(t, "mytool", v1.ProfileReadOnly, v1.ReadsListed)
				require.NoError(t, err)
			}
			p.shell(t, c.line)
			for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
				run, err := p.contained(t, "mytool", profile, v1.ReadsListed)
				if c.hidden == "" {
					require.ErrorContains(t, err, "hold a secret")
					continue
				}
				require.NoError(t, err)
				assert.Contains(t, run.Obligation.Hide, p.project+c.hidden)
			}
		})
	}
}

// shell runs a line of git's in the project.
func (p place) shell(t *testing.T, line string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-ec", line)
	command.Dir = p.project
	command.Env = append(os.Environ(), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// A bare repository that is the session's own directory can't be hidden.
func TestABareRepositoryWithASecretIsNotContained(t *testing.T) {
	p := newPlace(t)
	p.shell(t, "git init -q ../m && cp .env ../m && git -C ../m add -f .env && git -C ../m commit -qm s && rm .env && git clone -q --bare ../m x && mv x/* .")
	_, err := p.contained(t, "mytool", v1.ProfileReadOnly, v1.ReadsListed)
	require.ErrorContains(t, err, "hold a secret")
}

// Stores without a secret are seen, and a directory that looks like one is.
func TestStoresOfObjectsAreSeen(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	git("add", "README.md", "src")
	git("commit", "-q", "-m", "first")
	p.shell(t, strings.Join([]string{
		"git clone -q --bare . nest/gitdir", "git worktree add -q ../wt", "git tag -a -m x v1", "git tag readme HEAD:README.md",
		"git commit -q --allow-empty -m second", "git reset -q HEAD~1", "mkdir -p ui/objects/info ui/refs", "cp README.md ui/refs",
		"git init -q --object-format=sha256 other", "git -C other commit -q --allow-empty -m x", "cp -r other/.git nest/sha256", "git gc -q",
		"mkdir -p .git/tool && head -c 5000000 /dev/zero > .git/tool/data",
	}, "\n"))
	for range 2 {
		run, err := p.contained(t, "mytool", v1.ProfileProject, v1.ReadsListed)
		require.NoError(t, err)
		for _, hidden := range run.Obligation.Hide {
			assert.NotContains(t, []string{"/nest/gitdir", "/nest/sha256", "/ui", "/other"}, strings.TrimPrefix(hidden, p.project))
		}
	}
}
