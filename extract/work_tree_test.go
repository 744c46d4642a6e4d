package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract"
)

// repositories are a repository with a linked work tree, made by git, below one directory.
type repositories struct{ base, main, linked string }

func newRepositories(t *testing.T) repositories {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := repositories{base: base, main: base + "/main", linked: base + "/linked"}
	require.NoError(t, os.MkdirAll(r.main+"/tests", 0o755))
	require.NoError(t, os.WriteFile(r.main+"/tests/a.txt", []byte("a\n"), 0o600))
	r.git(t, r.main, "init", "-q", "-b", "main")
	r.git(t, r.main, "add", ".")
	r.git(t, r.main, "commit", "-q", "-m", "first")
	r.git(t, r.main, "worktree", "add", "-q", r.linked)
	return r
}

func (r repositories) git(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	command := exec.Command("git", arguments...)
	command.Dir = dir
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.base, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
}

// find is the main work tree of the repository whose work tree holds a directory, empty for none.
func find(t *testing.T, directory string) (top, main string) {
	t.Helper()
	base, err := extract.NewBase(extract.Options{Home: t.TempDir(), Platform: "linux"})
	require.NoError(t, err)
	extractor, err := base.With(policyData(t))
	require.NoError(t, err)
	found, ok := extractor.WorkTree(directory)
	if !ok {
		return "", ""
	}
	return found.Top, found.Main
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func TestWorkTreesThatGitMakes(t *testing.T) {
	r := newRepositories(t)
	for _, directory := range []string{r.linked, r.linked + "/tests", r.linked + "/tests/missing/deeper"} {
		top, main := find(t, directory)
		assert.Equal(t, []string{r.linked, r.main}, []string{top, main}, directory)
	}
	top, main := find(t, r.main+"/tests")
	assert.Equal(t, []string{r.main, r.main}, []string{top, main})
	top, _ = find(t, r.base)
	assert.Empty(t, top, "no repository")

	// Inside of another work tree, and with relative names.
	inner := r.main + "/.work/inner"
	r.git(t, r.main, "worktree", "add", "-q", "-b", "inner", inner)
	_, main = find(t, inner)
	assert.Equal(t, r.main, main)
	write(t, inner+"/.git", "gitdir: ../../.git/worktrees/inner\n")
	write(t, r.main+"/.git/worktrees/inner/gitdir", "../../../.work/inner/.git\n")
	_, main = find(t, inner)
	assert.Equal(t, r.main, main, "relative")

	// A repository in a work tree is one of its own.
	r.git(t, r.linked, "init", "-q", r.linked+"/vendor/x")
	top, main = find(t, r.linked+"/vendor/x/y")
	assert.Equal(t, []string{r.linked + "/vendor/x", r.linked + "/vendor/x"}, []string{top, main})
}

// TestNoWorkTreeByItsOwnWord holds that a directory that names a repository is no work tree of it unless
// the repository names it, too.
func TestNoWorkTreeByItsOwnWord(t *testing.T) {
	cases := map[string]func(t *testing.T, r repositories) string{
		"a copy of another's link": func(t *testing.T, r repositories) string {
			text, err := os.ReadFile(r.linked + "/.git")
			require.NoError(t, err)
			write(t, r.base+"/evil/.git", string(text))
			return r.base + "/evil"
		},
		"a new entry of its own": func(t *testing.T, r repositories) string {
			write(t, r.base+"/evil/.git", "gitdir: "+r.base+"/evil/store\n")
			write(t, r.base+"/evil/store/commondir", r.main+"/.git\n")
			write(t, r.base+"/evil/store/gitdir", r.base+"/evil/.git\n")
			return r.base + "/evil"
		},
		"an entry of its own, called as git does": func(t *testing.T, r repositories) string {
			write(t, r.base+"/evil/.git", "gitdir: "+r.base+"/evil/store/.git/worktrees/x\n")
			write(t, r.base+"/evil/store/.git/worktrees/x/commondir", r.main+"/.git\n")
			write(t, r.base+"/evil/store/.git/worktrees/x/gitdir", r.base+"/evil/.git\n")
			return r.base + "/evil"
		},
		"a registry that is a link": func(t *testing.T, r repositories) string {
			write(t, r.base+"/evil/.git", "gitdir: "+r.main+"/.git/worktrees/../../../evil/worktrees/x\n")
			write(t, r.base+"/evil/worktrees/x/commondir", r.main+"/.git\n")
			write(t, r.base+"/evil/worktrees/x/gitdir", r.base+"/evil/.git\n")
			return r.base + "/evil"
		},
		"a work tree that was moved": func(t *testing.T, r repositories) string {
			require.NoError(t, os.Rename(r.linked, r.base+"/moved"))
			return r.base + "/moved"
		},
		"a .git that is a link to another's": func(t *testing.T, r repositories) string {
			require.NoError(t, os.MkdirAll(r.base+"/evil", 0o755))
			require.NoError(t, os.Symlink(r.linked+"/.git", r.base+"/evil/.git"))
			return r.base + "/evil"
		},
		"a .git that is a link to the repository": func(t *testing.T, r repositories) string {
			require.NoError(t, os.MkdirAll(r.base+"/evil", 0o755))
			require.NoError(t, os.Symlink(r.main+"/.git", r.base+"/evil/.git"))
			return r.base + "/evil"
		},
		"the repository as it is": func(t *testing.T, r repositories) string {
			write(t, r.base+"/evil/.git", "gitdir: "+r.main+"/.git\n")
			return r.base + "/evil"
		},
		"a submodule": func(t *testing.T, r repositories) string {
			require.NoError(t, os.MkdirAll(r.main+"/.git/modules", 0o755))
			r.git(t, r.main, "init", "-q", "--separate-git-dir", r.main+"/.git/modules/sub", r.main+"/sub")
			return r.main + "/sub"
		},
		"another user's": func(t *testing.T, r repositories) string {
			if os.Geteuid() != 0 {
				t.Skip("skipped: only root can give files away")
			}
			require.NoError(t, os.Lchown(r.linked+"/.git", 4711, 4711))
			return r.linked
		},
		"two lines": func(t *testing.T, r repositories) string {
			text, err := os.ReadFile(r.linked + "/.git")
			require.NoError(t, err)
			write(t, r.linked+"/.git", string(text)+"gitdir: x\n")
			return r.linked
		},
		"a link that is too long": func(t *testing.T, r repositories) string {
			write(t, r.linked+"/.git", "gitdir: /"+string(make([]byte, 5000)))
			return r.linked
		},
		"a bare repository's": func(t *testing.T, r repositories) string {
			r.git(t, r.base, "clone", "-q", "--bare", r.main, r.base+"/bare.git")
			r.git(t, r.base+"/bare.git", "worktree", "add", "-q", "-b", "other", r.base+"/other")
			return r.base + "/other"
		},
		"a name through a link": func(t *testing.T, r repositories) string {
			require.NoError(t, os.Symlink(r.linked, r.base+"/link"))
			return r.base + "/link/../link2"
		},
		"a relative name": func(*testing.T, repositories) string { return "linked" },
	}
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRepositories(t)
			top, main := find(t, build(t, r))
			assert.Empty(t, top+main)
		})
	}
}
