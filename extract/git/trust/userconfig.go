package trust

import (
	"path/filepath"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// Bounds on the files that a person's configuration includes: git's own depth, and how many are read.
const maxIncludeDepth, maxIncluded = 10, 64

// person is what the person's and the system's configuration says. It is trusted, except where it leads into
// the workspace: a file that lies there is judged like a repository's, and hooks and programs there are looked
// at with the repository.
type person struct {
	// hooks are hooks paths that may lie in the workspace, files are those of files that count from the work tree.
	hooks, files []string
	// programs are settings with which git runs a program.
	programs []syntax.Setting
}

// personReader reads the person's and the system's configuration, and counts the files.
type personReader struct {
	*inspection
	files int
}

// inspectUserConfig reads the person's and the system's configuration.
func (in *inspection) inspectUserConfig() error {
	reader := personReader{inspection: in}
	for _, file := range in.query.userFiles() {
		if err := reader.read(file, 0); err != nil {
			return err
		}
	}
	return nil
}

// read reads one file, and those that it includes, whatever the condition: all of them add to what is noted.
func (in *personReader) read(file string, depth int) error {
	found, err := in.probe.stat(file, true)
	if err != nil || found.Kind == stat.Absent {
		return err
	}
	if in.files++; depth > maxIncludeDepth || in.files > maxIncluded {
		return refuse(CodeLimit, "files that "+file+" is one of")
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
		if err := in.judgeInside(file, settings); err != nil {
			return err
		}
	}
	in.note(settings)
	for _, included := range in.included(file, settings) {
		if err := in.read(included, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// included are the files that settings of a file include, without those of git's own and of other persons.
func (in *personReader) included(file string, settings []syntax.Setting) (files []string) {
	for _, s := range settings {
		path := in.expand(s.Value)
		if in.settings.table.classOf(s) != classInclude || path == "" || isAnchoredElsewhere(path) {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		files = append(files, filepath.Clean(path))
	}
	return files
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

// judgeInside holds a file that lies in the workspace to what a repository may set.
func (in *personReader) judgeInside(file string, settings []syntax.Setting) error {
	var ignored traits
	if err := in.settings.judge(file, settings, &ignored); err != nil {
		return err
	}
	if ignored.hasTree {
		return refuse(CodeWorkTree, "core.worktree in "+file)
	}
	return nil
}

// note keeps hooks paths that can lie in the workspace: relative ones
// are resolved from the work tree, and a person's absolute one may point there. It keeps files that
// the settings name relative to the work tree: the name is the person's, what lies there may be a
// link that is not.
func (in *personReader) note(settings []syntax.Setting) {
	for _, s := range settings {
		switch in.settings.table.classOf(s) {
		case classHooksPath:
			path := in.expand(s.Value)
			if path != "" && !isAnchoredElsewhere(path) && (!filepath.IsAbs(path) || in.leadsInside(path)) {
				in.person.hooks = append(in.person.hooks, path)
			}
		case classFile:
			if !filepath.IsAbs(s.Value) && !isAnchoredElsewhere(s.Value) {
				in.person.files = append(in.person.files, s.Value)
			}
		case classPromisor:
			in.settings.effects |= LazyFetch
		case classDiff, classTextconv, classFilter, classMonitor, classSignature:
			in.person.programs = append(in.person.programs, s)
		case classInclude: // which it does for one condition, and not for all
			in.settings.credentials = append(in.settings.credentials, "include")
			in.settings.effects |= MapsPushes
		default:
		}
	}
}

// programsInside refuses programs of the person's settings that lie in the work tree: git starts them at its top.
func (in *inspection) programsInside(top string) error {
	for _, s := range in.person.programs {
		for _, word := range strings.FieldsFunc(s.Value, separatesWords) {
			if !strings.ContainsAny(word, "./") {
				continue
			}
			path := in.expand(word)
			if !filepath.IsAbs(path) {
				path = filepath.Join(top, path)
			}
			found, err := in.probe.stat(path, true)
			if err != nil || found.Kind != stat.File {
				continue
			}
			if in.leadsInside(path) || syntax.Within(top, filepath.Clean(path)) {
				return refuse(CodeConfigKey, s.Name()+" names "+path)
			}
		}
	}
	return nil
}

// separatesWords reports whether a character ends a word of a command line, or quotes it.
func separatesWords(c rune) bool { return strings.ContainsRune(" \t\n'\";|&()<>$`=", c) }

func (in *inspection) leadsInside(path string) bool {
	real, err := in.probe.resolve("", path)
	if err != nil {
		real = filepath.Clean(path)
	}
	return in.inRoots(real)
}
