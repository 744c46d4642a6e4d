package git

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
			return s.shape(filepath.Join(s.project, "sub", "shaped"))
		}},
		{"inside a bare directory below the project", CodeBare, "status", status, func(s *sandbox) string {
			dir := filepath.Join(s.shape(filepath.Join(s.project, "shaped")), "work")
			require.NoError(s.t, os.MkdirAll(dir, 0o755))
			return dir
		}},
		{"gitfile to a directory in the workspace", CodeConfigKey, "status", status, func(s *sandbox) string {
			evil := s.evilGitDir("")
			dir := filepath.Join(s.project, "pkg")
			s.write(filepath.Join(dir, ".git"), "gitdir: "+evil+"\n")
			return dir
		}},
		{"gitfile to a directory that names it", CodeConfigKey, "status", status, func(s *sandbox) string {
			dir := filepath.Join(s.project, "pkg")
			s.write(filepath.Join(dir, ".git"), "gitdir: ../evil.git\n")
			s.evilGitDir(dir)
			return dir
		}},
		{"git directory by a symbolic link", CodeLinkedGitDir, "status", status, func(s *sandbox) string {
			evil := s.evilGitDir("")
			dir := filepath.Join(s.project, "pkg")
			require.NoError(s.t, os.MkdirAll(dir, 0o755))
			require.NoError(s.t, os.Symlink(evil, filepath.Join(dir, ".git")))
			return dir
		}},
		{"common directory of a work tree swapped", CodeCommonDir, "status", status, func(s *sandbox) string {
			tree := filepath.Join(s.project, "tree")
			s.git(s.project, "worktree", "add", "-q", tree)
			evil := s.evilGitDir("")
			s.git(s.project, "push", "-q", evil, "main:refs/heads/tree")
			s.write(filepath.Join(s.project, ".git", "worktrees", "tree", "commondir"), evil+"\n")
			return tree
		}},
		{"common directory in the git directory", CodeCommonDir, "status", status, func(s *sandbox) string {
			s.write(filepath.Join(s.project, ".git", "commondir"), s.evilGitDir("")+"\n")
			return s.project
		}},
		{"work tree below a nested repository", CodeConfigKey, "status", status, func(s *sandbox) string {
			inner := filepath.Join(s.project, "vendor", "lib")
			s.commit(inner)
			s.appendTo(filepath.Join(inner, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return filepath.Join(inner, "sub")
		}},
		{"submodule kept by its parent", CodeConfigKey, "status", status, func(s *sandbox) string {
			s.submodule()
			s.appendTo(filepath.Join(s.project, ".git", "modules", "lib", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.project
		}},
		{"submodule with a hook, in diff", CodeHook, "diff", []string{"diff"}, func(s *sandbox) string {
			s.submodule()
			s.program(filepath.Join(s.project, ".git", "modules", "lib", "hooks", "post-index-change"))
			old := time.Unix(1e9, 0)
			require.NoError(s.t, os.Chtimes(filepath.Join(s.project, "lib", "file.txt"), old, old))
			return s.project
		}},
		{"embedded repository in the index", CodeConfigKey, "status", status, func(s *sandbox) string {
			inner := filepath.Join(s.project, "lib")
			s.commit(inner)
			s.git(s.project, "add", "lib")
			s.appendTo(filepath.Join(inner, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.project
		}},
		{"submodule of a submodule", CodeConfigKey, "status", status, func(s *sandbox) string {
			outer := filepath.Join(s.project, "outer")
			s.commit(outer)
			inner := filepath.Join(outer, "inner")
			s.commit(inner)
			s.git(outer, "add", "inner")
			s.git(outer, "commit", "-qm", "inner")
			s.git(s.project, "add", "outer")
			s.appendTo(filepath.Join(inner, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.project
		}},
		{"an unsearchable git directory is passed by", CodeAmbiguous, "status", status, func(s *sandbox) string {
			s.appendTo(filepath.Join(s.project, ".git", "config"), "[core]\n\tfsmonitor = "+s.script+"\n")
			inner := filepath.Join(s.project, "lib")
			s.commit(inner)
			require.NoError(s.t, os.RemoveAll(filepath.Join(inner, ".git", "objects")))
			s.write(filepath.Join(inner, ".git", "objects"), "not a directory")
			return inner
		}},
		{"person's configuration in the workspace", CodeConfigKey, "status", status, func(s *sandbox) string {
			inside := filepath.Join(s.project, "dotfiles", "gitconfig")
			s.write(inside, "[core]\n\tfsmonitor = "+s.script+"\n")
			require.NoError(s.t, os.Remove(filepath.Join(s.home, ".gitconfig")))
			require.NoError(s.t, os.Symlink(inside, filepath.Join(s.home, ".gitconfig")))
			return s.project
		}},
		{"configuration of a lazy fetch", CodeConfigKey, "show", []string{"show", "HEAD:file.txt"}, func(s *sandbox) string {
			origin := filepath.Join(s.home, "origin")
			s.commit(origin)
			s.git(origin, "config", "uploadpack.allowFilter", "true")
			require.NoError(s.t, os.RemoveAll(s.project))
			s.git(s.home, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+origin, s.project)
			s.git(s.project, "config", "remote.origin.uploadpack", s.script)
			return s.project
		}},
	}
}

// shape makes dir a bare repository by files alone, as a file tool could.
func (s *sandbox) shape(dir string) string {
	s.t.Helper()
	for _, name := range []string{"objects", "refs"} {
		require.NoError(s.t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	s.write(filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
	s.write(filepath.Join(dir, "config"),
		"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "+s.script+"\n")
	return dir
}

func (s *sandbox) evilGitDir(workTree string) string {
	s.t.Helper()
	evil := filepath.Join(s.project, "evil.git")
	s.git(s.project, "init", "-q", "--bare", evil)
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = " + s.script + "\n"
	if workTree != "" {
		config += "\tworktree = " + workTree + "\n"
	}
	s.write(filepath.Join(evil, "config"), config)
	return evil
}

// submodule adds a clean submodule to the project, in lib.
func (s *sandbox) submodule() {
	s.t.Helper()
	origin := filepath.Join(s.home, "origin-lib")
	s.commit(origin)
	s.git(s.project, "submodule", "--quiet", "add", origin, "lib")
	s.git(s.project, "commit", "-qm", "submodule")
}
