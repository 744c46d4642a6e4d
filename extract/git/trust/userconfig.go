package trust

import (
	"path/filepath"
	"slices"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// inspectUserConfig judges the person's and the system's configuration. It is
// trusted, with two exceptions: a file that lies in the workspace is judged
// like a repository's, and a hooks path that leads into the workspace is
// looked at with the repository's hooks. Files that it includes are not read.
func (in *inspection) inspectUserConfig() error {
	for _, file := range in.query.userFiles() {
		found, err := in.probe.stat(file, true)
		if err != nil {
			return err
		}
		if found.Kind == stat.Absent {
			continue
		}
		settings, err := in.settings.read(file)
		if err != nil {
			return err
		}
		real, err := in.probe.resolve("", file)
		if err != nil {
			return refuse(CodeUnreadable, file)
		}
		if in.inRoots(real) || in.inRoots(file) {
			if err := in.judgeUserFile(file, settings); err != nil {
				return err
			}
		}
		in.noteUserSettings(settings)
	}
	return nil
}

func (q *Query) userFiles() []string {
	files := []string{string(filepath.Separator) + filepath.Join("etc", "gitconfig")}
	xdg := q.XDGConfigHome
	if xdg == "" && q.Home != "" {
		xdg = filepath.Join(q.Home, ".config")
	}
	if xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	}
	if q.Home != "" {
		files = append(files, filepath.Join(q.Home, ".gitconfig"))
	}
	return files
}

func (in *inspection) judgeUserFile(file string, settings []syntax.Setting) error {
	var ignored traits
	if err := in.settings.judge(file, settings, &ignored); err != nil {
		return err
	}
	if ignored.hasTree {
		return refuse(CodeWorkTree, "core.worktree in "+file)
	}
	return nil
}

// noteUserSettings keeps hooks paths that can lie in the workspace: relative ones
// are resolved from the work tree, and a person's absolute one may point there. It keeps files that
// the settings name relative to the work tree: the name is the person's, what lies there may be a
// link that is not.
func (in *inspection) noteUserSettings(settings []syntax.Setting) {
	if slices.ContainsFunc(settings, func(s syntax.Setting) bool { return s.Section == "include" || s.Section == "includeif" }) {
		in.settings.credentials = append(in.settings.credentials, "include")
		in.settings.effects |= MapsPushes
	}
	for _, s := range settings {
		switch in.settings.table.classOf(s) {
		case classHooksPath:
			path := in.expand(s.Value)
			if path != "" && !isAnchoredElsewhere(path) && (!filepath.IsAbs(path) || in.leadsInside(path)) {
				in.userHooks = append(in.userHooks, path)
			}
		case classFile:
			if !filepath.IsAbs(s.Value) && !isAnchoredElsewhere(s.Value) {
				in.userFiles = append(in.userFiles, s.Value)
			}
		case classPromisor:
			in.settings.effects |= LazyFetch
		default:
		}
	}
}

func (in *inspection) leadsInside(path string) bool {
	real, err := in.probe.resolve("", path)
	if err != nil {
		real = filepath.Clean(path)
	}
	return in.inRoots(real)
}
