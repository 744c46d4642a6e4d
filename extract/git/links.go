package git

import (
	"io/fs"
	"path/filepath"
	"slices"

	"policyd/extract/stat"
)

// printed are files of a repository that git prints, or whose lines it prints where
// they make no sense to it; printedDirectories hold such files.
// listTrees are the subcommands that print where linked work trees lie.
var (
	printed            = []string{"packed-refs", "shallow", "objects/info/alternates", "BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_NAMES"}
	printedDirectories = []string{"info", "branches", "remotes", "rebase-merge", "rebase-apply", "sequencer"}
	listTrees          = []string{"worktree list", "branch", "for-each-ref", "tag"}
)

// noteLinks keeps links in the place of such files, which lead anywhere. Git makes
// none: they came with a directory that something else unpacked.
func (in *inspection) noteLinks(place repository) error {
	places := []string{place.gitDir}
	if place.commonDir != place.gitDir {
		places = append(places, place.commonDir)
	}
	for _, dir := range places {
		for _, name := range printed {
			if err := in.noteLink(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		for _, name := range printedDirectories {
			if _, err := in.noteLinksIn(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(listTrees, in.query.Subcommand) {
		return nil
	}
	trees := filepath.Join(place.commonDir, "worktrees")
	names, err := in.noteLinksIn(trees)
	if err != nil {
		return err
	}
	for _, name := range names {
		for _, file := range []string{"gitdir", "locked"} {
			if err := in.noteLink(filepath.Join(trees, name, file)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (in *inspection) noteLink(path string) error {
	found, err := in.probe.stat(path, false)
	if err != nil {
		return refuse(CodeUnreadable, path)
	}
	if found.Kind == stat.Link {
		in.files = append(in.files, path)
	}
	return nil
}

// noteLinksIn does so for a directory and all that lies in it, whose names it returns.
func (in *inspection) noteLinksIn(dir string) ([]string, error) {
	found, entries, err := in.probe.list(dir, false)
	if err != nil {
		return nil, refuse(CodeUnreadable, dir)
	}
	if found.Kind == stat.Link {
		return nil, refuse(CodeLinkedGitDir, dir)
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
		if entry.Type()&fs.ModeSymlink != 0 {
			in.files = append(in.files, filepath.Join(dir, entry.Name()))
		}
	}
	return names, nil
}
