package trust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const lfsConfig = "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n" +
	"\tprocess = git-lfs filter-process\n\trequired = true\n[lfs]\n\trepositoryformatversion = 0\n" +
	"[lfs \"https://example.org/a.git/info/lfs\"]\n\taccess = basic\n\tlocksverify = true\n"

func TestOrdinaryClonesAreTrusted(t *testing.T) {
	cases := []struct {
		name  string
		build func(s *sandbox) string
	}{
		{"fresh repository", func(s *sandbox) string { return s.Project }},
		{"below the top", func(s *sandbox) string { return filepath.Join(s.Project, "sub") }},
		{"clone with remotes", func(s *sandbox) string {
			origin := filepath.Join(s.Home, "origin")
			s.Commit(origin)
			require.NoError(s.TB, os.RemoveAll(s.Project))
			s.Git(s.Home, "clone", "-q", origin, s.Project)
			s.Git(s.Project, "remote", "add", "up", "git@example.org:a/b.git")
			s.Git(s.Project, "checkout", "-qb", "topic", "--track", "origin/main")
			return s.Project
		}},
		{"partial clone", func(s *sandbox) string {
			origin := filepath.Join(s.Home, "origin")
			s.Commit(origin)
			require.NoError(s.TB, os.RemoveAll(s.Project))
			s.Git(s.Home, "clone", "-q", "--filter=blob:none", "file://"+origin, s.Project)
			return s.Project
		}},
		{"hooks and filters of git-lfs", func(s *sandbox) string {
			for _, hook := range []string{"post-checkout", "post-commit", "post-merge", "pre-push"} {
				s.program(filepath.Join(s.Project, ".git", "hooks", hook))
			}
			return configure(lfsConfig)(s)
		}},
		{"hooks of husky", func(s *sandbox) string {
			s.program(filepath.Join(s.Project, ".husky", "_", "pre-commit"))
			return configure("[core]\n\thooksPath = .husky/_\n")(s)
		}},
		{"work tree beside the project's", func(s *sandbox) string {
			tree := filepath.Join(s.Project, "trees", "one")
			s.Git(s.Project, "worktree", "add", "-q", tree)
			return tree
		}},
		{"work tree with configuration of its own", func(s *sandbox) string {
			tree := filepath.Join(s.Project, "trees", "one")
			s.Git(s.Project, "worktree", "add", "-q", tree)
			s.Git(s.Project, "sparse-checkout", "init", "--cone", "--no-sparse-index")
			return tree
		}},
		{"work tree of a repository elsewhere", func(s *sandbox) string {
			other := filepath.Join(s.Home, "main")
			s.Commit(other)
			tree := filepath.Join(s.Project, "tree")
			s.Git(other, "worktree", "add", "-q", tree)
			return tree
		}},
		{"parent of a submodule", func(s *sandbox) string { s.submodule(); return s.Project }},
		{"inside a submodule", func(s *sandbox) string {
			s.submodule()
			return filepath.Join(s.Project, "lib", "sub")
		}},
		{"submodule that was not fetched", func(s *sandbox) string {
			s.submodule()
			s.Git(s.Project, "submodule", "--quiet", "deinit", "-f", "lib")
			return s.Project
		}},
		{"settings of the person", func(s *sandbox) string {
			s.Append(filepath.Join(s.Home, ".gitconfig"), "[core]\n\teditor = vim\n\tpager = delta\n\tfsmonitor = "+s.script+
				"\n[credential]\n\thelper = store\n[include]\n\tpath = more\n[alias]\n\tst = status\n\tx = !sh -c x\n[diff]\n\texternal = difft\n")
			return s.Project
		}},
		{"settings of the project", configure("[alias]\n\tst = status\n\tup = !git pull\n[core]\n\tautocrlf = input\n" +
			"\teditor = vim\n\tsshCommand = ssh -i key\n\tfsmonitor = true\n\tpager = less -FRX\n[user]\n\temail = a@b\n" +
			"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = gpg2\n[pull]\n\trebase = true\n[branch \"main\"]\n\tvscode-merge-base = origin/main\n" +
			"[credential]\n\thelper = store\n[maintenance]\n\tauto = false\n[gui]\n\twmstate = normal\n[svn-remote \"svn\"]\n\turl = https://a\n" +
			"[url \"https://a/\"]\n\tinsteadOf = b:\n[remote \"x\"]\n\turl = https://a/b\n\tgh-resolved = base\n")},
		{"object names of sha256", func(s *sandbox) string {
			require.NoError(s.TB, os.RemoveAll(s.Project))
			require.NoError(s.TB, os.MkdirAll(s.Project, 0o755))
			s.Git(s.Project, "init", "-q", "--object-format=sha256", ".")
			s.Write(filepath.Join(s.Project, "a"), "a")
			s.Git(s.Project, "add", ".")
			return s.Project
		}},
	}
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			dir := c.build(s)
			for _, verb := range []string{"status", "diff", "log", "show", "blame", "grep", "stash list", "branch", "remote", "rev-parse"} {
				verdict := s.inspect(dir, verb)
				assert.True(t, verdict.Trusted, "%s: %s", verb, verdict.Reason)
				below := s.inspectBelow(dir, verb)
				assert.True(t, below.Trusted, "launched in a subdirectory: %s: %s", verb, below.Reason)
			}
			verdict := s.inspect(dir, "status")
			top := s.Git(dir, "rev-parse", "--show-toplevel", "--absolute-git-dir")
			assert.Equal(t, top, verdict.Top+"\n"+verdict.GitDir+"\n")
			assert.Equal(t, c.name == "partial clone", verdict.Effects.Has(LazyFetch))
		})
	}
}

