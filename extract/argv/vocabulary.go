package argv

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	fast "github.com/goccy/go-json"
)

//go:embed words.json
var wordsJSON []byte

//go:embed versions.json
var versionsJSON []byte

//go:embed risks.json
var risksJSON []byte

// Vocabulary is what is true of more than one program.
type Vocabulary struct {
	Variables Variables    `json:"variables"`
	Shell     ShellWords   `json:"shell"`
	Python    Python       `json:"python"`
	Operands  OperandWords `json:"operands"`
	Printing  Printers     `json:"printing"`
	// ChoosingFiles are groups of files that choose programs, by the name that stands for them in the
	// program table: those that version managers read for what they manage and for any program behind
	// a shim, those of corepack.
	ChoosingFiles map[string][]string `json:"choosing_files"`
	// InnerCommands are subcommands that run a command elsewhere, whatever program has them.
	InnerCommands     []string `json:"inner_commands"`
	SystemDirectories []string `json:"system_directories"`

	// versions are the options that print the version or help of programs without an entry; see Prints.Version.
	versions  map[string][]string
	risks     RiskTable
	producers []Producer
}

// ShellWords are names that some shell gives a meaning to.
type ShellWords struct {
	Builtins []string `json:"builtins"`
	// Hooks are functions that shells call by themselves.
	Hooks []string `json:"hooks"`
	// RunsText are builtins that run text, or change what the text behind them means.
	RunsText     []string `json:"runs_text"`
	SafeSetNames []string `json:"safe_set_names"`
	// Inspecting are builtins to the letters of the options with which they only print what the shell holds.
	Inspecting map[string]string `json:"inspecting"`
}

// IsShell reports whether a program is a shell whose command lines are parsed.
func IsShell(name string) bool {
	switch name {
	case "bash", "sh", "dash", "zsh", "ksh":
		return true
	}
	return false
}

// IsOwn reports whether a program is policyd's own.
func IsOwn(name string) bool { return name == "policyd" || name == "policyd-hook" }

// Python is what Python brings along.
type Python struct {
	// Modules are those that it brings, and those that it looks for by itself: a file of one of these
	// names in the working directory comes before Python's own.
	Modules []string `json:"modules"`
	// Programs are those of them that are programs which read.
	Programs []string `json:"programs"`
	// Tools are modules that are programs of the same name.
	Tools []string `json:"tools"`
}

// Variables are names of environment variables, by what they change.
type Variables struct {
	// HarmlessValues are names to the values that are harmless, with "|" between them: "" is any, "0-9" any number, "a-z" any
	// word without a character that a shell or make gives a meaning to.
	HarmlessValues   map[string]string `json:"harmless"`
	HarmlessPrefixes []string          `json:"harmless_prefixes"`
	// DangerousNames are patterns of names that change which programs run, what they load, or where
	// they send what they know, or that shells give a meaning to; in upper case.
	DangerousNames []string `json:"dangerous"`
	// LocalNames are names that no program reads, whatever these patterns match. Of lower-case names
	// they are the only ones in zsh.
	LocalNames       []string `json:"local"`
	SpecialLowercase []string `json:"special_lowercase"`
	// Zsh are those that zsh gives a meaning or sets by itself, as it does match where a regular
	// expression matched; in lower case.
	Zsh []string `json:"zsh"`
	// Public hold nothing that an agent may not see.
	Public []string `json:"public"`
	// Loading list directories that programs load code from.
	Loading []string `json:"loading"`
	// MakeControls are make's variables that choose what runs its recipes and what it reads.
	MakeControls []string `json:"make_controls"`
}

// harmlessValue reports whether a value is one of those that HarmlessValues states.
func harmlessValue(only, text string) bool {
	switch only {
	case "":
		return true
	case "0-9": // zsh evaluates them as expressions when they are set
		return text != "" && strings.Trim(text, "0123456789") == ""
	case "a-z":
		return strings.Trim(text, schemeBytes+"_,:") == ""
	}
	return slices.Contains(strings.Split(only, "|"), text)
}

