package trust

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"policyd/extract/stat"
)

// noteFiles keeps the files that settings name for git to read. A relative path
// counts from the work tree, where git goes first.
func (in *inspection) noteFiles(place repository, values []string) error {
	base := place.top
	if base == "" {
		base = place.gitDir
	}
	for _, value := range slices.Concat(values, in.person.files) {
		path := in.expand(value)
		switch {
		case path == "":
			continue
		case isAnchoredElsewhere(path), strings.HasPrefix(path, ":("):
			return refuse(CodeConfigKey, "file "+path)
		case !filepath.IsAbs(path):
			path = filepath.Join(base, path)
		}
		in.verdict.Files = append(in.verdict.Files, path)
	}
	return nil
}

// expand puts the home in the place of "~".
func (in *inspection) expand(path string) string {
	if rest, home := strings.CutPrefix(path, "~/"); home && in.query.Home != "" {
		return filepath.Join(in.query.Home, rest)
	}
	return path
}

// printed are files of a repository that git prints, or whose lines it prints if
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
	for _, dir := range slices.Compact([]string{place.gitDir, place.commonDir}) {
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
	trees, err := in.noteLinksIn(filepath.Join(place.commonDir, "worktrees"))
	for _, tree := range trees {
		for _, file := range []string{"gitdir", "locked"} {
			if err := in.noteLink(filepath.Join(tree, file)); err != nil {
				return err
			}
		}
	}
	return err
}

func (in *inspection) noteLink(path string) error {
	found, err := in.probe.stat(path, false)
	if found.Kind == stat.Link {
		in.verdict.Files = append(in.verdict.Files, path)
	}
	return err
}

// noteLinksIn does so for a directory and all that lies in it, whose paths it returns.
func (in *inspection) noteLinksIn(dir string) (paths []string, err error) {
	found, entries, err := in.probe.list(dir, false)
	if err != nil {
		return nil, err
	}
	if found.Kind == stat.Link {
		return nil, refuse(CodeLinkedGitDir, dir)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		paths = append(paths, path)
		if entry.Type()&fs.ModeSymlink != 0 {
			in.verdict.Files = append(in.verdict.Files, path)
		}
	}
	return paths, nil
}
