package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/scope"
	"policyd/extract/value"
)

// trees says what a walk of a tree reaches.
type trees struct {
	view    *disk.View
	x       *Extractor
	scope   *scope.Scope
	classes *scope.Classifier
	links   *scope.HardLinks
	kept    *scope.GitKept
	repos   *scope.Repositories
	// walked are the trees that the call has looked at so far: a line that names one in each of
	// its commands has it walked once.
	walked []walkedTree
}

type walkedTree struct {
	treeWalk
	sought *lists.PathClass
	answer string
}

// tree says what reading everything below a directory reaches. Each name that becomes a word is
// given to found, unless that is nil.
func (w *trees) tree(t treeWalk, found foundName) string {
	if !t.FromStream {
		t.named, t.base = "", ""
	}
	if found != nil {
		return w.walkTree(&t, found) // for each command anew
	}
	for i := range w.walked {
		if known := &w.walked[i]; known.sought == w.classes.Sought && known.equal(&t) {
			return known.answer
		}
	}
	answer := w.walkTree(&t, nil)
	w.walked = append(w.walked, walkedTree{treeWalk: t, sought: w.classes.Sought, answer: answer})
	return answer
}

func (t *treeWalk) equal(other *treeWalk) bool {
	return t.root == other.root && t.named == other.named && t.base == other.base && t.spelled == other.spelled &&
		t.listing == other.listing && t.Names == other.Names && t.Equal(&other.Walk)
}

// settingsFile says what reading a file reaches that need not be there.
func (w *trees) settingsFile(full string) string {
	resolved, err := w.view.Resolve(full)
	switch {
	case err != nil:
		return disk.ReachesUnknown
	case !resolved.Exists:
		return disk.ReachesNone
	case w.links.ReadsSecret(&resolved):
		return disk.ReachesSecret
	case len(resolved.Links) > 0 && w.scope.SpaceOf(&resolved) == v1.SpaceOutside:
		return disk.ReachesOutside
	}
	return disk.ReachesNone
}

func (w *trees) walkTree(t *treeWalk, found foundName) string {
	if w.view.Resolver.Map.Crosses(t.root) {
		return disk.ReachesUnknown // what is mounted below doesn't lie where the sidecar would walk
	}
	r := reader{e: w, treeWalk: t.certain(), left: disk.MaxReached, found: found}
	if !r.listing {
		r.doubles = w.links.Doubles(t.root)
	}
	rules := ignores{void: true}
	if r.Ignoring {
		rules = w.ignoresAbove(t.root)
	}
	seen := r.walk(t.root, rules, w.hidingAbove(t.root, &t.Walk))
	if r.answer == disk.ReachesNone && !seen {
		return disk.ReachesUnknown
	}
	return r.answer
}

// linked says what following a symbolic link in a tree reaches. A link to a
// directory is not walked: what lies below it is then not known.
func (w *trees) linked(full string) string {
	resolved, err := w.view.Resolve(full)
	switch {
	case err != nil:
		return disk.ReachesUnknown
	case w.scope.SpaceOf(&resolved) == v1.SpaceOutside:
		return disk.ReachesOutside
	case w.links.ReadsSecret(&resolved):
		return disk.ReachesSecret
	case resolved.Dir || resolved.Unseen:
		return disk.ReachesUnknown
	}
	return disk.ReachesNone
}

// treeWalk is a walk over what lies below a directory.
type treeWalk struct {
	root string
	// named is what the names below begin with as words of a command, base what these count from.
	named, base string
	// spelled is what the paths below begin with where an Include is matched against them.
	spelled string
	value.Walk
	value.Names
	// listing is true when nothing but names and metadata is looked at.
	listing bool
}

// certain drops what tools read differently. Of an include and an exclude the
// last match wins, and which that is was not kept: what is left out then counts
// as read, as far as an include names it.
func (t treeWalk) certain() treeWalk {
	t.Exclude = slices.DeleteFunc(slices.Clone(t.Exclude), func(glob string) bool { return !disk.PlainGlob(glob) })
	t.ExcludeDir = slices.DeleteFunc(slices.Clone(t.ExcludeDir), func(glob string) bool { return !disk.PlainGlob(glob) })
	if slices.ContainsFunc(t.Include, func(glob string) bool { return !disk.PlainGlob(glob) }) {
		t.Include, t.Exclude = nil, nil
	}
	if len(t.Include) > 0 {
		t.Exclude = nil
	}
	t.Ignoring = t.Ignoring && (t.Untracked || !t.FromStream && !t.Follow) && len(t.Include) == 0
	return t
}

func (t *treeWalk) reads(name string) bool {
	// Some tools fold case: an include may match more than it says.
	if len(t.Include) > 0 && !disk.MatchAny(t.Include, name) && !disk.MatchAny(t.Include, strings.ToLower(name)) {
		return false
	}
	return !disk.LeavesOut(t.Exclude, name)
}

// readsAcross reports whether an include matches a path, or from any segment of it on, as
// fnmatch(3) does without a flag, and git's pathspecs: "c*" is conf/key.pem as well.
func (t *treeWalk) readsAcross(below string) bool {
	if !t.Across {
		return false
	}
	for name := t.spelled + strings.TrimLeft(below, "/"); ; {
		first, rest, more := strings.Cut(name, "/")
		if disk.MatchAny(t.Include, first) || disk.MatchAny(t.Include, strings.ReplaceAll(name, "/", "\x01")) {
			return true
		}
		if !more {
			return false
		}
		name = rest
	}
}

func (t *treeWalk) enters(name string) bool { return !disk.LeavesOut(t.ExcludeDir, name) }
