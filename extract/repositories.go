package extract

import (
	"io/fs"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git"
)

// repositories asks git's reader about the repositories of the session.
type repositories struct {
	view    *disk.View
	x       *Extractor
	scope   *scope
	answers int // how often commits and refs were read for their names
	trusted [4]string
}

// plainRefs reports whether what git prints of the refs of the repository there is plain
// words, and with said also where it is what a tag says that it is called.
func (r *repositories) plainRefs(dir string, said bool) bool {
	if !r.asksGit() {
		return false
	}
	verdict := r.inspect(dir, "for-each-ref")
	return r.x.git.PlainRefs(verdict) && (!said || r.x.git.PlainTags(verdict))
}

// inspect judges what git does in a directory. A repository that isn't the session's own is
// trusted only if the session may read all of it, since git does.
func (r *repositories) inspect(dir, subcommand string) git.Verdict {
	verdict := r.inspectAnywhere(dir, subcommand)
	if !verdict.Trusted || !verdict.Above {
		return verdict
	}
	switch r.scope.space(verdict.Top) {
	case v1.SpaceRepository, v1.SpaceGrantRead, v1.SpaceGrantReadWrite:
		return verdict
	}
	verdict.Trusted, verdict.Reason = false, git.CodeOutsideRoots+": "+verdict.Top
	return verdict
}

// inspectAnywhere does so for a repository wherever it lies.
func (r *repositories) inspectAnywhere(dir, subcommand string) git.Verdict {
	query := git.Query{Dir: dir, Subcommand: subcommand, Home: r.view.Home, TrustedRoots: r.trusted[:0], Seen: &r.view.Resolver}
	for _, root := range r.scope.roots {
		if isOwn(root.Space) {
			query.TrustedRoots = append(query.TrustedRoots, root.Real)
		}
	}
	if r.view.Resolver.Map != nil {
		query.View = mapped{r.view}
	}
	return r.x.git.Inspect(query)
}

// toplevel is the top of the work tree that git finds from dir, where the
// repository can be trusted to say so.
func (r *repositories) toplevel(dir string) string {
	resolved, err := r.view.Resolve(dir)
	if err != nil || resolved.Unseen {
		return ""
	}
	verdict := r.inspect(resolved.Real, "rev-parse")
	if !verdict.Trusted || !verdict.Repository || !r.belongsToUser(verdict.Top, verdict.Top+"/.git", verdict.GitDir) {
		return ""
	}
	return verdict.Top
}

// belongsToUser reports whether places belong to the user whose home the
// session has: in a work tree of another's, git does nothing and prints nothing
// (safe.directory in git-config(1)).
func (r *repositories) belongsToUser(places ...string) bool {
	if r.view.Home == "" {
		return false
	}
	onDisk := make([]string, 0, 1+len(places))
	for _, place := range append([]string{r.view.Home}, places...) {
		if r.view.Resolver.Map != nil {
			disk, err := mapped{r.view}.Disk(place)
			if err != nil {
				return false
			}
			place = disk
		}
		onDisk = append(onDisk, place)
	}
	return disk.SameOwner(onDisk[0], onDisk[1:]...)
}

// asksGit reports whether they may be read once more.
func (r *repositories) asksGit() bool {
	r.answers++
	return r.answers <= maxGitAnswers
}

// gitEntry is what git looks for in each directory on its way up.
const gitEntry = ".git"

// mapped shows git's reader the disk of an agent that sees it under other names.
type mapped struct{ *disk.View }

// Real implements git.View.
func (m mapped) Real(path string) (string, error) {
	resolved, err := m.Resolver.Resolve(path)
	switch {
	case err != nil:
		return "", err
	case resolved.Unseen:
		return "", disk.ErrUnseen
	case !resolved.Exists:
		return "", &fs.PathError{Op: "resolve", Path: path, Err: fs.ErrNotExist}
	}
	return resolved.Real, nil
}

// Disk implements git.View.
func (m mapped) Disk(real string) (string, error) {
	if disk, visible := m.Resolver.Map.Sidecar(real); visible {
		return disk, nil
	}
	if m.Resolver.Map.Crosses(real) {
		return "", &fs.PathError{Op: "find", Path: real, Err: fs.ErrNotExist}
	}
	return "", disk.ErrUnseen
}
