package extract

import (
	"path"
	"strings"
)

// produced is what a program prints if it doesn't fail, "" if that isn't certain. The question
// is the name of a value of extract/shell/producers.json, an operand and a working directory,
// separated by newlines.
//
// The environment counts as the person's: agents can change it on the line alone, where the shell's
// facts show it.
func (e *extraction) produced(question string) string {
	value, rest, _ := strings.Cut(question, "\n")
	operand, dir, _ := strings.Cut(rest, "\n")
	if e.windows || e.home == "" || e.x.lists.pathMap != nil || !e.plain(dir) {
		return ""
	}
	text := ""
	switch value {
	case "git_directory":
		if text = e.gitDirectory(dir); text == dir+"/.git" {
			return ".git"
		}
	case "absolute_git_directory":
		text = e.gitDirectory(dir)
	case "go_path":
		text = e.goSettings().path()
	case "go_module_cache":
		text = e.goSettings().moduleCache()
	case "go_main_module":
		text = e.goModule(dir, "")
	case "go_module":
		if goModuleName(operand) {
			text = e.goModule(dir, operand)
		}
	}
	if !path.IsAbs(text) || path.Clean(text) != text || strings.Trim(text, plainPathBytes) != "" {
		return ""
	}
	return text
}

// plainPathBytes are bytes that no shell reads in the value of a variable.
const plainPathBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-+@!"

// gitDirectory is the repository that git finds from a directory of its work tree.
func (e *extraction) gitDirectory(dir string) string {
	if e.toplevel(dir) == "" {
		return ""
	}
	verdict := e.inspect(dir, "rev-parse")
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
	// known is false if the file of settings can't be read.
	known bool
}

// goVariables are the settings that are looked at.
var goVariables = []string{"GOPATH", "GOMODCACHE", "GOFLAGS", "GOWORK", "GO111MODULE", "GOROOT"}

