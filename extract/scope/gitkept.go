package scope

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"policyd/extract/disk"
	"policyd/extract/git/trust"
	"policyd/extract/stat"
	"policyd/internal/credential"
)

// GitKept finds credentials in what git keeps of its own.
type GitKept struct {
	Repos  *Repositories
	View   *disk.View
	Policy *Policy
}

// KeepsCredentials reports whether a file, or one below a directory, holds a credential or can't be
// looked at. Nothing that is missing does.
func (k *GitKept) KeepsCredentials(place string) bool {
	return k.anyFile(place, func(_ string, content []byte) bool { return credential.Holds(string(content)) })
}

// anyFile reports whether a file, or one below a directory, has contents that holds accepts, or can't be
// looked at.
func (k *GitKept) anyFile(place string, holds func(place string, content []byte) bool) bool {
	files, bytes := maxKeptFiles, int64(maxKept)
	return k.keeps(place, holds, &files, &bytes)
}

func (k *GitKept) keeps(place string, holds func(place string, content []byte) bool, files *int, bytes *int64) bool {
	info, err := k.View.Stat(place)
	switch {
	case stat.Missing(err):
		return false
	case err != nil:
		return true
	case info.IsDir():
		entries, err := k.View.ReadDir(place)
		if err != nil {
			return true
		}
		return slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return k.keeps(place+"/"+entry.Name(), holds, files, bytes) })
	case !info.Mode().IsRegular():
		return true
	}
	*files--
	*bytes -= info.Size()
	if *files < 0 || *bytes < 0 {
		return true
	}
	content, err := k.View.ReadFile(place)
	return err != nil || holds(place, content)
}

// CommonDir is the directory that a repository's work trees share, if one of them begins at dir; "" for none.
func (k *GitKept) CommonDir(dir string) string {
	if verdict := k.Repos.Inspect(dir, "rev-parse"); verdict.Top == dir {
		return verdict.CommonDir
	}
	return ""
}

// SecretSettings reports whether a file is one of a repository's own that holds a credential: what git
// config, git remote and git reflog print stands in it.
func (k *GitKept) SecretSettings(real string) bool {
	_, below, found := strings.Cut(real, ".git/")
	if !found {
		return false
	}
	inside := slices.ContainsFunc(strings.Split(path.Dir(below), "/"), func(name string) bool { return slices.Contains(k.Policy.GitDirectories, name) })
	base := path.Base(real)
	if !inside && !slices.Contains(k.Policy.GitFiles, base) {
		return false
	}
	if base != "config" && base != "config.worktree" {
		return k.KeepsCredentials(real)
	}
	info, err := k.View.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return k.View.Barred(err)
	}
	if info.Size() > maxSettings {
		return true
	}
	content, err := k.View.ReadFile(real)
	return err != nil || trust.HoldsCredentials(content)
}

// GitDirSecret reports whether a repository's own directory holds such a file.
func (k *GitKept) GitDirSecret(dir string) bool {
	return slices.ContainsFunc(k.Policy.GitFiles, func(name string) bool { return k.SecretSettings(dir + "/" + name) }) ||
		slices.ContainsFunc(k.Policy.GitDirectories, func(name string) bool { return k.KeepsCredentials(dir + "/" + name) })
}

// maxSettings bounds a repository's settings, in bytes.
const maxSettings = 1 << 20

// Bounds of looking for credentials in what git keeps. Beyond them there may be one.
const (
	maxKept      = 4 << 20
	maxKeptFiles = 2000
)
