package git

import (
	"path/filepath"
	"strings"

	"policyd/extract/git/syntax"
)

// noteFiles keeps the files that settings name for git to read. A relative path
// counts from the work tree, where git goes first.
func (in *inspection) noteFiles(place repository, values []string) error {
	base := place.top
	if base == "" {
		base = place.gitDir
	}
	for _, value := range append(values, in.userFileSettings...) {
		path := value
		if rest, home := strings.CutPrefix(path, "~/"); home && in.query.Home != "" {
			path = filepath.Join(in.query.Home, rest)
		}
		switch {
		case path == "":
			continue
		case strings.HasPrefix(path, "~"), strings.HasPrefix(path, "%("), strings.HasPrefix(path, ":("):
			return refuse(CodeConfigKey, "file "+path)
		case !filepath.IsAbs(path):
			path = filepath.Join(base, path)
		}
		in.files = append(in.files, path)
	}
	return nil
}

// noteUserFiles keeps what the person's settings name relative to the work tree:
// the name is the person's, what lies there may be a link that is not.
func (in *inspection) noteUserFiles(settings []syntax.Setting) {
	for _, s := range settings {
		if in.table.classOf(s) == classFile && !filepath.IsAbs(s.Value) && !strings.HasPrefix(s.Value, "~") && !strings.HasPrefix(s.Value, "%(") {
			in.userFileSettings = append(in.userFileSettings, s.Value)
		}
	}
}