// goSettings are those of the session's user: of the environment, then of the file that "go env -w"
// writes.
func (e *extraction) goSettings() goSettings {
	settings := goSettings{standard: e.home + "/go", set: map[string]string{}, known: true}
	if e.exists(settings.standard + "/VERSION") {
		settings.standard = "" // no GOPATH lies where the program itself does
	}
	environment := func(name string) string {
		if e.home != e.x.options.Home || e.x.options.LookupEnv == nil {
			return ""
		}
		value, _ := e.x.options.LookupEnv(name)
		return value
	}
	file := environment("GOENV")
	if file == "" {
		file = e.goSettingsFile(environment("XDG_CONFIG_HOME"))
	}
	if file != "off" {
		settings.known = settings.read(e, file)
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
func (e *extraction) goSettingsFile(configured string) string {
	switch {
	case e.facts.Session.Platform == "darwin":
		return e.home + "/Library/Application Support/go/env"
	case configured != "":
		return configured + "/go/env"
	}
	return e.home + "/.config/go/env"
}

// read takes the settings of a file, as the go command reads it.
func (s *goSettings) read(e *extraction, file string) bool {
	if !path.IsAbs(file) {
		return false
	}
	if !e.exists(file) {
		return true
	}
	content, err := e.readFile(file)
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
func (s goSettings) path() string {
	switch {
	case !s.known || s.set["GOROOT"] != "":
		return ""
	case s.set["GOPATH"] != "":
		return s.set["GOPATH"]
	}
	return s.standard
}

// moduleCache is the directory that holds modules.
func (s goSettings) moduleCache() string {
	if cache := s.set["GOMODCACHE"]; cache != "" && s.known {
		return cache
	}
	first, _, _ := strings.Cut(s.path(), ":")
	if first == "" {
		return ""
	}
	return first + "/pkg/mod"
}

// plainModules reports whether no setting chooses other modules than go.mod does.
func (s goSettings) plainModules() bool {
	flags := s.set["GOFLAGS"]
	return s.known && s.set["GOWORK"] == "" && s.set["GO111MODULE"] == "" &&
		!strings.Contains(flags, "mod") && !strings.Contains(flags, "overlay") && !strings.Contains(flags, "-C")
}

// goModule is the directory of a module that the main module of a directory requires; of the main module
// for "". It is certain if neither workspaces nor replacements nor a vendor directory choose another.
func (e *extraction) goModule(dir, name string) string {
	settings := e.goSettings()
	if !settings.plainModules() {
		return ""
	}
	root := e.goRoot(dir)
	if root == "" || e.exists(root+"/vendor") {
		return ""
	}
	content, err := e.readFile(root + "/go.mod")
	if err != nil {
		return ""
	}
	file, ok := readGoMod(string(content))
	switch {
	case !ok:
		return ""
	case name == "" || name == file.module:
		return root
	case file.replaces && (file.version == "" || !above(file.version, "1.16")):
		return "" // what replaces a module may require another version, and go.mod doesn't list all that count
	case file.mentions[name] != 1 || file.requires[name] == "":
		return ""
	}
	cache := settings.moduleCache()
	if cache == "" {
		return ""
	}
	return cache + "/" + escapedModule(name) + "@" + escapedModule(file.requires[name])
}

// goRoot is the nearest directory upwards with a file go.mod, "" if there is none or a workspace
// is in force.
func (e *extraction) goRoot(dir string) string {
	root := ""
	for at := dir; ; at = path.Dir(at) {
		if e.exists(at + "/go.work") {
			return ""
		}
		if root == "" && e.exists(at+"/go.mod") {
			root = at
		}
		if at == "/" {
			return root
		}
	}
}

// goMod is what a file go.mod requires.
type goMod struct {
	// module is the module's own path, version that of the language.
	module, version string
	// replaces is true if some module is replaced.
	replaces bool
	requires map[string]string
	// mentions counts the lines that name a module.
	mentions map[string]int
}

// readGoMod reads a file go.mod that quotes nothing; see
// https://go.dev/ref/mod#go-mod-file. It reports false for any other.
func readGoMod(content string) (goMod, bool) {
	file := goMod{requires: map[string]string{}, mentions: map[string]int{}}
	if strings.ContainsAny(content, "\"`\r\\") || strings.Contains(content, "/*") {
		return file, false
	}
	block := ""
	for line := range strings.SplitSeq(content, "\n") {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		verb := block
		switch {
		case len(words) == 0:
			continue
		case len(words) == 1 && words[0] == ")":
			block = ""
			continue
		case block == "":
			verb, words = words[0], words[1:]
			if len(words) == 1 && words[0] == "(" {
				block = verb
			}
		}
		if strings.ContainsAny(line, "()") && (len(words) != 1 || words[0] != "(") && verb != "retract" {
			return file, false
		}
		if len(words) == 0 {
			continue
		}
		file.mentions[words[0]]++
		file.replaces = file.replaces || verb == "replace"
		switch {
		case verb == "go" && len(words) == 1:
			file.version = words[0]
		case verb == "module" && len(words) == 1 && words[0] != "(":
			file.module = words[0]
		case verb == "require" && len(words) == 2:
			file.requires[words[0]] = words[1]
		}
	}
	return file, file.module != "" && block == ""
}

// goModuleName reports whether a word is the path of one module, with neither a version nor a
// pattern.
func goModuleName(name string) bool {
	return name != "" && path.Clean("/"+name) == "/"+name && !strings.Contains(name, "..") &&
		name[0] != '-' && name[0] != '.' && !strings.ContainsAny(name, "@!+")
}

// escapedModule is how the module cache spells a path or a version: a capital letter is "!" and the
// small one.
func escapedModule(name string) string {
	var out strings.Builder
	for _, c := range []byte(name) {
		if c >= 'A' && c <= 'Z' {
			out.WriteByte('!')
			c += 'a' - 'A'
		}
		out.WriteByte(c)
	}
	return out.String()
}
