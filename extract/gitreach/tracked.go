package gitreach

import (
	"errors"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/history"
	"policyd/extract/git/trust"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
	"policyd/extract/value"
)

// Tracked says what the names that git prints lead to.
type Tracked struct {
	View    *disk.View
	Scope   *scope.Scope
	Repos   *scope.Repositories
	Classes *scope.Classifier
	Links   *scope.HardLinks
	Trees   *disk.Walker
}

// TrackedNames says what reading the tracked files that pathspecs select
// reaches, as git names them from dir. It reports false where git's index
// can't be relied on: then the disk is looked at instead.
func (f *Tracked) TrackedNames(dir string, a *command.Access, base string, found disk.Found) (answer string, known bool) {
	verdict := f.Repos.Inspect(dir, "ls-files")
	switch {
	case verdict.Trusted && verdict.Found:
	case len(a.Commits) > 0 || a.AtHead:
		return disk.ReachesUnknown, true // a commit may name what is on no disk
	default:
		return disk.ReachesNone, false
	}
	if verdict.Effects.Has(trust.AltersNames) || a.Ignoring && f.rulesUnseen(verdict, dir) {
		return disk.ReachesUnknown, true
	}
	left := disk.MaxReached
	names := a.Names
	names.Rooted = false // git prints names that begin with none of what it was given
	visit := func(path string) bool {
		if left--; left < 0 || found != nil && !found(path, verdict.Top+"/"+path) {
			answer = disk.ReachesUnknown
			return false
		}
		answer = f.soughtName(path, verdict.Top, dir, base, &names)
		return answer == disk.ReachesNone
	}
	if f.list(verdict, a, dir, visit) != nil {
		return disk.ReachesUnknown, true
	}
	return answer, true
}

// soughtName says what one name reaches of what is looked for.
func (f *Tracked) soughtName(path, top, dir, base string, names *value.Names) string {
	switch {
	case f.Classes.Sought == nil:
		return f.trackedName(path, top, dir, base, names)
	case f.trackedFile(top+"/"+path) == disk.ReachesSecret:
		return disk.ReachesSecret
	}
	return disk.ReachesNone
}

// errManyAnswers is for a call that has had a repository's commits read too often.
var errManyAnswers = errors.New("commits were read too often")

// list visits the names that git's index has, and then those that commits have, until visit has had enough.
func (f *Tracked) list(verdict trust.Verdict, a *command.Access, dir string, visit func(path string) bool) error {
	commits, specs := f.commitsOf(a, dir)
	more, tracked := true, map[string]bool{}
	err := history.Tracked(verdict.Repository, specs, dir, func(path string) bool {
		more = visit(path)
		if len(commits) > 0 {
			tracked[path] = true
		}
		return more
	})
	switch {
	case err != nil || !more || len(commits) == 0:
		return err
	case !f.Repos.AsksGit():
		return errManyAnswers
	}
	return history.Named(verdict.Repository, history.Commits{Revisions: commits, Parents: a.Parents}, specs, dir, func(path string) bool {
		return tracked[path] || visit(path)
	})
}

// rulesUnseen reports whether git may go by ignore rules that its index alone holds: it reads
// there what a sparse checkout left out. Below a directory that is left out as well, nothing lies
// that they could take back in.
func (f *Tracked) rulesUnseen(verdict trust.Verdict, dir string) bool {
	unseen := false
	err := history.Tracked(verdict.Repository, nil, dir, func(name string) bool {
		full := verdict.Top + "/" + name
		unseen = path.Base(name) == ".gitignore" && !f.View.Exists(full) && f.View.Exists(paths.Parent(full))
		return !unseen
	})
	return unseen || err != nil
}

// commitsOf tells the revisions that names come from, and the pathspecs that select
// these: before dashes git takes a word that names a path for a pathspec, and does
// nothing where it names both. It goes by other words than the one that stands there where
// a revision is excluded, and what stands for a word that the shell makes names no path.
func (f *Tracked) commitsOf(a *command.Access, dir string) (commits, specs []string) {
	if a.AtHead {
		commits = append(commits, "HEAD")
	}
	for _, word := range a.Commits {
		if a.Dashes || !disk.PlainWord(word) || !f.View.Exists(f.View.Absolute(word, dir)) {
			commits = append(commits, word)
		} else {
			specs = append(specs, word)
		}
	}
	if len(specs) == 0 || !slices.Equal(a.Tracked, value.AllTracked) {
		specs = append(specs, a.Tracked...)
	}
	return commits, specs
}

// trackedName says what one name that git prints reaches, where it becomes a word.
func (f *Tracked) trackedName(path, top, dir, base string, names *value.Names) string {
	// The index has names and no directories: one of those may be what begins with a dash.
	if !disk.PrintedAsItIs(path, names.Handing) || strings.HasPrefix(path, "-") || strings.Contains(path, "/-") {
		return disk.ReachesUnknown
	}
	full := top + "/" + path
	named, below := strings.CutPrefix(full, strings.TrimSuffix(dir, "/")+"/")
	answer := f.Trees.Handed(named, base, names)
	if answer == disk.ReachesNone && !names.Parts { // of which none is opened
		answer = f.trackedFile(full)
	}
	if !below && answer == disk.ReachesNone && strings.ContainsAny(named, " \t") {
		return disk.ReachesUnknown // printed with other words in front
	}
	return answer
}

// trackedFile says what reading one tracked file reaches: the disk may hold a
// link or a directory where the index has a file.
func (f *Tracked) trackedFile(full string) string {
	resolved, err := f.View.Resolver.Resolve(full)
	if err != nil {
		return disk.ReachesUnknown
	}
	space := f.Scope.Space(resolved.Real)
	switch {
	case f.Classes.SecretFile(full) || f.Classes.SecretFile(resolved.Real) || f.Classes.SecretDirectory(full) || f.Classes.SecretDirectory(resolved.Real):
		return disk.ReachesSecret
	case space == v1.SpaceOutside || space == v1.SpaceUnknown:
		return disk.ReachesOutside
	case resolved.Dir:
		return disk.ReachesUnknown // a submodule
	case resolved.HardLinks && f.Links.ReadsSecret(&resolved):
		return disk.ReachesSecret
	}
	return disk.ReachesNone
}