// Harmless reports whether assigning text to name changes nothing but how output looks.
func (v *Variables) Harmless(name, text string) bool {
	if name == "TZ" && strings.ContainsAny(text, ".:") {
		return false // a zone's rules may be in a file
	}
	if name != "TZ" && strings.Contains(text, "/") || strings.HasPrefix(text, "/") || strings.Contains(text, "..") {
		return false // the name of a locale or a terminal must not lead to a file
	}
	if (name == "LANG" || strings.HasPrefix(name, "LC_")) && !plainLocale(text) {
		return false
	}
	if only, ok := v.HarmlessValues[name]; ok {
		return harmlessValue(only, text)
	}
	return slices.ContainsFunc(v.HarmlessPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// plainLocale reports whether in a locale every byte that shells and programs give a meaning to is a
// character of its own, as it is here. In some character sets (BIG5, GBK, SJIS) it may be the end of
// another character: bash then takes no backslash or quote for one. A name without a character set
// leaves it to the system.
func plainLocale(name string) bool {
	if name == "" || name == "C" || name == "POSIX" {
		return true
	}
	name, _, _ = strings.Cut(name, "@")
	_, set, _ := strings.Cut(name, ".")
	return slices.Contains([]string{"utf-8", "utf8"}, strings.ToLower(set))
}

// Dangerous reports whether a variable changes which programs run, what they load, or where they send
// what they know.
func (v *Variables) Dangerous(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc(v.DangerousNames, func(pattern string) bool {
		ok, err := path.Match(pattern, upper)
		return ok || err != nil
	})
}

// Local reports whether no program and no shell reads the variable, so that assigning it, without
// exporting it, affects nothing but the line itself. isName is whether name can be the name of a
// variable. A lower-case name is local, but for those that shells and HTTP libraries know; an
// upper-case one is if it isn't dangerous, or is listed all the same.
func (v *Variables) Local(name string, isName bool) bool {
	if strings.ToLower(name) == name {
		// npm hands its settings on in npm_config_*, to an agent that it started, too.
		return !slices.Contains(v.SpecialLowercase, name) && !strings.HasPrefix(name, "npm_")
	}
	return slices.Contains(v.LocalNames, name) || isName && !v.Dangerous(name)
}

// OperandWords are words that options and operands of some kinds may be.
type OperandWords struct {
	// GitSettings are settings of git's that run nothing and choose no file, in lower case; with a dot
	// at the end all below it.
	GitSettings []string `json:"git_settings"`
	// NetworkSchemes are those of addresses that name no file of this machine, sorted.
	NetworkSchemes []string `json:"network_schemes"`
	// MountPoints are directories that every system has.
	MountPoints []string `json:"mount_points"`
	// PublicSettings are settings of a package manager whose values are no secrets.
	PublicSettings []string `json:"public_settings"`
	// ProcessFields are columns of ps that show nothing of a process's environment.
	ProcessFields []string `json:"process_fields"`
	// Sockets are those by which sockets are selected and that name no host.
	Sockets []string `json:"sockets"`
}

// PlainGitSetting reports whether the setting of git's with this name runs nothing and chooses no file.
func (o *OperandWords) PlainGitSetting(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(o.GitSettings, func(setting string) bool {
		return name == setting || strings.HasSuffix(setting, ".") && strings.HasPrefix(name, setting)
	})
}

// PublicFields reports whether a list of ps's columns, each with or without a heading behind =, shows
// nothing that an agent may not see.
func (o *OperandWords) PublicFields(text string) bool {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(field string) bool {
		name, _, _ := strings.Cut(field, "=")
		return !slices.Contains(o.ProcessFields, name)
	})
}

// Printers are lists of verbs and options by what they do with output and input.
type Printers struct {
	IndifferentVerbs []string `json:"indifferent_verbs"`
	// ReadingVerbs change nothing on the disk but what their paths are written to.
	ReadingVerbs []string `json:"reading_verbs"`
	// ReadingPrograms do neither, as long as no caveat says that they run or change something.
	ReadingPrograms []string `json:"reading_programs"`
	// InputIgnorers are verbs that read nothing of standard input, whatever they are given.
	InputIgnorers []string `json:"input_ignorers"`
	// CommitOptions make git add commits to those that words name. TreeComparers compare a single
	// tree with all that is tracked, be it one of a directory.
	CommitOptions []string `json:"commit_options"`
	TreeComparers []string `json:"tree_comparers"`
	// XargsOptions are those that leave names whole and read no other input.
	XargsOptions []string `json:"xargs_options"`
}

func loadVocabulary() (*Vocabulary, error) {
	var v Vocabulary
	for _, file := range []struct {
		name string
		text []byte
		into any
	}{{"words.json", wordsJSON, &v}, {"versions.json", versionsJSON, &v.versions}, {"risks.json", risksJSON, &v.risks}, {"producers.json", producersJSON, &v.producers}} {
		if err := fast.Unmarshal(file.text, file.into); err != nil {
			return nil, fmt.Errorf("load %s: %w", file.name, err)
		}
	}
	return &v, nil
}

// Risks are what every program shares about risks.
func (v *Vocabulary) Risks() *RiskTable { return &v.risks }

// Producers are the commands whose output is known or has a known shape.
func (v *Vocabulary) Producers() []Producer { return v.producers }
