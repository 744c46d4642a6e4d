package git

import (
	"path/filepath"

	"policyd/extract/git/syntax"
)

// inspectRepository judges configuration, hooks and submodules of one
// repository. v takes what is learnt about the outermost one.
func (in *inspection) inspectRepository(place repository, v *Verdict, depth int) error {
	in.repositories++
	if in.repositories > maxRepositories || depth > maxRepositoryDepth {
		return refuse(CodeLimit, "submodules")
	}
	if len(in.probe.dependencies) > maxDependencies {
		return refuse(CodeLimit, "files")
	}
	found := traits{objectSize: sha1Size}
	if err := in.inspectConfig(place, &found); err != nil {
		return err
	}
	v.objectSize = found.objectSize
	v.LazyFetch = v.LazyFetch || found.promisor
	if err := in.settleWorkTree(&place, found, depth); err != nil {
		return err
	}
	v.Top, v.Hooks = place.top, append(v.Hooks, in.hookDirectories(place, found)...)
	if err := in.noteFiles(place, found.files); err != nil {
		return err
	}
	if err := in.noteLinks(place); err != nil {
		return err
	}
	if err := in.inspectObjects(place, v); err != nil {
		return err
	}
	if err := in.inspectHooks(place, found); err != nil {
		return err
	}
	return in.inspectSubmodules(place, found.objectSize, v, depth)
}

func (in *inspection) inspectConfig(place repository, found *traits) error {
	files := []string{filepath.Join(place.commonDir, "config"), filepath.Join(place.gitDir, "config.worktree")}
	for _, file := range files {
		settings, err := in.readConfig(file)
		if err != nil {
			return err
		}
		if err := in.judgeSettings(file, settings, found); err != nil {
			return err
		}
	}
	if found.promisor && len(found.lazy) > 0 {
		return refuse(CodeConfigKey, found.lazy[0].Name()+" with a partial clone")
	}
	return nil
}

func (in *inspection) readConfig(file string) ([]syntax.Setting, error) {
	content, err := in.probe.read(file, maxConfigBytes)
	if err != nil {
		return nil, refuse(CodeUnreadable, file)
	}
	settings, err := syntax.ParseConfig(content)
	if err != nil {
		return nil, refuse(CodeConfigSyntax, file+": "+err.Error())
	}
	in.credentials = append(in.credentials, credentials(settings)...)
	in.mapsPushes = in.mapsPushes || mapsPushes(settings)
	in.shows.note(settings)
	return settings, nil
}

// settleWorkTree applies core.worktree. A submodule's repository has to name
// the directory that its gitfile was found in; only a .git directory found in
// the project may move its work tree, and only inside the project.
func (in *inspection) settleWorkTree(place *repository, found traits, depth int) error {
	isSubmodule := place.layout == layoutGitfile && place.commonDir == place.gitDir
	if !found.hasTree {
		if isSubmodule {
			return refuse(CodeGitfileUnlinked, place.gitDir)
		}
		return nil
	}
	tree, err := in.probe.resolve(place.gitDir, found.workTree)
	if err != nil || found.workTree == "" {
		return refuse(CodeWorkTree, place.gitDir)
	}
	if tree == place.top {
		return nil
	}
	if place.layout != layoutDirectory || depth > 0 || in.above {
		return refuse(CodeWorkTree, tree)
	}
	place.top = tree
	return in.checkRoots(CodeWorkTree, tree)
}
