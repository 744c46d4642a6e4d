package git

import (
	"bytes"
	"path/filepath"
)

// checkBackLink holds that the target of a gitfile knows of it. A linked work
// tree is named by worktrees/<id>/gitdir; a submodule by core.worktree, which
// the configuration check compares.
func (in *inspection) checkBackLink(place repository) error {
	if place.commonDir == place.gitDir {
		return nil
	}
	holder := filepath.Dir(place.gitDir)
	if filepath.Base(holder) != "worktrees" || filepath.Dir(holder) != place.commonDir {
		return refuse(CodeCommonDir, place.gitDir)
	}
	path := filepath.Join(place.gitDir, "gitdir")
	content, err := in.probe.read(path, maxGitfileBytes)
	if err != nil {
		return refuse(CodeUnreadable, path)
	}
	named := bytes.TrimRight(content, "\r\n")
	if len(named) == 0 || bytes.ContainsAny(named, "\x00\r\n") {
		return refuse(CodeGitfileUnlinked, path)
	}
	back, err := in.probe.resolve(place.gitDir, string(named))
	if err != nil || back != filepath.Join(place.top, ".git") {
		return refuse(CodeGitfileUnlinked, path)
	}
	return nil
}