// A key counts only for what runs it: the real git shows that these don't.
func TestKeysOfOtherSubcommandsAreHarmless(t *testing.T) {
	cases := []struct {
		name    string
		verb    string
		command []string
		build   func(s *sandbox) string
	}{
		{"external diff in status", "status", []string{"status", "-vv"}, attributed("[diff]\n\texternal = SCRIPT\n", "-x")},
		{"external diff in blame", "blame", []string{"blame", "file.txt"}, attributed("[diff]\n\texternal = SCRIPT\n", "-x")},
		{"diff command in cat-file", "cat-file", []string{"cat-file", "--textconv", "HEAD:file.txt"}, attributed("[diff \"x\"]\n\tcommand = SCRIPT\n", "diff=x")},
		{"textconv in ls-files", "ls-files", []string{"ls-files", "-m"}, attributed("[diff \"x\"]\n\ttextconv = SCRIPT\n", "diff=x")},
		{"textconv in rev-parse", "rev-parse", []string{"rev-parse", "HEAD"}, attributed("[diff \"x\"]\n\ttextconv = SCRIPT\n", "diff=x")},
		{"clean filter in branch", "branch", []string{"branch", "-vv"}, attributed("[filter \"x\"]\n\tclean = SCRIPT\n", "filter=x")},
		{"clean filter in cherry", "cherry", []string{"cherry", "HEAD", "HEAD"}, attributed("[filter \"x\"]\n\tclean = SCRIPT\n", "filter=x")},
		{"signature program in diff", "diff", []string{"diff", "HEAD"}, signedCommit("[gpg]\n\tprogram = SCRIPT\n")},
		{"signature program in status", "status", []string{"status"}, signedCommit("[gpg]\n\tprogram = SCRIPT\n[log]\n\tshowSignature = true\n")},
		{"ssh command in log", "log", []string{"log", "-p"}, configure("[core]\n\tsshCommand = SCRIPT\n\teditor = SCRIPT\n\taskPass = SCRIPT\n")},
		{"alias that shadows nothing", "log", []string{"log"}, configure("[alias]\n\tlg = !SCRIPT\n\tstatus = !SCRIPT\n")},
		{"repository that is not tracked", "status", []string{"status", "-uall"}, func(s *sandbox) string {
			inner := filepath.Join(s.Project, "vendor", "lib")
			s.Commit(inner)
			s.Append(filepath.Join(inner, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.Project
		}},
		{"git directory that git passes by", "status", []string{"status"}, func(s *sandbox) string {
			dir := filepath.Join(s.Project, "pkg")
			s.Write(filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
			s.Write(filepath.Join(dir, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return dir
		}},
		{"hooks of commits", "status", []string{"status"}, func(s *sandbox) string {
			for _, hook := range []string{"pre-commit", "post-checkout", "reference-transaction", "pre-auto-gc"} {
				s.program(filepath.Join(s.Project, ".git", "hooks", hook))
			}
			return touched(s)
		}},
	}
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			dir := c.build(s)
			verdict := s.inspect(dir, c.verb)
			assert.True(t, verdict.Trusted, verdict.Reason)
			assert.False(t, s.marks(dir, c.command...))
		})
	}
}

func TestNotTrustedWithoutAnAttack(t *testing.T) {
	cases := []struct {
		name  string
		code  string
		verb  string
		build func(s *sandbox) string
	}{
		{"unknown key", CodeConfigKey, "status", configure("[hook \"x\"]\n\tcommand = x\n")},
		{"unknown key of core", CodeConfigKey, "status", configure("[core]\n\tnewThing = x\n")},
		{"pager", CodeConfigKey, "log", configure("[core]\n\tpager = ./page\n")},
		{"pager of a subcommand", CodeConfigKey, "log", configure("[pager]\n\tlog = ./page\n")},
		{"less that writes a log", CodeConfigKey, "log", configure("[core]\n\tpager = less -ofile\n")},
		{"alias of the verb itself", CodeConfigKey, "log", configure("[alias]\n\tLog = !x\n")},
		{"transport helper", CodeConfigKey, "fetch", configure("[remote \"x\"]\n\turl = ext::sh -c x\n")},
		{"editor for a verb that is no reader", CodeConfigKey, "commit", configure("[core]\n\teditor = x\n")},
		{"hook for a verb that is no reader", CodeHook, "commit", func(s *sandbox) string {
			s.program(filepath.Join(s.Project, ".git", "hooks", "pre-commit"))
			return s.Project
		}},
		{"bad line", CodeConfigSyntax, "status", configure("[core\n")},
		{"NUL byte", CodeConfigSyntax, "status", configure("[core]\n\tfsmonitor = true\x00x\n")},
		{"long configuration", CodeUnreadable, "status", func(s *sandbox) string {
			s.Write(filepath.Join(s.Project, ".git", "config"), string(make([]byte, maxConfigBytes+1)))
			return s.Project
		}},
		{"configuration that is a directory", CodeUnreadable, "status", func(s *sandbox) string {
			path := filepath.Join(s.Project, ".git", "config")
			require.NoError(s.TB, os.Remove(path))
			require.NoError(s.TB, os.Mkdir(path, 0o755))
			return s.Project
		}},
		{"work tree outside", CodeWorkTree, "status", func(s *sandbox) string {
			s.Git(s.Project, "config", "core.worktree", s.Home)
			return s.Project
		}},
		{"separate git directory", CodeGitfileUnlinked, "status", func(s *sandbox) string {
			dir := filepath.Join(s.Project, "pkg")
			s.Git(s.Project, "init", "-q", "--separate-git-dir="+filepath.Join(s.Project, "apart"), dir)
			return dir
		}},
		{"broken gitfile", CodeGitfile, "status", func(s *sandbox) string {
			dir := filepath.Join(s.Project, "pkg")
			s.Write(filepath.Join(dir, ".git"), "gitdir: nowhere\n")
			return dir
		}},
		{"work tree that names another", CodeGitfileUnlinked, "status", func(s *sandbox) string {
			s.Git(s.Project, "worktree", "add", "-q", filepath.Join(s.Project, "tree"))
			dir := filepath.Join(s.Project, "copy")
			s.Write(filepath.Join(dir, ".git"), "gitdir: "+filepath.Join(s.Project, ".git", "worktrees", "tree")+"\n")
			return dir
		}},
		{"submodule kept elsewhere", CodeSubmodule, "status", func(s *sandbox) string {
			s.submodule()
			apart := filepath.Join(s.Project, "apart")
			require.NoError(s.TB, os.Rename(filepath.Join(s.Project, ".git", "modules", "lib"), apart))
			s.Write(filepath.Join(s.Project, "lib", ".git"), "gitdir: "+apart+"\n")
			s.Git(s.Home, "config", "-f", filepath.Join(apart, "config"), "core.worktree", "../lib")
			return s.Project
		}},
		{"hook of a lazy fetch", CodeHook, "show", func(s *sandbox) string {
			s.Git(s.Project, "config", "remote.origin.promisor", "true")
			s.program(filepath.Join(s.Project, ".git", "hooks", "reference-transaction"))
			return s.Project
		}},
		{"split index", CodeIndex, "status", func(s *sandbox) string {
			s.Git(s.Project, "update-index", "--split-index")
			return s.Project
		}},
		{"damaged index", CodeIndex, "status", func(s *sandbox) string {
			s.Write(filepath.Join(s.Project, ".git", "index"), "DIRC")
			return s.Project
		}},
		{"directory that is not there", CodeDirectory, "status", func(s *sandbox) string {
			return filepath.Join(s.Project, "nowhere")
		}},
		{"relative directory", CodeDirectory, "status", func(*sandbox) string { return "." }},
	}
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			dir := c.build(s)
			verdict := s.inspect(dir, c.verb)
			assert.False(t, verdict.Trusted)
			assert.Equal(t, c.code, verdict.Code(), verdict.Reason)
			assert.False(t, s.inspectBelow(dir, c.verb).Trusted, "launched in a subdirectory")
		})
	}
}

func TestNoRepositoryIsTrusted(t *testing.T) {
	s := newSandbox(t)
	verdict := s.inspect(s.Project, "status")
	assert.Equal(t, Verdict{Trusted: true, Reason: CodeNoRepository}, verdict)
}

func TestZeroVerdictIsNotTrusted(t *testing.T) {
	assert.False(t, Verdict{}.Trusted)
}
