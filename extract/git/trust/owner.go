package trust

import (
	"path/filepath"

	"policyd/extract/stat"
)

const (
	// othersWrite is the permission bit that lets every user write.
	othersWrite = 0o002
	superuser   = 0
)

// checkOwner accepts a repository above the roots only if it belongs to the owner of the
// home and no other user can change or replace what git reads there. It is stricter than
// safe.directory in git-config(1), which compares owners alone: the directories on the way
// count, too.
func checkOwner(probe *probe, place repository, home string) error {
	if !stat.Exact || home == "" {
		return refuse(CodeOwner, place.top)
	}
	found, err := probe.stat(home, true)
	if err != nil || found.Kind != stat.Directory {
		return refuse(CodeOwner, home)
	}
	o := ownership{probe: probe, owner: found.Owner}
	for _, path := range []string{
		filepath.Join(place.top, ".git"), filepath.Join(place.commonDir, "config"), filepath.Join(place.gitDir, "config.worktree"),
	} {
		if err := o.check(path); err != nil {
			return err
		}
	}
	for _, dir := range []string{place.top, place.gitDir, place.commonDir} {
		if err := o.check(dir); err != nil {
			return err
		}
		if err := o.checkParents(dir); err != nil {
			return err
		}
	}
	return nil
}

// ownership holds paths to the one user who may change them.
type ownership struct {
	probe *probe
	owner uint32
}

// check accepts what belongs to the owner and other users can't write, and what is missing.
func (o *ownership) check(path string) error {
	found, err := o.probe.stat(path, false)
	if err == nil && found.Present() && (found.Owner != o.owner || found.Permissions&othersWrite != 0) {
		err = refuse(CodeOwner, path)
	}
	return err
}

// checkParents accepts a directory if no other user can put another one in its place:
// every directory above belongs to owner or to the superuser, and if everybody may write
// there, its sticky bit is set.
func (o *ownership) checkParents(dir string) error {
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		found, err := o.probe.stat(at, false)
		if err != nil {
			return err
		}
		foreign := found.Owner != o.owner && found.Owner != superuser
		if foreign || found.Permissions&othersWrite != 0 && !found.Sticky {
			return refuse(CodeOwner, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}
