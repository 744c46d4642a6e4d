package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attack is a repository that makes git run the marker script.
type attack struct {
	name    string
	code    string
	verb    string // what Inspect is asked
	command []string
	// build prepares s.Project, which has one commit, and returns where to run.
	build func(s *sandbox) string
}

func configure(text string) func(*sandbox) string {
	return func(s *sandbox) string {
		s.Append(filepath.Join(s.Project, ".git", "config"), strings.ReplaceAll(text, "SCRIPT", s.script))
		return s.Project
	}
}

// attributed also names a driver for every file, and changes one.
func attributed(config, attribute string) func(*sandbox) string {
	return func(s *sandbox) string {
		s.Write(filepath.Join(s.Project, ".gitattributes"), "*.txt "+attribute+"\n")
		s.Write(filepath.Join(s.Project, "file.txt"), "two\n")
		return configure(config)(s)
	}
}

func attacks() []attack {
	monitor := "[core]\n\tfsmonitor = SCRIPT\n"
	external := "[diff]\n\texternal = SCRIPT\n"
	textconv := "[diff \"x\"]\n\ttextconv = SCRIPT\n"
	clean := "[filter \"x\"]\n\tclean = SCRIPT\n"
	list := []attack{
		{"fsmonitor", CodeConfigKey, "status", []string{"status"}, configure(monitor)},
		{"fsmonitor in diff", CodeConfigKey, "diff", []string{"diff"}, configure(monitor)},
		{"fsmonitor on the section's line", CodeConfigKey, "status", []string{"status"}, configure("[core] FSMonitor = \"SCRIPT\"\n")},
		{"external diff", CodeConfigKey, "diff", []string{"diff"}, attributed(external, "-x")},
		{"external diff from log", CodeConfigKey, "log", []string{"log", "-p", "--ext-diff"}, configure(external)},
		{"diff command of a driver", CodeConfigKey, "diff", []string{"diff"}, attributed("[diff \"x\"]\n\tcommand = SCRIPT\n", "diff=x")},
		{"textconv in diff", CodeConfigKey, "diff", []string{"diff"}, attributed(textconv, "diff=x")},
		{"textconv in log", CodeConfigKey, "log", []string{"log", "-p"}, attributed(textconv, "diff=x")},
		{"textconv in show", CodeConfigKey, "show", []string{"show"}, attributed(textconv, "diff=x")},
		{"textconv in blame", CodeConfigKey, "blame", []string{"blame", "file.txt"}, attributed(textconv, "diff=x")},
		{"textconv in grep", CodeConfigKey, "grep", []string{"grep", "--textconv", "one"}, attributed(textconv, "diff=x")},
		{"textconv in a verbose status", CodeConfigKey, "status", []string{"status", "-vv"}, attributed(textconv, "diff=x")},
		{"textconv in cat-file", CodeConfigKey, "cat-file", []string{"cat-file", "--textconv", "HEAD:file.txt"}, attributed(textconv, "diff=x")},
		{"textconv in stash show", CodeConfigKey, "stash show", []string{"stash", "show", "-p", "--textconv"}, func(s *sandbox) string {
			s.Write(filepath.Join(s.Project, "file.txt"), "two\n")
			s.Git(s.Project, "stash", "-q")
			return attributed(textconv, "diff=x")(s)
		}},
		{"clean filter in status", CodeConfigKey, "status", []string{"status"}, attributed(clean, "filter=x")},
		{"clean filter in diff", CodeConfigKey, "diff", []string{"diff"}, attributed(clean, "filter=x")},
		{"clean filter in ls-files", CodeConfigKey, "ls-files", []string{"ls-files", "-m"}, attributed(clean, "filter=x")},
		{"clean filter in blame", CodeConfigKey, "blame", []string{"blame", "file.txt"}, attributed(clean, "filter=x")},
		{"filter process", CodeConfigKey, "status", []string{"status"}, attributed("[filter \"x\"]\n\tprocess = SCRIPT\n", "filter=x")},
		{"smudge filter in cat-file", CodeConfigKey, "cat-file", []string{"cat-file", "--filters", "HEAD:file.txt"}, attributed("[filter \"x\"]\n\tsmudge = SCRIPT\n", "filter=x")},
		{"lfs filter with more behind it", CodeConfigKey, "status", []string{"status"}, attributed("[filter \"x\"]\n\tclean = \"git-lfs clean -- %f; SCRIPT\"\n", "filter=x")},
		{"merge driver in remerge-diff", CodeConfigKey, "log", []string{"log", "-p", "--remerge-diff"}, mergeDriver},
		{"signature program", CodeConfigKey, "log", []string{"log"}, signedCommit("[gpg]\n\tprogram = SCRIPT\n[log]\n\tshowSignature = true\n")},
		{"signature program of a format", CodeConfigKey, "log", []string{"log", "--format=%G?"}, signedCommit("[gpg \"openpgp\"]\n\tprogram = SCRIPT\n")},
		{"alternate references", CodeConfigKey, "log", []string{"log", "--alternate-refs"}, alternateRefs},
		{"included file", CodeConfigInclude, "status", []string{"status"}, included("[include]\n\tpath = PATH\n")},
		{"file included on a condition", CodeConfigInclude, "status", []string{"status"}, included("[includeIf \"gitdir:**\"]\n\tpath = PATH\n")},
		{"alias of an unknown verb", CodeConfigKey, "zz", []string{"zz"}, configure("[alias]\n\tzz = !SCRIPT\n")},
		{"work tree configuration", CodeConfigKey, "status", []string{"status"}, func(s *sandbox) string {
			s.Git(s.Project, "config", "extensions.worktreeConfig", "true")
			s.Write(filepath.Join(s.Project, ".git", "config.worktree"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return s.Project
		}},
		{"index hook", CodeHook, "status", []string{"status"}, func(s *sandbox) string {
			s.program(filepath.Join(s.Project, ".git", "hooks", "post-index-change"))
			return touched(s)
		}},
		{"index hook in diff", CodeHook, "diff", []string{"diff"}, func(s *sandbox) string {
			s.program(filepath.Join(s.Project, ".git", "hooks", "post-index-change"))
			return touched(s)
		}},
		{"index hook in another directory", CodeHook, "status", []string{"status"}, func(s *sandbox) string {
			s.program(filepath.Join(s.Project, "tools", "post-index-change"))
			configure("[core]\n\thooksPath = tools\n")(s)
			return touched(s)
		}},
		{"index hook by the person's relative hooks path", CodeHook, "status", []string{"status"}, func(s *sandbox) string {
			s.program(filepath.Join(s.Project, ".hooks", "post-index-change"))
			s.Append(filepath.Join(s.Home, ".gitconfig"), "[core]\n\thooksPath = .hooks\n")
			return touched(s)
		}},
		{"index hook by a hooks path in an included file", CodeHook, "status", []string{"status"}, func(s *sandbox) string {
			s.program(filepath.Join(s.Project, ".hooks", "post-index-change"))
			s.Append(filepath.Join(s.Home, ".gitconfig"), "[includeIf \"gitdir:"+s.Project+"/\"]\n\tpath = work/config\n")
			s.Write(filepath.Join(s.Home, "work", "config"), "[include]\n\tpath = more\n")
			s.Write(filepath.Join(s.Home, "work", "more"), "[core]\n\thooksPath = .hooks\n")
			return touched(s)
		}},
		{"a file of the project that the person's settings include", CodeConfigKey, "status", []string{"status"}, func(s *sandbox) string {
			s.Append(filepath.Join(s.Home, ".gitconfig"), "[include]\n\tpath = "+s.Project+"/gitconfig\n")
			s.Write(filepath.Join(s.Project, "gitconfig"), "[core]\n\tfsmonitor = "+s.script+"\n")
			return touched(s)
		}},
		{"the person's monitor in the project", CodeConfigKey, "status", []string{"status"}, personal("[core]\n\tfsmonitor = tools/run.sh\n")},
		{"the person's filter in the project", CodeConfigKey, "status", []string{"status"}, personal("[filter \"x\"]\n\tclean = sh tools/run.sh\n")},
		{"the person's diff program in the project", CodeConfigKey, "diff", []string{"diff"}, personal("[diff]\n\texternal = './tools/run.sh'\n")},
	}
	return append(list, layoutAttacks()...)
}

// personal adds settings of the person that run tools/run.sh of the project.
func personal(config string) func(*sandbox) string {
	return func(s *sandbox) string {
		s.program(filepath.Join(s.Project, "tools", "run.sh"))
		s.Write(filepath.Join(s.Project, ".gitattributes"), "*.txt filter=x\n")
		s.Write(filepath.Join(s.Project, "file.txt"), "two\n")
		s.Append(filepath.Join(s.Home, ".gitconfig"), config)
		return touched(s)
	}
}

// touched makes the index stale, so that status and diff write it again.
func touched(s *sandbox) string {
	old := time.Unix(1e9, 0)
	require.NoError(s.TB, os.Chtimes(filepath.Join(s.Project, "file.txt"), old, old))
	return s.Project
}

func included(config string) func(*sandbox) string {
	return func(s *sandbox) string {
		evil := filepath.Join(s.Project, "evil.inc")
		s.Write(evil, "[core]\n\tfsmonitor = "+s.script+"\n")
		return configure(strings.ReplaceAll(config, "PATH", evil))(s)
	}
}

func signedCommit(config string) func(*sandbox) string {
	return func(s *sandbox) string {
		commit := s.Git(s.Project, "cat-file", "commit", "HEAD")
		head, body, _ := strings.Cut(commit, "\n\n")
		file := filepath.Join(s.Home, "commit")
		s.Write(file, head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\n"+body)
		id := strings.TrimSpace(s.Git(s.Project, "hash-object", "-t", "commit", "-w", file))
		s.Git(s.Project, "update-ref", "HEAD", id)
		return configure(config)(s)
	}
}

func mergeDriver(s *sandbox) string {
	s.Write(filepath.Join(s.Project, ".gitattributes"), "*.txt merge=x\n")
	s.Git(s.Project, "checkout", "-qb", "other")
	s.Write(filepath.Join(s.Project, "file.txt"), "theirs\n")
	s.Git(s.Project, "commit", "-qam", "theirs")
	s.Git(s.Project, "checkout", "-q", "main")
	s.Write(filepath.Join(s.Project, "file.txt"), "ours\n")
	s.Git(s.Project, "commit", "-qam", "ours")
	s.Git(s.Project, "merge", "-q", "-X", "ours", "other")
	return configure("[merge \"x\"]\n\tdriver = SCRIPT %A\n")(s)
}

func alternateRefs(s *sandbox) string {
	other := filepath.Join(s.Home, "other")
	s.Commit(other)
	s.Write(filepath.Join(s.Project, ".git", "objects", "info", "alternates"), filepath.Join(other, ".git", "objects")+"\n")
	return configure("[core]\n\talternateRefsCommand = SCRIPT\n")(s)
}

func TestRealGitRunsTheProgramAndInspectRefuses(t *testing.T) {
	list := attacks()
	require.NotEmpty(t, list)
	for _, attack := range list {
		t.Run(attack.name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			dir := attack.build(s)
			// Asked first: the run itself can repair what was stale.
			verdict := s.inspect(dir, attack.verb)
			assert.Equal(t, attack.code, verdict.Code(), verdict.Reason)
			assert.False(t, verdict.Trusted)
			assert.False(t, s.inspectBelow(dir, attack.verb).Trusted, "launched in a subdirectory")
			assert.True(t, s.marks(dir, attack.command...), "the real git ran nothing: no attack")
		})
	}
}
