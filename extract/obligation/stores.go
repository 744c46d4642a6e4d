package obligation

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"policyd/extract/git/history"
	"policyd/extract/paths"
)

// partOfStore reports whether a store of git's objects has a part of a name.
func partOfStore(name string) bool {
	return slices.Contains([]string{"objects", "HEAD", "packed-refs"}, name)
}

// isStore reports whether a directory is a store of git's objects. Its objects can be read without a HEAD, too.
func (l *listing) isStore(dir string) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(l.entries, func(one entry) bool { return one.name == name })
	}
	return has("objects") && (has("HEAD") || has("packed-refs") || has("refs") && keepsObjects(dir+"/objects"))
}

// keepsObjects reports whether a directory has one that git keeps objects in.
func keepsObjects(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(one fs.DirEntry) bool {
		return one.Name() == "pack" || one.Name() == "info" || len(one.Name()) == 2 && strings.Trim(one.Name(), "0123456789abcdef") == ""
	})
}

// judgeStore looks for secrets in what a store of git's objects names: any program that runs git prints it,
// whichever directory the session's repository has. One that holds a secret, or can't be known, is hidden.
// The run is refused instead if the store is that of a work tree, or of a directory of the session's.
func (c *Builder) judgeStore(dir string) (hidden bool, err error) {
	top, _, inside := strings.Cut(dir+"/", "/.git/")
	if !inside {
		top = dir
	}
	store := history.Store{Dir: dir, Top: top, Budget: &c.stores, Now: c.Directories.Now}
	c.Directories.Step()
	held, err := c.Policy.Past.HeldInStore(&store)
	switch {
	case held == "" && err == nil && (inside || !c.Kept.RepositoryHoldsCredentials(dir+"/config")):
		return false, nil
	case path.Base(dir) == ".git" || slices.ContainsFunc(c.Obligation.Read, func(root string) bool { return paths.Within(root, dir) }):
		why := held
		if err != nil {
			why = err.Error()
		}
		return false, fmt.Errorf("the commits of %s hold a secret, or can't all be looked at (%s)", dir, why)
	}
	c.Obligation.Hide = append(c.Obligation.Hide, dir)
	return true, nil
}
