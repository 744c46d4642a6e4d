package trust

import (
	"errors"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// Query names the git command to judge.
type Query struct {
	// Dir is the directory that git would run in: absolute, cleaned, with every
	// symbolic link resolved.
	Dir string
	// Subcommand is the verb chain without "git": "status", "stash list". One
	// that the table does not know counts as running everything.
	Subcommand string
	// TrustedRoots are the real paths of the project and session directories.
	// A repository whose work tree lies in none of them is judged by its content as
	// well, but only if nobody except the owner of Home can change it.
	TrustedRoots []string
	// Home is the person's home directory; empty when git will see none.
	Home string
	// XDGConfigHome is the value of XDG_CONFIG_HOME; empty means Home/.config.
	XDGConfigHome string
	// View maps paths to those of this process, for a git that runs elsewhere; nil if both see
	// the same disk. What the view can't show is not trusted. Verdicts that rest on a view are
	// never remembered.
	View object.View
	// Seen looks at the disk for the decision that the query is for, so that each path is
	// looked at once; nil if there is none. It doesn't outlive Inspect.
	Seen Seen
}

// Seen is what one decision sees of the disk: the first answer about a path counts
// to its end.
type Seen interface {
	// Look is what lies at a path, with follow where a link leads. What is missing
	// is an error for which stat.Missing is true.
	Look(path string, follow bool) (stat.Stamp, error)
}

// Verdict is the answer to a Query. Its zero value is not trusted.
type Verdict struct {
	// Trusted reports that the repository makes git run no program of its own
	// choice for the subcommand.
	Trusted bool
	// Reason is a stable code, and after ": " what it was found in.
	Reason string
	// Found reports whether git would find a repository.
	Found bool
	// Repository is where it lies, as far as it was read.
	object.Repository

	// Above reports that the work tree lies in none of the roots. Git reads all of it:
	// whether that is in scope is the caller's to judge.
	Above bool
	// Effects are what settings in force change of what git does.
	Effects Effects
	// Formats are the formats of commits that settings in force name.
	Formats syntax.PrettyFormats
	// Credentials are the names, in lower case, of settings in force that hold a
	// secret; "include" stands for files that were not read.
	Credentials []string
	// Files are absolute paths, unresolved, of what the repository's settings name for
	// git to read, and of links in place of its own files: git prints lines of theirs,
	// when it complains at least.
	Files []string
	// Hooks are the directories, unresolved, in which git looks for hooks.
	Hooks []string
}

// Code returns the stable part of the reason.
func (v Verdict) Code() string {
	code, _, _ := strings.Cut(v.Reason, ": ")
	return code
}

// Codes of Verdict.Reason. The first two are those of trusted verdicts.
const (
	CodeTrusted         = "trusted"
	CodeNoRepository    = "no_repository"
	CodeDirectory       = "directory_invalid"
	CodeUnreadable      = "unreadable"
	CodeAmbiguous       = "repository_ambiguous"
	CodeBare            = "bare_repository"
	CodeLinkedGitDir    = "git_dir_symlink"
	CodeGitfile         = "gitfile_invalid"
	CodeGitfileUnlinked = "gitfile_unlinked"
	CodeCommonDir       = "common_dir"
	CodeOutsideRoots    = "outside_roots"
	CodeOwner           = "owner"
	CodeWorkTree        = "work_tree"
	CodeConfigSyntax    = "config_syntax"
	CodeConfigInclude   = "config_include"
	CodeConfigKey       = "config_key"
	CodeHook            = "hook"
	CodeIndex           = "index_unknown"
	CodeSubmodule       = "submodule"
	CodeLimit           = "limit"
)

// refuse is why a repository is not trusted.
func refuse(code, detail string) error { return errors.New(code + ": " + detail) }
