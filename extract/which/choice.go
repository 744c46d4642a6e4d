// Package which says which program a command runs: whether a file beside it chooses another one, or the project has
// one of that name.
package which

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
	"policyd/extract/stat"
	"policyd/extract/versions"
)

// Choice says whether files beside a command choose the program that runs.
type Choice struct {
	View  *disk.View
	Scope *scope.Scope
	Globs *disk.Globs
	Trees *disk.Walker
}

// ReadAbove says what the files are that a program reads in its working directories
// and above without being told to, or above those that it was told to read: a link
// in their place may lead anywhere.
func (h *Choice) ReadAbove(c *command.Command) string {
	if len(c.Implied.ReadsAbove) == 0 {
		return disk.ReachesNone
	}
	for _, dir := range h.choosing(c) {
		resolved, err := h.View.Resolve(dir)
		if err != nil {
			return disk.ReachesUnknown
		}
		for at := resolved.Real; ; at = paths.Parent(at) {
			for _, name := range c.Implied.ReadsAbove {
				if answer := h.Trees.SettingsFile(strings.TrimSuffix(at, "/") + "/" + name); answer != disk.ReachesNone {
					return answer
				}
			}
			if at == paths.Parent(at) {
				break
			}
		}
	}
	return disk.ReachesNone
}

// Chosen reports whether a file that chooses the program lies in a directory
// that the command may run in, or above.
func (h *Choice) Chosen(c *command.Command) bool {
	if !c.Cwd.Complete() {
		return true
	}
	installed := h.installed(c.Selection.VersionFiles)
	for _, dir := range h.choosing(c) {
		if !filepath.IsAbs(dir) {
			return true // what lies there can't be seen
		}
		// Some programs climb from the name that the shell has of the directory, and others from where it really lies.
		resolved, err := h.View.Resolve(dir)
		if err != nil || h.chosenFrom(dir, c.Selection.ChosenBy, installed) ||
			resolved.Real != dir && h.chosenFrom(resolved.Real, c.Selection.ChosenBy, installed) {
			return true
		}
	}
	return false
}

// chosenFrom reports whether one of the files that choose a program lies at a directory or above.
func (h *Choice) chosenFrom(dir string, entries []string, installed string) bool {
	for at := dir; ; at = paths.Parent(at) {
		if h.choosesAt(strings.TrimSuffix(at, "/"), entries, installed) {
			return true
		}
		if at == "/" {
			return false
		}
	}
}

// choosesAt reports whether one of the files that choose a program lies at a directory.
func (h *Choice) choosesAt(dir string, entries []string, installed string) bool {
	absent := ""
	for _, entry := range entries {
		if end := strings.IndexAny(entry, "/:|="); end > 0 && entry[end] == '/' {
			inside := entry[:end]
			if inside == absent || inside == ".config" && h.personal(dir) {
				continue
			}
			if !h.View.Exists(dir + "/" + inside) {
				absent = inside
				continue
			}
		}
		if h.chooses(dir, entry, installed) {
			return true
		}
	}
	return false
}

// personal reports whether a directory is the home, where the agent has no say in what the
// person's programs are told.
func (h *Choice) personal(dir string) bool {
	outside := func(name string) bool { return h.Scope.Space(dir+name) == v1.SpaceOutside }
	return dir == h.View.Home && outside("/.config") && outside("/.config/mise")
}

