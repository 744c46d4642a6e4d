package git

import (
	"path/filepath"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// inspectSubmodules judges every populated submodule, since status and diff
// run git inside each of them. Which directories those are, the index says.
func (in *inspection) inspectSubmodules(place repository, objectSize int, v *Verdict, depth int) error {
	path := filepath.Join(place.gitDir, "index")
	content, err := in.probe.read(path, maxIndexBytes)
	if err != nil {
		return refuse(CodeUnreadable, path)
	}
	if content == nil {
		return nil
	}
	links, err := gitlinks(content, objectSize)
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
	if err != nil {
		return refuse(CodeUnreadable, given)
	}
	if found.Kind != stat.Directory {
		return nil
	}
	top, err := in.probe.resolve("", given)
	if err != nil {
		return refuse(CodeUnreadable, given)
	}
	place, err := in.dotGit(top)
	if err != nil || place.layout == layoutNone {
		return err
	}
	if err := in.checkSubmoduleLayout(parent, place); err != nil {
		return err
	}
	if in.above {
		if err := in.checkOwner(place); err != nil {
			return err
		}
	}
	inner := Verdict{}
	if err := in.inspectRepository(place, &inner, depth+1); err != nil {
		return err
	}
	v.LazyFetch = v.LazyFetch || inner.LazyFetch
	return nil
}

// checkSubmoduleLayout accepts an embedded .git directory and a repository
// kept under the parent's own modules directory.
func (in *inspection) checkSubmoduleLayout(parent, place repository) error {
	if place.commonDir != place.gitDir {
		return refuse(CodeSubmodule, place.gitDir)
	}
	if place.layout == layoutDirectory {
		if place.gitDir != filepath.Join(place.top, ".git") {
			return refuse(CodeSubmodule, place.gitDir)
		}
		return nil
	}
	for _, dir := range []string{parent.gitDir, parent.commonDir} {
		if syntax.Within(filepath.Join(dir, "modules"), place.gitDir) {
			return nil
		}
	}
	return refuse(CodeSubmodule, place.gitDir)
}
