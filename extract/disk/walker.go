package disk

import (
	"io/fs"
	"slices"
	"strings"

	"policyd/extract/paths"
	"policyd/extract/value"
)

// Spaces says where the session works.
type Spaces interface {
	// Outside reports whether what a path leads to lies in no space of the session.
	Outside(resolved *paths.Resolved) bool
	// OwnRoot is the session's own directory that holds a real path, "" for none.
	OwnRoot(real string) string
}

// Secrets says which files a walk looks for.
type Secrets interface {
	// SoughtClass is the path class that is looked for in the place of secrets, "" for secrets.
	SoughtClass() string
	SecretFile(real string) bool
	SecretDirectory(real string) bool
}

// Links says which files are secrets by another of their names.
type Links interface {
	// ReadsSecret reports whether what a path leads to is a secret by any of its names.
	ReadsSecret(resolved *paths.Resolved) bool
	// Double is the file of a directory's entry if it is a secret with more than one name, or nil.
	Double(full string, entry fs.DirEntry) fs.FileInfo
	// Doubles are the secrets that files in or below a directory may be other names of.
	Doubles(dir string) []fs.FileInfo
}

// Repositories says what the directories of git's repositories hold.
type Repositories interface {
	// SecretSettings reports whether a file of a repository's own holds a credential, and GitDirSecret
	// whether one in its directory does.
	SecretSettings(real string) bool
	GitDirSecret(dir string) bool
	// CommonDir is the directory of the repository whose linked work tree begins at dir, "" for none.
	CommonDir(dir string) string
}

// Walker says what a walk of a tree reaches. It belongs to one call.
type Walker struct {
	View    *View
	Spaces  Spaces
	Secrets Secrets
	Links   Links
	Repos   Repositories
	// Listed are the secrets by name.
	Listed *paths.Secrets
	// FileTypes are the globs of ripgrep's types of files.
	FileTypes map[string][]string
	// RulesChange is true if the call changes files of ignore rules: what these leave out isn't known.
	RulesChange bool
	// walked are the trees that the call has looked at so far: a line that names one in each of
	// its commands has it walked once.
	walked []walkedTree
}

type walkedTree struct {
	Tree
	sought string
	answer string
}

// Reach says what reading everything below a directory reaches. Each name that becomes a word is
// given to found, unless that is nil.
func (w *Walker) Reach(t Tree, found Found) string {
	if !t.FromStream {
		t.Named, t.Base = "", ""
	}
	if w.RulesChange {
		t.Ignoring, t.SkipHidden = false, false
	}
	if found != nil {
		return w.walkTree(&t, found) // for each command anew
	}
	for i := range w.walked {
		if known := &w.walked[i]; known.sought == w.Secrets.SoughtClass() && known.same(&t) {
			return known.answer
		}
	}
	answer := w.walkTree(&t, nil)
	w.walked = append(w.walked, walkedTree{Tree: t, sought: w.Secrets.SoughtClass(), answer: answer})
	return answer
}

func (t *Tree) same(other *Tree) bool {
	return t.Root == other.Root && t.Named == other.Named && t.Base == other.Base && t.Spelled == other.Spelled &&
		t.Listing == other.Listing && t.Links == other.Links && t.Names == other.Names && t.Equal(&other.Walk)
}

// SettingsFile says what reading a file reaches that need not be there.
func (w *Walker) SettingsFile(full string) string {
	resolved, err := w.View.Resolve(full)
	switch {
	case err != nil:
		return ReachesUnknown
	case !resolved.Exists:
		return ReachesNone
	case w.Links.ReadsSecret(&resolved):
		return ReachesSecret
	case len(resolved.Links) > 0 && w.Spaces.Outside(&resolved):
		return ReachesOutside
	}
	return ReachesNone
}

func (w *Walker) walkTree(t *Tree, found Found) string {
	if w.View.Resolver.Map.Crosses(t.Root) {
		return ReachesUnknown // what is mounted below doesn't lie where the sidecar would walk
	}
	r := reader{walker: w, Tree: t.certain(), left: MaxReached, found: found}
	if !r.Listing {
		r.doubles = w.Links.Doubles(t.Root)
	}
	rules := ignores{void: true}
	if r.Ignoring {
		rules = w.ignoresAbove(t.Root)
	}
	seen := r.walk(t.Root, rules, w.hidingAbove(t.Root, &t.Walk))
	if r.answer == ReachesNone && !seen {
		return ReachesUnknown
	}
	return r.answer
}

// linked says what following a symbolic link in a tree reaches. A link to a
// directory is not walked: what lies below it is then not known.
func (w *Walker) linked(full string) string {
	resolved, err := w.View.Resolve(full)
	switch {
	case err != nil:
		return ReachesUnknown
	case w.Spaces.Outside(&resolved):
		return ReachesOutside
	case w.Links.ReadsSecret(&resolved):
		return ReachesSecret
	case resolved.Dir || resolved.Unseen:
		return ReachesUnknown
	}
	return ReachesNone
}

// LinksRead says what a tool reads by symbolic links.
type LinksRead uint8

// With LinkedFiles files are read by links whose names are read, and with LinkedDirectories directories are entered,
// too, by links of any name.
const (
	LinksAsWalked LinksRead = iota
	LinkedFiles
	LinkedDirectories
)

// Tree is a walk over what lies below a directory.
type Tree struct {
	Root string
	// Named is what the names below begin with as words of a command, base what these count from.
	Named, Base string
	// Spelled is what the paths below begin with where an Include is matched against them.
	Spelled string
	value.Walk
	value.Names
	// Links says what symbolic links do beside what Walk says, for a tool that leaves no directory out.
	Links LinksRead
	// Listing is true when nothing but names and metadata is looked at.
	Listing bool
}

// certain drops what tools read differently. Of an include and an exclude the
// last match wins, and which that is was not kept: what is left out then counts
// as read, as far as an include names it.
func (t Tree) certain() Tree {
	including := len(t.Include) > 0 // whatever they are, what they include is read though rules ignore it
	t.Exclude = slices.DeleteFunc(slices.Clone(t.Exclude), func(glob string) bool { return !PlainGlob(glob) })
	t.ExcludeDir = slices.DeleteFunc(slices.Clone(t.ExcludeDir), func(glob string) bool { return !PlainGlob(glob) })
	if slices.ContainsFunc(t.Include, func(glob string) bool { return !PlainGlob(glob) }) {
		t.Include, t.Exclude = nil, nil
	}
	if len(t.Include) > 0 {
		t.Exclude = nil
	}
	t.Ignoring = t.Ignoring && (t.Untracked || !t.FromStream && !t.Follow) && !including
	return t
}

func (t *Tree) reads(name string) bool {
	// Some tools fold case: an include may match more than it says.
	if len(t.Include) > 0 && !MatchAny(t.Include, name) && !MatchAny(t.Include, strings.ToLower(name)) {
		return false
	}
	return !LeavesOut(t.Exclude, name)
}

// readsAcross reports whether an include matches a path, or from any segment of it on, as
// fnmatch(3) does without a flag, and git's pathspecs: "c*" is conf/key.pem as well.
func (t *Tree) readsAcross(below string) bool {
	if !t.Across {
		return false
	}
	for name := t.Spelled + strings.TrimLeft(below, "/"); ; {
		first, rest, more := strings.Cut(name, "/")
		if MatchAny(t.Include, first) || MatchAny(t.Include, strings.ReplaceAll(name, "/", "\x01")) {
			return true
		}
		if !more {
			return false
		}
		name = rest
	}
}

func (t *Tree) enters(name string) bool { return !LeavesOut(t.ExcludeDir, name) }
