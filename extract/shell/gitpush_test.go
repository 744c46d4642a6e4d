package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pushLines are pushes, each with what it does to refs of the remote.
var pushLines = map[string]map[string]string{
	"git push":                                              {"?": "updates"},
	"git push origin":                                       {"?": "updates"},
	"git push -f":                                           {"?": "forces"},
	"git push origin main":                                  {"main": "updates"},
	"git push origin extra":                                 {"extra": "updates"},
	"git push -u origin feature:extra":                      {"extra": "updates"},
	"git push --force origin main":                          {"main": "forces"},
	"git push origin feature --force":                       {"feature": "forces"},
	"git push -fu origin feature":                           {"feature": "forces"},
	"git push --force-with-lease origin feature":            {"feature": "forces"},
	"git push --force-with-lease=main origin main":          {"main": "forces"},
	"git push --force-if-includes origin extra":             {"extra": "updates"},
	"git push origin +main":                                 {"main": "forces"},
	"git push origin +feature:main extra":                   {"main": "forces", "extra": "updates"},
	"git push origin HEAD:main":                             {"main": "updates"},
	"git push origin +HEAD:main":                            {"main": "forces"},
	"git push origin +HEAD:heads/main":                      {"main": "forces"},
	"git push origin +HEAD:refs/heads/main":                 {"main": "forces"},
	"git push origin +refs/heads/feature:refs/heads/main":   {"main": "forces"},
	"git push origin +refs/heads/main":                      {"main": "forces"},
	"git push origin +heads/main":                           {"main": "forces"},
	"git push origin +HEAD":                                 {"?": "forces"},
	"git push -f origin @":                                  {"?": "forces"},
	"git push -f origin main:HEAD":                          {"?": "forces"},
	"git push origin HEAD:refs/for/main":                    {"refs/for/main": "updates"},
	"git push origin 'HEAD~0:main'":                         {"main": "updates"},
	"git push origin :main":                                 {"main": "deletes"},
	"git push origin :refs/heads/main":                      {"main": "deletes"},
	"git push origin :tags/v1":                              {"refs/tags/v1": "deletes"},
	"git push origin --delete feature v1":                   {"feature": "deletes", "v1": "deletes"},
	"git push -d origin refs/heads/feature":                 {"feature": "deletes"},
	"git push origin :":                                     {"?": "updates"},
	"git push origin +:":                                    {"?": "forces"},
	"git push origin '+refs/heads/*:refs/heads/*'":          {"?": "forces"},
	"git push origin '+refs/heads/*:refs/heads/*' ^feature": {"?": "forces"},
	"git push --all -f":                                     {"?": "forces"},
	"git push --branches origin":                            {"?": "updates"},
	"git push --mirror origin":                              {"?": "forces"},
	"git push --prune origin 'refs/heads/*:refs/heads/*'":   {"?": "mixed"},
	"git push --tags":                                       {"refs/tags/*": "updates"},
	"git push --tags -f origin main":                        {"refs/tags/*": "forces", "main": "forces"},
	"git push --follow-tags origin extra":                   {"refs/tags/*": "updates", "extra": "updates"},
	"git push -f origin tag v1":                             {"refs/tags/v1": "forces"},
	"git push origin +v1":                                   {"v1": "forces"},
	"git push origin tag":                                   {"tag": "updates"},
	"git push --repo=origin -f":                             {"?": "forces"},
	"git push -f -- origin feature":                         {"feature": "forces"},
	"git push -f origin \"$x\"":                             {"?": "forces"},
	"git push origin \"+$x\" main":                          {"?": "forces", "main": "updates"},
	"git push origin m*":                                    {"?": "forces"},
	"git -C sub push -f origin feature":                     {"feature": "forces"},
	"git push -f origin 'feature@{upstream}:main'":          {"main": "forces"},
	"git push origin main:main +feature:main":               {"main": "mixed"},
}

func destinations(form interface{ Get(string) (string, bool) }, names []string) map[string]string {
	found := map[string]string{}
	for _, name := range names {
		if ref, is := strings.CutPrefix(name, "<to "); is {
			found[strings.TrimSuffix(ref, ">")], _ = form.Get(name)
		}
	}
	return found
}

