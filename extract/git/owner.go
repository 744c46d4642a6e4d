package git

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
func (in *inspection) checkOwner(place repository) error {
	if !stat.Exact || in.query.Home == "" {
		return refuse(CodeOwner, place.top)
	}
	home, err := in.probe.stat(in.query.Home, true)
	if err != nil || home.Kind != stat.Directory {
		return refuse(CodeOwner, in.query.Home)
	}
	files := []string{filepath.Join(place.top, ".git"), filepath.Join(place.commonDir, "config"), filepath.Join(place.gitDir, "config.worktree")}
	for _, file := range files {
		if err := in.checkOwnerOf(file, home.Owner); err != nil {
			return err
		}
	}
	for _, dir := range []string{place.top, place.gitDir, place.commonDir} {
		if err := in.checkOwnerOf(dir, home.Owner); err != nil {
			return err
		}
		if err := in.checkParents(dir, home.Owner); err != nil {
			return err
		}
	}
	return nil
}

// checkOwnerOf accepts what belongs to owner and other users can't write, and what is missing.
func (in *inspection) checkOwnerOf(path string, owner uint32) error {
	found, err := in.probe.stat(path, false)
	if err != nil {
		return refuse(CodeUnreadable, path)
	}
	if found.Present() && (found.Owner != owner || found.Permissions&othersWrite != 0) {
		return refuse(CodeOwner, path)
	}
	return nil
}

// checkParents accepts a directory if no other user can put another one in its place:
// every directory above belongs to owner or to the superuser, and if everybody may write
// there, its sticky bit is set.
func (in *inspection) checkParents(dir string, owner uint32) error {
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		found, err := in.probe.stat(at, false)
		if err != nil {
			return refuse(CodeUnreadable, at)
		}
		foreign := found.Owner != owner && found.Owner != superuser
		if foreign || found.Permissions&othersWrite != 0 && !found.Sticky {
			return refuse(CodeOwner, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}
