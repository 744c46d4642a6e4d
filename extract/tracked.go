package extract

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/history"
	"policyd/extract/git/trust"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell"
	"policyd/extract/value"
)

// trackedFiles says what the names that git prints lead to.
type trackedFiles struct {
	view    *disk.View
	x       *Extractor
	scope   *scope.Scope
	repos   *scope.Repositories
	classes *scope.Classifier
	links   *scope.HardLinks
	trees   *trees
}

// trackedNames says what reading the tracked files that pathspecs select
// reaches, as git names them from dir. It reports false where git's index
// can't be relied on: then the disk is looked at instead.
func (f *trackedFiles) trackedNames(dir string, a *shell.Access, base string, found foundName) (answer string, known bool) {
	verdict := f.repos.Inspect(dir, "ls-files")
	switch {
	case verdict.Trusted && verdict.Found:
	case len(a.Commits) > 0 || a.AtHead:
		return disk.ReachesUnknown, true // a commit may name what is on no disk
	default:
		return disk.ReachesNone, false
	}
	if verdict.Effects.Has(trust.AltersNames) || a.Quoted && verdict.Effects.Has(trust.AltersStatus) {
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
		if answer = f.trackedName(path, verdict.Top, dir, base, &names); f.classes.Sought != nil {
			if answer = disk.ReachesNone; f.trackedFile(verdict.Top+"/"+path) == disk.ReachesSecret {
				answer = disk.ReachesSecret
			}
		}
		return answer == disk.ReachesNone
	}
	if a.Ignoring && f.rulesUnseen(verdict, dir) {
		return disk.ReachesUnknown, true
	}
	commits, specs := f.commitsOf(a, dir)
	err := history.Tracked(verdict.Repository, specs, dir, visit)
	if err == nil && answer == disk.ReachesNone && len(commits) > 0 {
		if !f.repos.AsksGit() {
			return disk.ReachesUnknown, true
		}
		err = history.Beyond(verdict.Repository, history.Commits{Revisions: commits, Parents: a.Parents}, specs, dir, visit)
	}
	if err != nil {
		return disk.ReachesUnknown, true
	}
	return answer, true
}

// rulesUnseen reports whether git may go by ignore rules that its index alone holds: it reads
// there what a sparse checkout left out. Below a directory that is left out as well, nothing lies
// that they could take back in.
func (f *trackedFiles) rulesUnseen(verdict trust.Verdict, dir string) bool {
	unseen := false
	err := history.Tracked(verdict.Repository, nil, dir, func(name string) bool {
		full := verdict.Top + "/" + name
		unseen = path.Base(name) == ".gitignore" && !f.view.Exists(full) && f.view.Exists(paths.Parent(full))
		return !unseen
	})
	return unseen || err != nil
}

// commitsOf tells the revisions that names come from, and the pathspecs that select
// these: before dashes git takes a word that names a path for a pathspec, and does
// nothing where it names both. It goes by other words than the one that stands there where
// a revision is excluded, and what stands for a word that the shell makes names no path.
func (f *trackedFiles) commitsOf(a *shell.Access, dir string) (commits, specs []string) {
	if a.AtHead {
		commits = append(commits, "HEAD")
	}
	for _, word := range a.Commits {
		if a.Dashes || !plainWord(word) || !f.view.Exists(f.view.Absolute(word, dir)) {
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

// plainWord reports whether a word is one that git takes for a path as it stands.
func plainWord(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-,=@%") == "" && word[0] != '-'
}

// trackedName says what one name that git prints reaches, where it becomes a word.
func (f *trackedFiles) trackedName(path, top, dir, base string, names *value.Names) string {
	// The index has names and no directories: one of those may be what begins with a dash.
	if !f.trees.printedAs(path, base, names) || strings.HasPrefix(path, "-") || strings.Contains(path, "/-") {
		return disk.ReachesUnknown
	}
	full := top + "/" + path
	named, below := strings.CutPrefix(full, strings.TrimSuffix(dir, "/")+"/")
	answer := f.trees.handed(named, base, names)
	if answer == disk.ReachesNone && !names.Parts { // of which none is opened
		answer = f.trackedFile(full)
	}
	if !below && answer == disk.ReachesNone && strings.ContainsAny(named, " \t") {
		return disk.ReachesUnknown // printed with other words in front
	}
	return answer
}

// quotedAsItIs reports whether git prints a path as it is: without -z it writes
// unusual characters in quotes and with backslashes (core.quotePath).
func quotedAsItIs(path string, handing value.Handing) bool {
	if handing == value.Whole {
		return true
	}
	return strings.IndexFunc(path, func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) < 0
}

// trackedFile says what reading one tracked file reaches: the disk may hold a
// link or a directory where the index has a file.
func (f *trackedFiles) trackedFile(full string) string {
	resolved, err := f.view.Resolver.Resolve(full)
	if err != nil {
		return disk.ReachesUnknown
	}
	space := f.scope.Space(resolved.Real)
	switch {
	case f.classes.SecretFile(full) || f.classes.SecretFile(resolved.Real) || f.classes.SecretDirectory(full) || f.classes.SecretDirectory(resolved.Real):
		return disk.ReachesSecret
	case space == v1.SpaceOutside || space == v1.SpaceUnknown:
		return disk.ReachesOutside
	case resolved.Dir:
		return disk.ReachesUnknown // a submodule
	case resolved.HardLinks && f.links.ReadsSecret(&resolved):
		return disk.ReachesSecret
	}
	return disk.ReachesNone
}
