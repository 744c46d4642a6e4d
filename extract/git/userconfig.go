package git

import (
	"path/filepath"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// inspectUserConfig judges the person's and the system's configuration. It is
// trusted, with two exceptions: a file that lies in the workspace is judged
// like a repository's, and a hooks path that leads into the workspace is
// looked at with the repository's hooks. Files that it includes are not read.
func (in *inspection) inspectUserConfig() error {
	for _, file := range in.userFiles() {
		found, err := in.probe.stat(file, true)
		if err != nil {
			return refuse(CodeUnreadable, file)
		}
		if found.Kind == stat.Absent {
			continue
		}
		settings, err := in.readConfig(file)
		if err != nil {
			return err
		}
		real, err := in.probe.resolve("", file)
		if err != nil {
			return refuse(CodeUnreadable, file)
		}
		if in.checkRoots("", real) == nil || in.checkRoots("", file) == nil {
			if err := in.judgeUserFile(file, settings); err != nil {
				return err
			}
		}
		in.noteUserHooks(settings)
		in.noteUserFiles(settings)
		if includes(settings) {
			in.credentials = append(in.credentials, "include")
			in.mapsPushes = true
		}
	}
	return nil
}

func (in *inspection) userFiles() []string {
	files := []string{string(filepath.Separator) + filepath.Join("etc", "gitconfig")}
	xdg := in.query.XDGConfigHome
	if xdg == "" && in.query.Home != "" {
		xdg = filepath.Join(in.query.Home, ".config")
	}
	if xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	}
	if in.query.Home != "" {
		files = append(files, filepath.Join(in.query.Home, ".gitconfig"))
	}
	return files
}

func (in *inspection) judgeUserFile(file string, settings []syntax.Setting) error {
	var ignored traits
	if err := in.judgeSettings(file, settings, &ignored); err != nil {
		return err
	}
	if ignored.hasTree {
		return refuse(CodeWorkTree, "core.worktree in "+file)
	}
	return nil
}

// noteUserHooks keeps hooks paths that can lie in the workspace: relative ones
// are resolved from the work tree, and a person's absolute one may point there.
func (in *inspection) noteUserHooks(settings []syntax.Setting) {
	for _, s := range settings {
		if in.table.classOf(s) != classHooksPath || s.Value == "" {
			continue
		}
		path := s.Value
		if rest, home := strings.CutPrefix(path, "~/"); home && in.query.Home != "" {
			path = filepath.Join(in.query.Home, rest)
		}
		if strings.HasPrefix(path, "~") || strings.HasPrefix(path, "%(") {
			continue
		}
		if !filepath.IsAbs(path) || in.leadsInside(path) {
			in.userHooks = append(in.userHooks, path)
		}
	}
}

func (in *inspection) leadsInside(path string) bool {
	real, err := in.probe.resolve("", path)
	if err != nil {
		return in.checkRoots("", filepath.Clean(path)) == nil
	}
	return in.checkRoots("", real) == nil
}
