//go:build unix

package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// around is a project in a subdirectory of a repository, in a home.
type around struct {
	place
	t   *testing.T
	top string
}

func newAround(t *testing.T) *around {
	t.Helper()
	p := newPlace(t)
	a := &around{place: p, t: t, top: p.project}
	a.git(a.top, "init", "-q", "-b", "main")
	a.git(a.top, "add", "-f", "README.md", "src", "docs")
	a.commit(a.top)
	a.launch("proj/src")
	return a
}

// launch makes a directory of the home the project.
func (a *around) launch(dir string) {
	a.t.Helper()
	a.project = a.home + "/" + dir
	require.NoError(a.t, os.MkdirAll(a.project, 0o700))
}

func (a *around) commit(dir string) {
	a.t.Helper()
	a.git(dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "one", "--allow-empty")
}

func (a *around) git(dir string, args ...string) {
	a.t.Helper()
	command := exec.CommandContext(a.t.Context(), "git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "HOME="+a.home, "GIT_CONFIG_NOSYSTEM=1")
	output, err := command.CombinedOutput()
	require.NoError(a.t, err, "%s", output)
}

func (a *around) space(tool, path string) string {
	a.t.Helper()
	argument := map[string]any{"file_path": path}
	if tool == "Write" {
		argument["content"] = "x"
	}
	facts := a.facts(tool, argument)
	require.NotEmpty(a.t, facts.Paths)
	return facts.Paths[0].Space
}

func (a *around) trusted(line string) bool {
	a.t.Helper()
	facts := a.facts("Bash", map[string]any{"command": line})
	require.NotEmpty(a.t, facts.Items)
	for _, item := range facts.Items {
		if item.Caveats.Has("git_untrusted") || item.Caveats.Has("reaches_outside") || item.Caveats.Has("reaches_unknown") {
			return false
		}
	}
	return true
}

// TestRepositoryAroundTheProjectIsForReading holds P3 and P2: elsewhere in the work tree is
// a space for reading, everything else that is done there is outside.
func TestRepositoryAroundTheProjectIsForReading(t *testing.T) {
	a := newAround(t)
	assert.Equal(t, v1.SpaceRepository, a.space("Read", a.top+"/README.md"))
	assert.Equal(t, v1.SpaceProject, a.space("Read", a.project+"/main.go"))
	assert.Equal(t, v1.SpaceOutside, a.space("Write", a.top+"/README.md"))
	assert.Equal(t, v1.SpaceOutside, a.space("Read", a.home+"/other/file"), "beside the repository")
	assert.Equal(t, v1.SpaceOutside, a.space("Read", a.top+"/out/file"), "a link that leads out")

	for line, want := range map[string]string{
		"ls ..":                        "command:list.repository",
		"cat ../README.md":             "command:read.repository",
		"cd .. && ls":                  "command: command:list.repository",
		"rm ../README.md":              "command:list.project+delete.outside path:delete.outside",
		"echo x > ../README.md":        "command:write.outside path:write.outside",
		"cp ../README.md ../docs/b.md": "command:list.project+read.repository+write.outside path:write.outside",
	} {
		assert.Equal(t, want, touches(a.facts("Bash", map[string]any{"command": line})), line)
	}
	facts := a.facts("Read", map[string]any{"file_path": a.top + "/.env"})
	assert.True(t, has(facts.Paths[0].Class, "secret"), "secrets stay secrets")
	for _, line := range []string{"git status", "git diff", "git log -p", "git show HEAD:README.md", "git -C .. status", "git grep x"} {
		assert.True(t, a.trusted(line), line)
	}
}

func has(class v1.Form, name string) bool { _, ok := class.Get(name); return ok }

// TestRepositoryAroundTheProjectGivesNoSpace holds P6 and what a repository isn't: where git
// runs what it chooses, where others have a say, and where no session may work.
func TestRepositoryAroundTheProjectGivesNoSpace(t *testing.T) {
	configured := func(lines string) func(a *around) string {
		return func(a *around) string {
			path := a.top + "/.git/config"
			text, err := os.ReadFile(path)
			require.NoError(a.t, err)
			require.NoError(a.t, os.WriteFile(path, append(text, lines...), 0o600))
			return a.top + "/README.md"
		}
	}
	cases := map[string]struct {
		build func(a *around) (read string)
		git   string
		// readable is true if git alone is doubtful.
		readable bool
	}{
		"home": {func(a *around) string {
			require.NoError(a.t, os.RemoveAll(a.top+"/.git"))
			a.git(a.home, "init", "-q")
			a.top = a.home
			return a.home + "/other/file"
		}, "git status", false},
		"everybody writes there": {func(a *around) string {
			require.NoError(a.t, os.Chmod(a.top, 0o777))
			return a.top + "/README.md"
		}, "git status", false},
		"another's": {func(a *around) string {
			if os.Geteuid() != 0 {
				a.t.Skip("only the superuser gives files away")
			}
			require.NoError(a.t, os.Lchown(a.top+"/.git/config", 4711, -1))
			return a.top + "/README.md"
		}, "git status", false},
		"monitor":         {configured("[core]\n\tfsmonitor = ./x\n"), "git status", false},
		"pager":           {configured("[core]\n\tpager = ./x\n"), "git log", false},
		"diff program":    {configured("[diff]\n\texternal = ./x\n"), "git diff", true},
		"text conversion": {configured("[diff \"x\"]\n\ttextconv = ./x\n"), "git log -p", true},
		"filter":          {configured("[filter \"x\"]\n\tclean = ./x\n"), "git status", true},
		"include":         {configured("[include]\n\tpath = ../x\n"), "git status", false},
		"condition":       {configured("[includeIf \"gitdir:**\"]\n\tpath = ../x\n"), "git status", false},
		"alias":           {configured("[alias]\n\tzz = !./x\n"), "git zz", true},
		"hook": {func(a *around) string {
			require.NoError(a.t, os.WriteFile(a.top+"/.git/hooks/post-index-change", []byte("#!/bin/sh\n"), 0o755))
			return a.top + "/README.md"
		}, "git status", false},
		"bare repository planted above": {func(a *around) string {
			require.NoError(a.t, os.RemoveAll(a.top+"/.git"))
			a.git(a.home, "init", "-q", "--bare", a.top+"/src")
			a.launch("proj/src/deep")
			return a.top + "/src/description"
		}, "git status", false},
		"bare repository planted in the project": {func(a *around) string {
			a.git(a.home, "init", "-q", "--bare", a.project+"/planted")
			return a.home + "/other/file"
		}, "git -C planted log", false},
		"main work tree of a linked one": {func(a *around) string {
			a.git(a.top, "worktree", "add", "-q", a.home+"/trees/one")
			a.launch("trees/one/docs")
			return a.top + "/README.md"
		}, "git -C " + "../../../proj log", false},
		"another work tree inside": {func(a *around) string {
			a.git(a.top, "worktree", "add", "-q", a.top+"/trees/one")
			return a.top + "/trees/one/README.md"
		}, "git -C ../trees/one log", false},
		"repository inside": {func(a *around) string {
			a.git(a.top, "init", "-q", "inner")
			return a.top + "/inner/.git/HEAD"
		}, "git -C ../inner log", false},
		"gitfile that its target doesn't know": {func(a *around) string {
			require.NoError(a.t, os.Rename(a.top+"/.git", a.home+"/apart"))
			require.NoError(a.t, os.WriteFile(a.top+"/.git", []byte("gitdir: ../apart\n"), 0o600))
			a.git(a.home+"/apart", "config", "core.bare", "false")
			return a.top + "/README.md"
		}, "git status", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newAround(t)
			read := c.build(a)
			want := v1.SpaceOutside
			if c.readable {
				want = v1.SpaceRepository
			}
			assert.Equal(t, want, a.space("Read", read))
			assert.False(t, a.trusted(c.git), c.git)
		})
	}
}