// choosing are the directories that such a file counts in, and in those above:
// the working directories, and for some programs those of the files that they read.
func (h *Choice) choosing(c *command.Command) []string {
	if !c.Selection.Beside {
		return c.Cwd.Known
	}
	dirs := slices.Clone(c.Cwd.Known)
	for i := range c.Accesses {
		a := &c.Accesses[i]
		for _, base := range c.Cwd.Known {
			names := []string{h.View.Absolute(a.Text, base)}
			if a.Naming == command.ByGlob {
				names = h.Globs.Expand(a.Text, base).Matches
			}
			for _, name := range names {
				dir := paths.Parent(name)
				if a.Below == command.Tree {
					dir = name
				}
				if name != "" && !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
		}
	}
	return dirs
}

// Imports reports whether a working directory holds a module of one of the names
// that a program imports: a file that Python runs or loads, or a package.
func (h *Choice) Imports(c *command.Command) bool {
	if !c.Cwd.Complete() {
		return true
	}
	for _, dir := range c.Cwd.Known {
		entries, err := h.View.ReadDir(dir)
		if err != nil {
			return true
		}
		for _, entry := range entries {
			name, _, _ := strings.Cut(entry.Name(), ".")
			if _, known := slices.BinarySearch(c.Selection.Imports, name); known && h.module(dir+"/"+entry.Name()) {
				return true
			}
		}
	}
	return false
}

// module reports whether a file or a directory may be a module of Python's.
func (h *Choice) module(name string) bool {
	switch filepath.Ext(name) {
	case ".py", ".pyw", ".pyc", ".so", ".pyd", ".dll", ".dylib":
		return true
	}
	info, err := h.View.Stat(name)
	if err != nil || !info.IsDir() {
		return err != nil && !stat.Missing(err)
	}
	entries, err := h.View.ReadDir(name)
	return err != nil || slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return strings.HasPrefix(entry.Name(), "__init__.") })
}

// installed is the lowest version that files in the usual places name, empty
// when none does. What is installed elsewhere is not seen.
func (h *Choice) installed(files []string) string {
	lowest := ""
	for _, file := range files {
		if strings.HasPrefix(file, "~/") {
			if file = h.View.ExpandHome(file); file == "" {
				continue
			}
		}
		for _, match := range h.Globs.Expand(file, "/").Matches {
			content, err := h.View.ReadFile(match)
			if err != nil {
				continue
			}
			first, _, _ := strings.Cut(string(content), "\n")
			version := strings.TrimPrefix(strings.TrimSpace(first), "go")
			if versions.Above(version, version) {
				continue // no plain version
			}
			if lowest == "" || versions.Above(lowest, version) {
				lowest = version
			}
		}
	}
	return lowest
}

// chooses reports whether a directory holds a file that chooses a program. An
// entry "name:text" counts only when the file holds the text, "name|word" when a
// line of it begins with the word, and "name|word>version" when the version
// behind that word is above it, and above the one that is installed. "name=versions",
// "name=tools" and "name=protos" count unless the file is a plain list of tools and their versions.
func (h *Choice) chooses(dir, entry, installed string) bool {
	if name, kind, listed := strings.Cut(entry, "="); listed {
		plain := versions.Lists[kind]
		return h.holds(dir+"/"+name, func(content string) bool { return plain == nil || !plain(content) })
	}
	if name, directive, ok := strings.Cut(entry, "|"); ok {
		word, bound, _ := strings.Cut(directive, ">")
		if bound != "" && installed != "" && versions.Above(installed, bound) {
			bound = installed
		}
		return h.holds(dir+"/"+name, func(content string) bool { return versions.Directs(content, word, bound) })
	}
	name, text, conditional := strings.Cut(entry, ":")
	if !conditional {
		return h.View.Exists(dir + "/" + name)
	}
	return h.holds(dir+"/"+name, func(content string) bool { return strings.Contains(content, text) })
}

// holds reports whether a file is there and what it holds is so, can't be read, or isn't believed.
func (h *Choice) holds(path string, so func(content string) bool) bool {
	content, err := h.View.ReadFile(path)
	if err != nil {
		return !stat.Missing(err)
	}
	return so(string(content)) || !h.believed(path)
}

// believed reports whether a file that is there is what it seems to be: no secret, and nothing outside that a link of
// the session's own directories leads to. A program prints parts of a file that it finds no version in.
func (h *Choice) believed(path string) bool {
	switch h.Trees.SettingsFile(path) {
	case disk.ReachesNone:
		return true
	case disk.ReachesOutside:
		resolved, err := h.View.Resolve(path)
		return err == nil && !slices.ContainsFunc(resolved.Links, func(link string) bool { return h.Scope.OwnRoot(link) != "" })
	}
	return false
}

// Shadowed reports whether cmd, which looks into the working directory first,
// finds a program there before the one that is meant.
func (h *Choice) Shadowed(c *command.Command) bool {
	if c.Cwd.Others {
		return true
	}
	for _, dir := range c.Cwd.Known {
		for _, extension := range []string{".com", ".exe", ".bat", ".cmd"} {
			if h.View.Exists(dir + "/" + c.Program + extension) {
				return true
			}
		}
	}
	return false
}
