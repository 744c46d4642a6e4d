package trust

import (
	"path/filepath"
	"slices"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// Bounds on what one Inspect reads; beyond them nothing is trusted.
const (
	maxRepositories    = 256
	maxRepositoryDepth = 8
	maxDependencies    = 2048
)

// inspection is one Inspect under way.
type inspection struct {
	probe    *probe
	query    Query
	settings settings
	verdict  Verdict
	// roots are the query's, and the top of a work tree that lies above them.
	roots        []string
	person       person
	repositories int
}

func (in *inspection) judge() error {
	dir, v := in.query.Dir, &in.verdict
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir {
		return refuse(CodeDirectory, dir)
	}
	start, err := in.probe.stat(dir, true)
	if err != nil || start.Kind != stat.Directory {
		return refuse(CodeDirectory, dir)
	}
	place, err := discovery{in.probe}.find(dir)
	if err != nil {
		v.Found = true
		return err
	}
	in.roots = in.query.TrustedRoots
	if place.top != "" && !in.inRoots(place.top) {
		v.Above = true
		in.roots = append(slices.Clip(in.roots), place.top)
	}
	if err := in.inspectUserConfig(); err != nil {
		return err
	}
	if place.layout == layoutNone {
		v.Reason = CodeNoRepository
		return nil
	}
	v.Found, v.Top, v.GitDir, v.CommonDir = true, place.top, place.gitDir, place.commonDir
	if err := in.checkLayout(place); err != nil {
		return err
	}
	if err := in.inspectRepository(place, v, 0); err != nil {
		return err
	}
	v.Reason = CodeTrusted
	return nil
}

// checkLayout holds the repository to the places that git itself sets up. One
// that a file tool can assemble anywhere (a bare directory, a gitfile that its
// target knows nothing of) is not the project's own.
func (in *inspection) checkLayout(place repository) error {
	switch place.layout {
	case layoutBare:
		return refuse(CodeBare, place.gitDir)
	case layoutDirectory:
		if place.commonDir != place.gitDir {
			return refuse(CodeCommonDir, place.gitDir)
		}
		if place.gitDir != filepath.Join(place.top, ".git") {
			return refuse(CodeLinkedGitDir, place.gitDir)
		}
	case layoutGitfile:
		if err := (discovery{in.probe}).checkBackLink(place); err != nil {
			return err
		}
	case layoutNone:
	}
	return in.checkOwner(place)
}

// checkOwner is for a repository above the roots alone.
func (in *inspection) checkOwner(place repository) error {
	if !in.verdict.Above {
		return nil
	}
	return checkOwner(in.probe, place, in.query.Home)
}

// inRoots reports whether a real path lies in a root.
func (in *inspection) inRoots(path string) bool {
	return slices.ContainsFunc(in.roots, func(root string) bool { return syntax.Within(root, path) })
}

// inspectRepository judges configuration, hooks and submodules of one
// repository. v takes what is learnt about it.
func (in *inspection) inspectRepository(place repository, v *Verdict, depth int) error {
	in.repositories++
	if in.repositories > maxRepositories || depth > maxRepositoryDepth {
		return refuse(CodeLimit, "submodules")
	}
	if len(in.probe.dependencies) > maxDependencies {
		return refuse(CodeLimit, "files")
	}
	found, err := in.settings.ofRepository(place)
	if err != nil {
		return err
	}
	v.HashSize = found.hashSize
	if found.promisor {
		v.Effects |= LazyFetch
	}
	if err := in.checkWorkTree(place, found); err != nil {
		return err
	}
	if err := in.programsInside(place.top); err != nil {
		return err
	}
	hooks := slices.Concat(found.hooksPaths, in.person.hooks)
	v.Top, v.Hooks = place.top, append(v.Hooks, hookDirectories(place, hooks)...)
	if err := in.noteFiles(place, found.files); err != nil {
		return err
	}
	if err := in.noteLinks(place); err != nil {
		return err
	}
	if v.ForeignObjects, err = in.foreignObjects(filepath.Join(place.commonDir, "objects")); err != nil {
		return err
	}
	check := hookCheck{probe: in.probe, reader: in.settings.runs.reader, promisor: found.promisor}
	if err := check.hooks(place, hooks); err != nil {
		return err
	}
	return in.inspectSubmodules(place, found.hashSize, v, depth)
}

// checkWorkTree holds that core.worktree names the directory that the repository was found in: a submodule's has to,
// others may.
func (in *inspection) checkWorkTree(place repository, found *traits) error {
	if !found.hasTree {
		if place.layout == layoutGitfile && place.commonDir == place.gitDir { // a submodule
			return refuse(CodeGitfileUnlinked, place.gitDir)
		}
		return nil
	}
	tree, err := in.probe.resolve(place.gitDir, found.workTree)
	if err != nil || found.workTree == "" || tree != place.top {
		return refuse(CodeWorkTree, place.gitDir)
	}
	return nil
}

// foreignObjects reports whether git reads objects that lie outside of the roots:
// it prints any of them by its hash.
func (in *inspection) foreignObjects(objects string) (bool, error) {
	real, err := in.probe.resolve("", objects)
	if err != nil {
		return false, refuse(CodeUnreadable, objects)
	}
	if real != objects && !syntax.Within(filepath.Dir(objects), real) && !in.inRoots(real) {
		return true, nil
	}
	return in.borrowsForeign(objects, 0)
}

func (in *inspection) borrowsForeign(objects string, depth int) (bool, error) {
	if depth > object.MaxAlternateDepth {
		return false, refuse(CodeLimit, "alternates")
	}
	content, err := in.probe.read(filepath.Join(objects, "info", "alternates"), object.MaxAlternatesBytes)
	if err != nil {
		return false, err
	}
	for _, path := range object.Alternates(content) {
		real, _ := in.probe.resolve(objects, path) // empty, and in no root, if that isn't known
		if !in.inRoots(real) {
			return true, nil
		}
		if foreign, err := in.borrowsForeign(real, depth+1); foreign || err != nil {
			return foreign, err
		}
	}
	return false, nil
}