// TestLinkedWorkTreeAroundTheProject holds that a launch below the top of a linked work tree
// reads that tree, whose configuration lies elsewhere.
func TestLinkedWorkTreeAroundTheProject(t *testing.T) {
	a := newAround(t)
	a.git(a.top, "worktree", "add", "-q", a.home+"/trees/one")
	a.launch("trees/one/docs")
	assert.Equal(t, v1.SpaceRepository, a.space("Read", a.home+"/trees/one/README.md"))
	assert.True(t, a.trusted("git log"))
	require.NoError(t, os.Chmod(filepath.Join(a.top, ".git"), 0o777))
	assert.False(t, a.trusted("git log"), "its configuration is anybody's")
}

// TestGrantLetsGitRead holds that git is judged by content under a grant that holds the whole repository.
func TestGrantLetsGitRead(t *testing.T) {
	a := newAround(t)
	a.launch("elsewhere/x")
	line := a.call("Bash", map[string]any{"command": "git -C " + a.top + " log"})
	for root, want := range map[string]bool{a.top: false, a.top + "/src": true} {
		facts := a.extractor.Extract(line, []v1.PathGrant{{Root: root, Mode: "read"}})
		assert.Equal(t, want, facts.Items[0].Caveats.Has("git_untrusted"), root)
	}
}
