package trust

import (
	"path/filepath"
	"slices"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// inspectSubmodules judges every populated submodule, since status and diff
// run git inside each of them. The index lists their directories.
func (in *inspection) inspectSubmodules(place repository, hashSize int, v *Verdict, depth int) error {
	path := filepath.Join(place.gitDir, "index")
	content, err := in.probe.read(path, object.MaxIndexBytes)
	if err != nil || content == nil {
		return err
	}
	links, err := object.Gitlinks(content, hashSize)
	if err != nil {
		return refuse(CodeIndex, path+": "+err.Error())
	}
	for _, link := range links {
		if err := in.inspectSubmodule(place, link, v, depth); err != nil {
			return err
		}
	}
	return nil
}

func (in *inspection) inspectSubmodule(parent repository, link string, v *Verdict, depth int) error {
	if !filepath.IsLocal(filepath.FromSlash(link)) {
		return refuse(CodeSubmodule, link)
	}
	given := filepath.Join(parent.top, filepath.FromSlash(link))
	found, err := in.probe.stat(given, true)
	if err != nil || found.Kind != stat.Directory {
		return err
	}
	top, err := in.probe.resolve("", given)
	if err != nil {
		return refuse(CodeUnreadable, given)
	}
	place, err := discovery{in.probe}.dotGit(top)
	if err != nil || place.layout == layoutNone {
		return err
	}
	if !isSubmodule(parent, place) {
		return refuse(CodeSubmodule, place.gitDir)
	}
	if err := in.checkOwner(place); err != nil {
		return err
	}
	var inner Verdict
	err = in.inspectRepository(place, &inner, depth+1)
	v.Effects |= inner.Effects
	return err
}

// isSubmodule accepts an embedded .git directory and a repository
// kept under the parent's own modules directory.
func isSubmodule(parent, place repository) bool {
	if place.commonDir != place.gitDir {
		return false
	}
	if place.layout == layoutDirectory {
		return place.gitDir == filepath.Join(place.top, ".git")
	}
	return slices.ContainsFunc([]string{parent.gitDir, parent.commonDir}, func(dir string) bool {
		return syntax.Within(filepath.Join(dir, "modules"), place.gitDir)
	})
}
