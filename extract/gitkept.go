package extract

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"policyd/extract/disk"
	"policyd/extract/git"
	"policyd/extract/stat"
	"policyd/internal/credential"
)

// gitKept finds credentials in what git keeps of its own.
type gitKept struct {
	view *disk.View
	x    *Extractor
}

// keepsCredentials reports whether a file, or one below a directory, holds a credential or can't be
// looked at. Nothing that is missing does.
func (k *gitKept) keepsCredentials(place string) bool {
	files, bytes := maxKeptFiles, int64(maxKept)
	return k.keeps(place, &files, &bytes)
}

func (k *gitKept) keeps(place string, files *int, bytes *int64) bool {
	info, err := k.view.Stat(place)
	switch {
	case stat.Missing(err):
		return false
	case err != nil:
		return true
	case info.IsDir():
		entries, err := k.view.ReadDir(place)
		if err != nil {
			return true
		}
		return slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return k.keeps(place+"/"+entry.Name(), files, bytes) })
	case !info.Mode().IsRegular():
		return true
	}
	*files--
	*bytes -= info.Size()
	if *files < 0 || *bytes < 0 {
		return true
	}
	content, err := k.view.ReadFile(place)
	return err != nil || credential.Holds(string(content))
}

// secretSettings reports whether a file is one of a repository's own that holds a credential: what git
// config, git remote and git reflog print stands in it.
func (k *gitKept) secretSettings(real string) bool {
	_, below, found := strings.Cut(real, ".git/")
	if !found {
		return false
	}
	stores := k.x.gitStores
	inside := slices.ContainsFunc(strings.Split(path.Dir(below), "/"), func(name string) bool { return slices.Contains(stores.Directories, name) })
	base := path.Base(real)
	if !inside && !slices.Contains(stores.Files, base) {
		return false
	}
	if base != "config" && base != "config.worktree" {
		return k.keepsCredentials(real)
	}
	info, err := k.view.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return k.view.Barred(err)
	}
	if info.Size() > maxSettings {
		return true
	}
	content, err := k.view.ReadFile(real)
	return err != nil || git.HoldsCredentials(content)
}

// gitDirSecret reports whether a repository's own directory holds such a file.
func (k *gitKept) gitDirSecret(dir string) bool {
	stores := k.x.gitStores
	return slices.ContainsFunc(stores.Files, func(name string) bool { return k.secretSettings(dir + "/" + name) }) ||
		slices.ContainsFunc(stores.Directories, func(name string) bool { return k.keepsCredentials(dir + "/" + name) })
}

// maxSettings bounds a repository's settings, in bytes.
const maxSettings = 1 << 20
