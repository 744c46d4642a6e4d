// Package producers says what programs print that only print where something lies.
package producers

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/scope"
	"policyd/extract/versions"
)

// Producers says what programs print that only print where something lies.
type Producers struct {
	View    *disk.View
	Session *v1.SessionFacts
	Repos   *scope.Repositories
	// Home is the sidecar's own home, and LookupEnv finds a variable of its environment, which counts for
	// sessions with that home; nil is an empty environment.
	Home      string
	LookupEnv func(name string) (value string, set bool)
}

// Path is what a program prints if it doesn't fail, "" if that isn't certain. The question
// is the name of a value of extract/argv/producers.json, an operand and a working directory,
// separated by newlines.
//
// The environment counts as the person's: agents can change it on the line alone, where the shell's
// facts show it.
func (p *Producers) Path(question string) string {
	value, rest, _ := strings.Cut(question, "\n")
	operand, dir, _ := strings.Cut(rest, "\n")
	if p.View.Windows || p.View.Home == "" || p.View.Resolver.Map != nil || !p.View.Direct(dir) {
		return ""
	}
	find, known := values[value]
	if !known {
		return ""
	}
	text := find(p, dir, operand)
	if value == "git_directory" && text == dir+"/.git" {
		return ".git"
	}
	if !path.IsAbs(text) || path.Clean(text) != text || strings.Trim(text, plainPathBytes) != "" {
		return ""
	}
	return text
}

// values are the values of extract/argv/producers.json, by a working directory and an operand.
var values = map[string]func(p *Producers, dir, operand string) string{
	"git_directory":          func(p *Producers, dir, _ string) string { return p.gitDirectory(dir) },
	"absolute_git_directory": func(p *Producers, dir, _ string) string { return p.gitDirectory(dir) },
	"go_path":                func(p *Producers, _, _ string) string { return p.goSettings().path() },
	"go_module_cache":        func(p *Producers, _, _ string) string { return p.goSettings().moduleCache() },
	"go_main_module":         func(p *Producers, dir, _ string) string { return p.goModule(dir, "") },
	"go_module": func(p *Producers, dir, operand string) string {
		if !goModuleName(operand) {
			return ""
		}
		return p.goModule(dir, operand)
	},
}

// plainPathBytes are bytes that no shell reads in the value of a variable.
const plainPathBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-+@!"

// gitDirectory is the repository that git finds from a directory of its work tree.
func (p *Producers) gitDirectory(dir string) string {
	if p.Repos.Toplevel(dir) == "" {
		return ""
	}
	verdict := p.Repos.Inspect(dir, "rev-parse")
	if verdict.GitDir == dir || strings.HasPrefix(dir, verdict.GitDir+"/") {
		return ""
	}
	return verdict.GitDir
}

// goSettings are the settings of the go command that paths follow from; see "go help environment".
type goSettings struct {
	// standard is GOPATH if nothing is set.
	standard string
	set      map[string]string
}

// goVariables are the settings that are looked at.
var goVariables = []string{"GOPATH", "GOMODCACHE", "GOFLAGS", "GOWORK", "GO111MODULE", "GOROOT"}

// goSettings are those of the session's user: of the environment, then of the file that "go env -w"
// writes. They are nil if that file can't be read.
func (p *Producers) goSettings() *goSettings {
	settings := &goSettings{standard: p.View.Home + "/go", set: map[string]string{}}
	if p.View.Exists(settings.standard + "/VERSION") {
		settings.standard = "" // no GOPATH lies where the program itself does
	}
	environment := func(name string) string {
		if p.View.Home != p.Home || p.LookupEnv == nil {
			return ""
		}
		value, _ := p.LookupEnv(name)
		return value
	}
	file := environment("GOENV")
	if file == "" {
		file = p.goSettingsFile(environment("XDG_CONFIG_HOME"))
	}
	if file != "off" && !settings.read(p.View, file) {
		return nil
	}
	for _, name := range goVariables {
		if value := environment(name); value != "" {
			settings.set[name] = value
		}
	}
	return settings
}

// goSettingsFile is the file of settings below the user's directory of settings, as os.UserConfigDir
// finds it.
func (p *Producers) goSettingsFile(configured string) string {
	switch {
	case p.Session.Platform == "darwin":
		return p.View.Home + "/Library/Application Support/go/env"
	case configured != "":
		return configured + "/go/env"
	}
	return p.View.Home + "/.config/go/env"
}

// read takes the settings of a file, as the go command reads it.
func (s *goSettings) read(view *disk.View, file string) bool {
	if !path.IsAbs(file) {
		return false
	}
	if !view.Exists(file) {
		return true
	}
	content, err := view.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.SplitSeq(string(content), "\n") {
		if name, value, ok := strings.Cut(line, "="); ok && line[0] >= 'A' && line[0] <= 'Z' {
			s.set[name] = value
		}
	}
	return true
}

