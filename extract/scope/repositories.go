package scope

import (
	"io/fs"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/history"
	"policyd/extract/git/trust"
)

// Repositories asks git's reader about the repositories of the session.
type Repositories struct {
	View    *disk.View
	Policy  *Policy
	Scope   *Scope
	answers int // how often commits and refs were read for their names
	trusted [4]string
}

// PlainRefs reports whether what git prints of the refs of the repository there is plain
// words, and with said also where it is what a tag says that it is called.
func (r *Repositories) PlainRefs(dir string, said bool) bool {
	if !r.AsksGit() {
		return false
	}
	verdict := r.Inspect(dir, "for-each-ref")
	return !verdict.Effects.Has(trust.AltersNames) && history.RefsAreWords(verdict.Repository) && (!said || history.TagsAreWords(verdict.Repository))
}

// Inspect judges what git does in a directory. A repository that isn't the session's own is
// trusted only if the session may read all of it, since git does.
func (r *Repositories) Inspect(dir, subcommand string) trust.Verdict {
	verdict := r.InspectAnywhere(dir, subcommand)
	if !verdict.Trusted || !verdict.Above {
		return verdict
	}
	switch r.Scope.Space(verdict.Top) {
	case v1.SpaceRepository, v1.SpaceGrantRead, v1.SpaceGrantReadWrite:
		return verdict
	}
	verdict.Trusted, verdict.Reason = false, trust.CodeOutsideRoots+": "+verdict.Top
	return verdict
}

// InspectAnywhere does so for a repository wherever it lies.
func (r *Repositories) InspectAnywhere(dir, subcommand string) trust.Verdict {
	return r.Policy.Git.Inspect(r.query(dir, subcommand))
}

// Named lists the paths that settings of a repository may name, wherever it lies.
func (r *Repositories) Named(dir string) (paths []string, known bool) {
	return r.Policy.Git.Named(r.query(dir, "status"))
}

func (r *Repositories) query(dir, subcommand string) trust.Query {
	query := trust.Query{Dir: dir, Subcommand: subcommand, Home: r.View.Home, TrustedRoots: r.trusted[:0], Seen: &r.View.Resolver}
	for _, root := range r.Scope.Roots {
		if IsOwn(root.Space) {
			query.TrustedRoots = append(query.TrustedRoots, root.Real)
		}
	}
	if r.View.Resolver.Map != nil {
		query.View = mapped{r.View}
	}
	return query
}

// Toplevel is the top of the work tree that git finds from dir, where the
// repository can be trusted to say so.
func (r *Repositories) Toplevel(dir string) string {
	resolved, err := r.View.Resolve(dir)
	if err != nil || resolved.Unseen {
		return ""
	}
	verdict := r.Inspect(resolved.Real, "rev-parse")
	if !verdict.Trusted || !verdict.Found || !r.belongsToUser(verdict.Top, verdict.Top+"/.git", verdict.GitDir) {
		return ""
	}
	return verdict.Top
}

// belongsToUser reports whether places belong to the user whose home the
// session has: in a work tree of another's, git does nothing and prints nothing
// (safe.directory in git-config(1)).
func (r *Repositories) belongsToUser(places ...string) bool {
	if r.View.Home == "" {
		return false
	}
	onDisk := make([]string, 0, 1+len(places))
	for _, place := range append([]string{r.View.Home}, places...) {
		if r.View.Resolver.Map != nil {
			disk, err := mapped{r.View}.Disk(place)
			if err != nil {
				return false
			}
			place = disk
		}
		onDisk = append(onDisk, place)
	}
	return disk.SameOwner(onDisk[0], onDisk[1:]...)
}

// AsksGit reports whether they may be read once more.
func (r *Repositories) AsksGit() bool {
	r.answers++
	return r.answers <= maxGitAnswers
}

// gitEntry is what git looks for in each directory on its way up.
const gitEntry = ".git"

// mapped shows git's reader the disk of an agent that sees it under other names.
type mapped struct{ *disk.View }

// Real implements object.View.
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

// Disk implements object.View.
func (m mapped) Disk(real string) (string, error) {
	if disk, visible := m.Resolver.Map.Sidecar(real); visible {
		return disk, nil
	}
	if m.Resolver.Map.Crosses(real) {
		return "", &fs.PathError{Op: "find", Path: real, Err: fs.ErrNotExist}
	}
	return "", disk.ErrUnseen
}

// maxGitAnswers bounds how often one call has a repository's commits and refs read: each
// time may take as long as a repository can make it.
const maxGitAnswers = 8
