package scope

import (
	"path/filepath"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/stat"
)

// WorkTree is the work tree of a git repository that holds a directory: its top, and the top of
// the repository's main work tree. The two are the same in the main work tree itself.
type WorkTree struct {
	Top, Main string
}

// Bounds of a look for a work tree.
const (
	maxWorkTreeDepth = 64
	maxGitLinkBytes  = 4096
)

// WorkTreeOf finds the work tree that holds a directory, given by its real path. A directory can
// claim to be a linked work tree of any repository; it is one only if the repository names it, too, in
// .git/worktrees/<name>/gitdir, and both belong to one user. See gitrepository-layout(5). It starts no
// program. Repositories without a main work tree and submodules have none.
func WorkTreeOf(directory string) (WorkTree, bool) {
	if !filepath.IsAbs(directory) || filepath.Clean(directory) != directory {
		return WorkTree{}, false
	}
	top := directory
	for range maxWorkTreeDepth {
		entry, err := stat.Path(filepath.Join(top, gitEntry), false)
		switch {
		case err != nil && !stat.Missing(err):
			return WorkTree{}, false
		case err == nil && entry.Kind == stat.Directory:
			return WorkTree{Top: top, Main: top}, !v1.Shallow(top)
		case err == nil && entry.Present():
			main, linked := mainWorkTree(top)
			return WorkTree{Top: top, Main: main}, linked && !v1.Shallow(top) && !v1.Shallow(main)
		}
		if top == paths.Parent(top) {
			break
		}
		top = paths.Parent(top)
	}
	return WorkTree{}, false
}

// mainWorkTree is the top of the main work tree of which top is a linked one.
func mainWorkTree(top string) (string, bool) {
	file := filepath.Join(top, gitEntry)
	dir, ok := gitLink(file, "gitdir: ", top)
	if !ok {
		return "", false
	}
	registry := filepath.Dir(dir)
	common := filepath.Dir(registry)
	main := filepath.Dir(common)
	if filepath.Base(registry) != "worktrees" || filepath.Base(common) != gitEntry {
		return "", false
	}
	if named, ok := gitLink(filepath.Join(dir, "commondir"), "", dir); !ok || named != common {
		return "", false
	}
	if back, ok := gitLink(filepath.Join(dir, "gitdir"), "", dir); !ok || back != file {
		return "", false
	}
	for _, place := range []string{common, registry, dir} {
		if found, err := stat.Path(place, false); err != nil || found.Kind != stat.Directory {
			return "", false
		}
	}
	return main, disk.SameOwner(main, top, file, common, registry, dir, filepath.Join(dir, "gitdir"))
}

// gitLink is the real path that a file of git's names behind a prefix, from a directory on if it is relative. What
// the path ends in isn't followed if it is a link itself, which no such path of git's is.
func gitLink(file, prefix, from string) (string, bool) {
	if found, err := stat.Path(file, false); err != nil || found.Kind != stat.File {
		return "", false
	}
	content, _, err := stat.Read(file, maxGitLinkBytes)
	if err != nil {
		return "", false
	}
	name, found := strings.CutPrefix(strings.TrimRight(string(content), "\r\n"), prefix)
	if !found || name == "" || strings.ContainsAny(name, "\x00\r\n") {
		return "", false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(from, name)
	}
	name = filepath.Clean(name)
	parent, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "", false
	}
	return filepath.Join(parent, filepath.Base(name)), true
}