// path is GOPATH, which may be a list.
func (s *goSettings) path() string {
	switch {
	case s == nil || s.set["GOROOT"] != "":
		return ""
	case s.set["GOPATH"] != "":
		return s.set["GOPATH"]
	}
	return s.standard
}

// moduleCache is the directory that holds modules.
func (s *goSettings) moduleCache() string {
	if s == nil {
		return ""
	}
	if cache := s.set["GOMODCACHE"]; cache != "" {
		return cache
	}
	first, _, _ := strings.Cut(s.path(), ":")
	if first == "" {
		return ""
	}
	return first + "/pkg/mod"
}

// plainModules reports whether no setting chooses other modules than go.mod does.
func (s *goSettings) plainModules() bool {
	if s == nil {
		return false
	}
	flags := s.set["GOFLAGS"]
	return s.set["GOWORK"] == "" && s.set["GO111MODULE"] == "" &&
		!strings.Contains(flags, "mod") && !strings.Contains(flags, "overlay") && !strings.Contains(flags, "-C")
}

// goModule is the directory of a module that the main module of a directory requires; of the main module
// for "". It is certain if neither workspaces nor replacements nor a vendor directory choose another.
func (p *Producers) goModule(dir, name string) string {
	settings := p.goSettings()
	if !settings.plainModules() {
		return ""
	}
	root := p.goRoot(dir)
	if root == "" || p.View.Exists(root+"/vendor") {
		return ""
	}
	content, err := p.View.ReadFile(root + "/go.mod")
	if err != nil {
		return ""
	}
	file := readGoMod(content)
	switch {
	case file == nil:
		return ""
	case name == "" || name == file.Module.Mod.Path:
		return root
	case len(file.Replace) > 0 && (file.Go == nil || !versions.Above(file.Go.Version, "1.16")):
		return "" // what replaces a module may require another version, and go.mod doesn't list all that count
	}
	cache := settings.moduleCache()
	if cache == "" {
		return ""
	}
	required := requiredModule(file, name)
	if required == nil {
		return p.missingModule(file, cache, name)
	}
	directory := cachedModule(required)
	if directory == "" {
		return ""
	}
	return cache + "/" + directory
}

// missingModule is the directory, but for its version, of a module that go.mod says nothing of and the module
// cache doesn't hold: go list prints nothing for it. It is "" for any other.
func (p *Producers) missingModule(file *modfile.File, cache, name string) string {
	required := slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == name })
	replaced := slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == name })
	escaped, err := module.EscapePath(name)
	if required || replaced || err != nil {
		return ""
	}
	directory := cache + "/" + escaped
	entries, err := p.View.ReadDir(path.Dir(directory))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), path.Base(directory)+"@") {
			return ""
		}
	}
	return directory
}

// goRoot is the nearest directory upwards with a file go.mod, "" if there is none or a workspace
// is in force.
func (p *Producers) goRoot(dir string) string {
	root := ""
	for at := dir; ; at = path.Dir(at) {
		if p.View.Exists(at + "/go.work") {
			return ""
		}
		if root == "" && p.View.Exists(at+"/go.mod") {
			root = at
		}
		if at == "/" {
			return root
		}
	}
}

// readGoMod reads the file go.mod of a main module. It returns nil for a file that the go command
// refuses, or whose versions it resolves first.
func readGoMod(content []byte) *modfile.File {
	canonical := func(_, version string) (string, error) {
		if module.CanonicalVersion(version) != version {
			return "", errors.New("not a canonical version")
		}
		return version, nil
	}
	file, err := modfile.Parse("go.mod", content, canonical)
	if err != nil || file.Module == nil {
		return nil
	}
	return file
}

// requiredModule is a module that a file go.mod requires once, and neither excludes nor replaces in any
// version; nil for any other.
func requiredModule(file *modfile.File, name string) *module.Version {
	var found *module.Version
	for _, required := range file.Require {
		if required.Mod.Path == name {
			if found != nil {
				return nil
			}
			found = &required.Mod
		}
	}
	if slices.ContainsFunc(file.Exclude, func(e *modfile.Exclude) bool { return e.Mod.Path == name }) ||
		slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == name }) {
		return nil
	}
	return found
}

// cachedModule is the name of a module's directory in the module cache, "" for a module that can't be there.
func cachedModule(required *module.Version) string {
	name, err := module.EscapePath(required.Path)
	if err != nil {
		return ""
	}
	version, err := module.EscapeVersion(required.Version)
	if err != nil {
		return ""
	}
	return name + "@" + version
}

// goModuleName reports whether a word is the path of one module, with neither a version nor a
// pattern.
func goModuleName(name string) bool {
	return name != "" && path.Clean("/"+name) == "/"+name && !strings.Contains(name, "..") &&
		name[0] != '-' && name[0] != '.' && !strings.ContainsAny(name, "@!+")
}
