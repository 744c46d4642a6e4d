package git

import (
	"strings"

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
	// View says where this process finds what git would see, for a git that
	// runs elsewhere; nil where both see the same disk. What the view can't show
	// is not trusted. Verdicts that rest on a view are never remembered.
	View View
	// Seen looks at the disk for the decision that the query is for, so that nothing
	// is asked for twice; nil where there is none. It doesn't outlive Inspect.
	Seen Seen
}

// Seen is what one decision sees of the disk: the first answer about a path counts
// to its end.
type Seen interface {
	// Look is what lies at a path, with follow where a link leads. What is missing
	// is an error for which stat.Missing is true.
	Look(path string, follow bool) (stat.Stamp, error)
}

// View finds the files of another file system on this one.
type View interface {
	// Real is the real path of an existing path, by git's names.
	Real(path string) (string, error)
	// Disk is this process's path of a real path whose last segment may be a
	// link. An error means that it can't be seen here.
	Disk(real string) (string, error)
}

// Verdict is the answer to a Query. Its zero value is not trusted.
type Verdict struct {
	// Trusted reports that the repository makes git run no program of its own
	// choice for the subcommand.
	Trusted bool
	// Reason is a stable code, and after ": " what it was found in.
	Reason string
	// Repository reports whether git would find a repository.
	Repository bool
	// Top is the real root of the work tree; empty for a bare repository.
	Top string
	// GitDir and CommonDir are real paths; they differ in linked work trees.
	GitDir    string
	CommonDir string
	// Above reports that the work tree lies in none of the roots. Git reads all of it:
	// whether that is in scope is the caller's to judge.
	Above bool
	// LazyFetch reports a partial clone: reading a missing object makes git
	// fetch it from the network.
	LazyFetch bool
	// Credentials are the names, in lower case, of settings in force that hold a
	// secret; "include" stands for files that were not read.
	Credentials []string
	// Files are absolute paths, unresolved, of what the repository's settings name for
	// git to read, and of links in place of its own files: git prints lines of theirs,
	// when it complains at least.
	Files []string
	// Hooks are the directories, unresolved, in which git looks for hooks.
	Hooks []string
	// ForeignObjects reports that git reads objects that lie outside of the
	// roots: a hash may name one of another repository.
	ForeignObjects bool
	// MapsPushes reports settings in force that say where a push goes, or what more
	// it changes, and files of settings that were not read.
	MapsPushes bool

	// Recurses reports settings with which what prints contents goes on into a
	// submodule that is there, ShowsStash those with which `git stash show` prints any, and
	// ShowsUntracked those with which it prints files that no index ever named.
	Recurses, ShowsStash, ShowsUntracked bool
	// Follows reports settings with which `git log` of one file goes on with what that began
	// as a copy of.
	Follows bool
	// AltersNames reports settings with which git prints names in colors into a pipe, or
	// otherwise than they count from where it runs, or lines where options ask for none.
	AltersNames bool
	// AltersStatus reports settings with which a brief `git status` prints more lines than
	// those of names, or colors.
	AltersStatus bool

	objectSize int
	view       View
	// packed is what was read of packed-refs for one answer; no verdict that is handed out
	// has any.
	packed *packedRefs
	// packedNames are the names that stand there, once they were looked at.
	packedNames map[string]bool
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

// refusalError is why a repository is not trusted.
type refusalError struct {
	code   string
	detail string
}

func (r *refusalError) Error() string { return r.code + ": " + r.detail }

func refuse(code, detail string) error { return &refusalError{code: code, detail: detail} }