func destinationsOf(t *testing.T, line string) map[string]string {
	t.Helper()
	commands := parse(t, line).Commands
	require.Len(t, commands, 1, line)
	names := []string{}
	for _, entry := range commands[0].Form {
		names = append(names, entry.Name)
	}
	return destinations(commands[0].Form, names)
}

func TestAPushSaysWhereItGoes(t *testing.T) {
	require.NotEmpty(t, pushLines)
	for line, want := range pushLines {
		assert.Equal(t, want, destinationsOf(t, line), line)
	}
	assert.Empty(t, destinationsOf(t, "git fetch origin +main:main"), "it changes no ref of the remote")
	assert.Empty(t, destinationsOf(t, "git stash push -m x"))
}

// What git really changes in a remote is what the line was said to change, and as
// strongly: git is the oracle.
func TestAPushChangesWhatItSays(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: no git here")
	}
	repositories := pushRepositories(t)
	changed := 0
	for line := range pushLines {
		if strings.Contains(line, "$") || strings.Contains(line, "-C sub") {
			continue // the shell's part
		}
		home := filepath.Join(t.TempDir(), "home")
		require.NoError(t, os.CopyFS(home, os.DirFS(repositories)))
		before := refsOf(t, home)
		command := exec.CommandContext(t.Context(), "sh", "-c", line) // some are refused, which changes nothing
		prepare(command, filepath.Join(home, "work"))
		_ = command.Run()
		after, said := refsOf(t, home), destinationsOf(t, line)
		for ref, was := range before {
			switch now := after[ref]; {
			case now == was:
			case now == "":
				requireSaid(t, said, line, ref, "deletes")
				changed++
			case !isAncestor(t, home, was, now):
				requireSaid(t, said, line, ref, "forces")
				changed++
			default:
				requireSaid(t, said, line, ref, "updates")
				changed++
			}
		}
		for ref := range after {
			if _, was := before[ref]; !was {
				requireSaid(t, said, line, ref, "updates")
				changed++
			}
		}
	}
	require.Greater(t, changed, len(pushLines)/2, "the lines change nothing, and so prove nothing")
}

// requireSaid holds that one of the names of a ref has a kind that is strong enough.
func requireSaid(t *testing.T, said map[string]string, line, ref, kind string) {
	t.Helper()
	short := strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
	names := []string{short, ref, "?"}
	if strings.HasPrefix(ref, "refs/tags/") {
		names = append(names, "refs/tags/*")
	}
	for _, name := range names {
		if got := said[name]; got == kind || got == "mixed" || got != "" && kind == "updates" || got == "forces" && name == "?" {
			return
		}
	}
	assert.Failf(t, "git did more than was said", "%q: %s %s, and said was %v", line, kind, ref, said)
}

// pushRepositories are a remote and a work tree whose branches have gone other ways,
// with a branch and a tag that are new.
func pushRepositories(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	script := `set -e
git init -q --bare -b main remote.git
git init -q -b main work
cd work
git remote add origin ../remote.git
git commit -q --allow-empty -m base
git branch feature; git branch old; git tag v1; git branch tag
git commit -q --allow-empty -m theirs
git push -q origin main feature old v1
git checkout -q feature; git commit -q --allow-empty -m theirs2; git push -q origin feature
git reset -q --hard HEAD~1; git commit -q --allow-empty -m ours2
git checkout -q main; git reset -q --hard HEAD~1; git commit -q --allow-empty -m ours
git tag -f v1 >/dev/null; git tag v2; git branch extra; git branch -q -D old
`
	command := exec.CommandContext(t.Context(), "sh", "-c", script)
	prepare(command, home)
	out, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return home
}

func prepare(command *exec.Cmd, dir string) {
	command.Dir = dir
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x",
	}
}

func refsOf(t *testing.T, home string) map[string]string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "for-each-ref", "--format=%(refname) %(objectname)")
	prepare(command, filepath.Join(home, "remote.git"))
	out, err := command.Output()
	require.NoError(t, err)
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = hash
	}
	return refs
}

func isAncestor(t *testing.T, home, before, after string) bool {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "merge-base", "--is-ancestor", before, after)
	prepare(command, filepath.Join(home, "remote.git"))
	return command.Run() == nil
}
