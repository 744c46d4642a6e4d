package trust

import (
	"os"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/require"
)

// layoutAttacks lead git to a repository that is not the project's own.
func layoutAttacks() []attack {
	status := []string{"status"}
	return []attack{
		{"bare directory below the project", CodeBare, "status", status, func(s *sandbox) string {
			return s.shape(filepath.Join(s.Project, "sub", "shaped"))
		}},
		{"inside a bare directory below the project", CodeBare, "status", status, func(s *sandbox) string {
			dir := filepath.Join(s.shape(filepath.Join(s.Project, "shaped")), "work")
			require.NoError(s.TB, os.MkdirAll(dir, 0o755))
			return dir
		}},
		{"gitfile to a directory in the workspace", CodeConfigKey, "status", status, func(s *sandbox) string {
			evil := s.evilGitDir("")
			dir := filepath.Join(s.Project, "pkg")
			s.Write(filepath.Join(dir, ".git"), "gitdir: "+evil+"\n")
			return dir
		}},
		{"gitfile to a directory that names it", CodeConfigKey, "status", status, func(s *sandbox) string {
			dir := filepath.Join(s.Project, "pkg")
			s.Write(filepath.Join(dir, ".git"), "gitdir: ../evil.git\n")
			s.evilGitDir(dir)
			return dir
		}},
		{"git directory by a symbolic link", CodeLinkedGitDir, "status", status, func(s *sandbox) string {
			evil := s.evilGitDir("")
			dir := filepath.Join(s.Project, "pkg")
			require.NoError(s.TB, os.MkdirAll(dir, 0o755))
			require.NoError(s.TB, os.Symlink(evil, filepath.Join(dir, ".git")))
			return dir
		}},
		{"common directory of a work tree swapped", CodeCommonDir, "status", status, func(s *sandbox) string {
			tree := filepath.Join(s.Project, "tree")
			s.Git(s.Project, "worktree", "add", "-q", tree)
			evil := s.evilGitDir("")
			s.Git(s.Project, "push", "-q", evil, "main:refs/heads/tree")
			s.Write(filepath.Join(s.Project, ".git", "worktrees", "tree", "commondir"), evil+"\n")
			return tree
		}},
		{"common directory in the git directory", CodeCommonDir, "status", status, func(s *sandbox) string {
			s.Write(filepath.Join(s.Project, ".git", "commondir"), s.evilGitDir("")+"\n")
			return s.Project
		}},
		{"work tree below a nested repository", CodeConfigKey, "status", status, func(s *sandbox) string {
			inner := filepath.Join(s.Project, "vendor", "lib")
			s.Commit(inner)
			s.Append(filepath.Join(inner, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return filepath.Join(inner, "sub")
		}},
		{"submodule kept by its parent", CodeConfigKey, "status", status, func(s *sandbox) string {
			s.submodule()
			s.Append(filepath.Join(s.Project, ".git", "modules", "lib", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.Project
		}},
		{"submodule with a hook, in diff", CodeHook, "diff", []string{"diff"}, func(s *sandbox) string {
			s.submodule()
			s.program(filepath.Join(s.Project, ".git", "modules", "lib", "hooks", "post-index-change"))
			old := time.Unix(1e9, 0)
			require.NoError(s.TB, os.Chtimes(filepath.Join(s.Project, "lib", "file.txt"), old, old))
			return s.Project
		}},
		{"embedded repository in the index", CodeConfigKey, "status", status, func(s *sandbox) string {
			inner := filepath.Join(s.Project, "lib")
			s.Commit(inner)
			s.Git(s.Project, "add", "lib")
			s.Append(filepath.Join(inner, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.Project
		}},
		{"submodule of a submodule", CodeConfigKey, "status", status, func(s *sandbox) string {
			outer := filepath.Join(s.Project, "outer")
			s.Commit(outer)
			inner := filepath.Join(outer, "inner")
			s.Commit(inner)
			s.Git(outer, "add", "inner")
			s.Git(outer, "commit", "-qm", "inner")
			s.Git(s.Project, "add", "outer")
			s.Append(filepath.Join(inner, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.Project
		}},
		{"an unsearchable git directory is passed by", CodeAmbiguous, "status", status, func(s *sandbox) string {
			s.Append(filepath.Join(s.Project, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			inner := filepath.Join(s.Project, "lib")
			s.Commit(inner)
			require.NoError(s.TB, os.RemoveAll(filepath.Join(inner, ".git", "objects")))
			s.Write(filepath.Join(inner, ".git", "objects"), "not a directory")
			return inner
		}},
		{"person's configuration in the workspace", CodeConfigKey, "status", status, func(s *sandbox) string {
			inside := filepath.Join(s.Project, "dotfiles", "gitconfig")
			s.Write(inside, "[core]\n\tfsmonitor = "+s.script+"\n")
			require.NoError(s.TB, os.Remove(filepath.Join(s.Home, ".gitconfig")))
			require.NoError(s.TB, os.Symlink(inside, filepath.Join(s.Home, ".gitconfig")))
			return s.Project
		}},
		{"configuration of a lazy fetch", CodeConfigKey, "show", []string{"show", "HEAD:file.txt"}, func(s *sandbox) string {
			origin := filepath.Join(s.Home, "origin")
			s.Commit(origin)
			s.Git(origin, "config", "uploadpack.allowFilter", "true")
			require.NoError(s.TB, os.RemoveAll(s.Project))
			s.Git(s.Home, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+origin, s.Project)
			s.Git(s.Project, "config", "remote.origin.uploadpack", s.script)
			return s.Project
		}},
	}
}

// shape makes dir a bare repository by files alone, as a file tool could.
func (s *sandbox) shape(dir string) string {
	s.TB.Helper()
	for _, name := range []string{"objects", "refs"} {
		require.NoError(s.TB, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	s.Write(filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
	s.Write(filepath.Join(dir, "config"),
		"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "+s.script+"\n")
	return dir
}

func (s *sandbox) evilGitDir(workTree string) string {
	s.TB.Helper()
	evil := filepath.Join(s.Project, "evil.git")
	s.Git(s.Project, "init", "-q", "--bare", evil)
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = " + s.script + "\n"
	if workTree != "" {
		config += "\tworktree = " + workTree + "\n"
	}
	s.Write(filepath.Join(evil, "config"), config)
	return evil
}

// submodule adds a clean submodule to the project, in lib.
func (s *sandbox) submodule() {
	s.TB.Helper()
	origin := filepath.Join(s.Home, "origin-lib")
	s.Commit(origin)
	s.Git(s.Project, "submodule", "--quiet", "add", origin, "lib")
	s.Git(s.Project, "commit", "-qm", "submodule")
}
