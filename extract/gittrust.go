package extract

import (
	"io/fs"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git"
	"policyd/extract/shell"
)

// gitTrust adds a caveat where the repository's own configuration could run a
// program for this command, in any directory that it may run in.
func (e *extraction) gitTrust(item *v1.Item, c *shell.Command) {
	subcommand := strings.TrimPrefix(c.Verb, "git ")
	if subcommand == c.Verb {
		return // no subcommand: git prints its help
	}
	if c.Unknown || len(c.Dirs) == 0 {
		item.Caveats.Add("git_untrusted")
		return
	}
	for _, dir := range c.Dirs {
		resolved, err := e.view.Resolve(dir)
		if err != nil {
			item.Caveats.Add("git_untrusted")
			return
		}
		if resolved.Unseen {
			e.gitUnseen(item, c)
			continue
		}
		verdict := e.inspect(resolved.Real, subcommand)
		if !verdict.Trusted {
			item.Caveats.Add("git_untrusted")
			return
		}
		if answer := e.settingsReach(verdict); answer != reachesNone {
			item.Caveats.Add(answer)
		}
		e.reach(item, func() string { return e.gitReach(item, c, verdict, resolved.Real) })
		if answer := e.storesReach(c, verdict); answer != reachesNone {
			item.Caveats.Add(answer)
		}
		e.reach(item, func() string { return e.blobReach(item, c, verdict, resolved.Real) })
		if c.Git.Handed && verdict.AltersNames {
			item.Caveats.Add(reachesUnknown)
		}
	}
}

// inspect judges what git does in a directory. A repository that isn't the session's own is
// trusted only if the session may read all of it, since git does.
func (e *extraction) inspect(dir, subcommand string) git.Verdict {
	verdict := e.inspectAnywhere(dir, subcommand)
	if !verdict.Trusted || !verdict.Above {
		return verdict
	}
	switch e.space(verdict.Top) {
	case v1.SpaceRepository, v1.SpaceGrantRead, v1.SpaceGrantReadWrite:
		return verdict
	}
	verdict.Trusted, verdict.Reason = false, git.CodeOutsideRoots+": "+verdict.Top
	return verdict
}

// inspectAnywhere does so for a repository wherever it lies.
func (e *extraction) inspectAnywhere(dir, subcommand string) git.Verdict {
	query := git.Query{Dir: dir, Subcommand: subcommand, Home: e.view.Home, TrustedRoots: e.work.trusted[:0], Seen: &e.view.Resolver}
	for _, root := range e.roots {
		if isOwn(root.Space) {
			query.TrustedRoots = append(query.TrustedRoots, root.Real)
		}
	}
	if e.view.Resolver.Map != nil {
		query.View = mapped{&e.view}
	}
	return e.x.git.Inspect(query)
}

// toplevel is the top of the work tree that git finds from dir, where the
// repository can be trusted to say so.
func (e *extraction) toplevel(dir string) string {
	resolved, err := e.view.Resolve(dir)
	if err != nil || resolved.Unseen {
		return ""
	}
	verdict := e.inspect(resolved.Real, "rev-parse")
	if !verdict.Trusted || !verdict.Repository || !e.belongsToUser(verdict.Top, verdict.Top+"/.git", verdict.GitDir) {
		return ""
	}
	return verdict.Top
}

// belongsToUser reports whether places belong to the user whose home the
// session has: in a work tree of another's, git does nothing and prints nothing
// (safe.directory in git-config(1)).
func (e *extraction) belongsToUser(places ...string) bool {
	if e.view.Home == "" {
		return false
	}
	onDisk := make([]string, 0, 1+len(places))
	for _, place := range append([]string{e.view.Home}, places...) {
		if e.view.Resolver.Map != nil {
			disk, err := mapped{&e.view}.Disk(place)
			if err != nil {
				return false
			}
			place = disk
		}
		onDisk = append(onDisk, place)
	}
	return disk.SameOwner(onDisk[0], onDisk[1:]...)
}

// mapped shows git's reader the disk of an agent that sees it under other names.
type mapped struct{ *disk.View }

var _ git.View = mapped{}

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
