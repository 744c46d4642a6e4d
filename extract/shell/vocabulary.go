package shell

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	fast "github.com/goccy/go-json"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
)

//go:embed words.json
var wordsJSON []byte

//go:embed versions.json
var versionsJSON []byte

//go:embed risks.json
var risksJSON []byte

// vocabulary is what the shells themselves give a meaning to.
type vocabulary struct {
	// PlainGitSettings are settings of git's that run nothing and choose no file, in lower
	// case; with a dot at the end all below it.
	PlainGitSettings []string `json:"plain_git_settings"`
	// NetworkSchemes are those of addresses that name no file of this machine, sorted.
	NetworkSchemes []string `json:"network_schemes"`
	// HarmlessVariables are names to the one value that is harmless: "" is any,
	// "0-9" any number.
	HarmlessVariables map[string]string `json:"harmless_variables"`
	HarmlessPrefixes  []string          `json:"harmless_prefixes"`
	// DangerousVariables are patterns of names that change which programs run, what they
	// load, or where they send what they know, or that shells give a meaning to; in upper
	// case. LocalVariables are names that no program reads, whatever these patterns match; of
	// lower-case names they are the only ones in zsh.
	DangerousVariables []string `json:"dangerous_variables"`
	LocalVariables     []string `json:"local_variables"`
	SpecialLowercase   []string `json:"special_lowercase"`
	// InnerCommands are subcommands that run a command elsewhere, whatever program has them.
	InnerCommands []string `json:"inner_commands"`
	// IndifferentVerbs do the same whatever variables hold that aren't dangerous.
	IndifferentVerbs []string `json:"indifferent_verbs"`
	// ZshVariables are those that zsh gives a meaning or sets by itself, as it does
	// match where a regular expression matched; in lower case.
	ZshVariables []string `json:"zsh_variables"`
	// MakeControls are make's variables that say what runs its recipes and what it
	// reads.
	MakeControls []string `json:"make_controls"`
	// PublicVariables hold nothing that an agent may not see.
	PublicVariables []string `json:"public_variables"`
	RunsText        []string `json:"runs_text"`
	// ChoosingFiles are groups of files that choose programs, by the name that
	// stands for them in the program table: those that version managers read for
	// what they manage and for any program behind a shim, those of corepack.
	ChoosingFiles map[string][]string `json:"choosing_files"`
	// Builtins are names that some shell has a meaning for.
	Builtins []string `json:"builtins"`
	// Hooks are functions that shells call by themselves.
	Hooks             []string `json:"hooks"`
	SafeSetNames      []string `json:"safe_set_names"`
	SystemDirectories []string `json:"system_directories"`
	// MountPoints are directories that every system has.
	MountPoints []string `json:"mount_points"`
	// PublicSettings are settings of a package manager whose values are no secrets.
	PublicSettings []string `json:"public_settings"`
	// ProcessFields are columns of ps that show nothing of a process's environment.
	ProcessFields []string `json:"process_fields"`
	// PythonModules are the modules that Python brings, and those that it looks for
	// by itself: a file of one of these names in the working directory comes before
	// Python's own. ModulePrograms are those of them that are programs which read.
	PythonModules  []string `json:"python_modules"`
	ModulePrograms []string `json:"module_programs"`
	// LoadingVariables list directories that programs load code from.
	LoadingVariables []string `json:"loading_variables"`
	// ToolModules are modules that are programs of the same name.
	ToolModules []string `json:"tool_modules"`
	// SocketWords are those by which sockets are selected and that name no host.
	SocketWords []string `json:"socket_words"`
	// ReadingVerbs change nothing on the disk but what their paths are written to.
	ReadingVerbs []string `json:"reading_verbs"`
	// ReadingPrograms do neither, as long as no caveat says that they run or change something.
	ReadingPrograms []string `json:"reading_programs"`
	// TextPrograms print their operands, whatever they are.
	TextPrograms []string `json:"text_programs"`
	// WordPrinters are verbs that of their operands print the words, and of what these name
	// nothing that a directory does not list.
	WordPrinters map[string]Printing `json:"word_printers"`
	// versions are the options with which a program, given nothing else, prints
	// its version or its help and does nothing besides.
	versions map[string][]string
	// risks are those of options and operands in every program.
	risks riskTable
	// producers are commands whose output is known or has a known shape.
	producers []producer
	// NameFilters are verbs that drop lines and change none, with the options
	// under which that holds.
	NameFilters map[string][]string `json:"name_filters"`
	// NameProducers are verbs that print names of files below their paths, with
	// all they may be given for that to hold; colors are looked at by their value.
	NameProducers map[string][]string `json:"name_producers"`
	// FileNames are options of producers with which no name is that of a directory.
	FileNames map[string][]string `json:"file_names"`
	// NameListers are producers only with one of these options.
	NameListers map[string][]string `json:"name_listers"`
	// NamePickers are verbs that print, of the names that they are given, some as
	// they are, with all they may be given for that to hold.
	NamePickers map[string][]string `json:"name_pickers"`
	// NumberPrinters are verbs that print one number with the first of the
	// listed names, as long as they are given no other than those listed.
	NumberPrinters map[string][]string `json:"number_printers"`
	// InputIgnorers are verbs that read nothing of standard input, whatever they are
	// given.
	InputIgnorers []string `json:"input_ignorers"`
	// ZeroOptions are the options with which a producer ends names by NUL.
	ZeroOptions map[string][]string `json:"zero_options"`
	// TrackedNames are producers that print names of tracked files alone, with
	// all they may be given for that to hold.
	TrackedNames map[string][]string `json:"tracked_names"`
	// CommitNames are those of the producers that print names of commits, too.
	CommitNames map[string]CommitNaming `json:"commit_names"`
	// MarkedNames are verbs that print names of files behind two signs and a blank with one
	// of what they need, as it is written. LastFields are programs of awk that print the name
	// alone: of a file that got another name the one or the other.
	MarkedNames map[string]Printing `json:"marked_names"`
	LastFields  []string            `json:"last_fields"`
	// OtherNames are verbs that print names of files that git doesn't ignore, and that it
	// may not track.
	OtherNames map[string]Printing `json:"other_names"`
	// CommitOptions make git add commits to those that words name. TreeComparers compare a single
	// tree with all that is tracked, be it one of a directory.
	CommitOptions []string `json:"commit_options"`
	TreeComparers []string `json:"tree_comparers"`
	// RefPrinters are verbs that print names of refs, one a line.
	RefPrinters map[string]RefPrinting `json:"ref_printers"`
	// HashPrinters are verbs that print a line for each of some commits, with the
	// options under which it may begin with the hash.
	HashPrinters map[string][]string `json:"hash_printers"`
	// XargsOptions are those that leave names whole and read no other input.
	XargsOptions []string `json:"xargs_options"`
}

func loadVocabulary() (*vocabulary, error) {
	var v vocabulary
	if err := fast.Unmarshal(wordsJSON, &v); err != nil {
		return nil, fmt.Errorf("load shell vocabulary: %w", err)
	}
	if err := fast.Unmarshal(versionsJSON, &v.versions); err != nil {
		return nil, fmt.Errorf("load version options: %w", err)
	}
	if err := fast.Unmarshal(risksJSON, &v.risks); err != nil {
		return nil, fmt.Errorf("load risks: %w", err)
	}
	if err := fast.Unmarshal(producersJSON, &v.producers); err != nil {
		return nil, fmt.Errorf("load producers: %w", err)
	}
	return &v, nil
}

// harmless reports whether assigning value to name changes nothing but how
// output looks.
func (v *vocabulary) harmless(name string, value Word) bool {
	if value.Kind != Literal {
		return false
	}
	if name == "TZ" && strings.ContainsAny(value.Text, ".:") {
		return false // a zone's rules may stand in a file
	}
	if name != "TZ" && strings.Contains(value.Text, "/") || strings.HasPrefix(value.Text, "/") || strings.Contains(value.Text, "..") {
		return false // the name of a locale or a terminal must not lead to a file
	}
	if (name == "LANG" || strings.HasPrefix(name, "LC_")) && !plainLocale(value.Text) {
		return false
	}
	if only, ok := v.HarmlessVariables[name]; ok {
		if only == "0-9" { // zsh evaluates them as expressions when they are set
			return isNumber(value)
		}
		return only == "" || only == value.Text
	}
	return slices.ContainsFunc(v.HarmlessPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// dangerous reports whether a variable changes which programs run, what they load, or
// where they send what they know.
func (v *vocabulary) dangerous(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc(v.DangerousVariables, func(pattern string) bool {
		ok, err := path.Match(pattern, upper)
		return ok || err != nil
	})
}

// plainLocale reports whether in a locale every byte that shells and programs give a
// meaning to is a character of its own, as it is here. In some character sets (BIG5, GBK,
// SJIS) it may be the end of another character: bash then takes no backslash or quote for
// one. A name without a character set leaves it to the system.
func plainLocale(name string) bool {
	if name == "" || name == "C" || name == "POSIX" {
		return true
	}
	name, _, _ = strings.Cut(name, "@")
	_, set, _ := strings.Cut(name, ".")
	return slices.Contains([]string{"utf-8", "utf8"}, strings.ToLower(set))
}

// publicFields reports whether a list of ps's columns, each with or without a
// heading behind =, shows nothing that an agent may not see.
func (v *vocabulary) publicFields(text string) bool {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(field string) bool {
		name, _, _ := strings.Cut(field, "=")
		return !slices.Contains(v.ProcessFields, name)
	})
}

// local reports whether name is one that no program and no shell reads, so
// that assigning it, without exporting it, affects nothing but the line itself. A
// lower-case name is, but for those that shells and HTTP libraries know; an upper-case
// one is as long as it isn't dangerous, or is listed all the same.
func (v *vocabulary) local(name string) bool {
	if strings.ToLower(name) == name {
		// npm hands its settings on in npm_config_*, to an agent that it started, too.
		return !slices.Contains(v.SpecialLowercase, name) && !strings.HasPrefix(name, "npm_")
	}
	return slices.Contains(v.LocalVariables, name) || guard.IsName(name) && !v.dangerous(name)
}

// CommitNaming is how a verb names what commits hold.
type CommitNaming struct {
	// Needs are options without which it prints more than names of files.
	Needs []string `json:"needs"`
	// Parents is true when it compares each commit with its parents, Head when it
	// takes HEAD where none is named, and Plain when it prints names alone only behind
	// an empty format.
	Parents bool `json:"parents"`
	Head    bool `json:"head"`
	Plain   bool `json:"plain"`
}

// RefPrinting is how a verb prints names of refs.
type RefPrinting struct {
	// Options are all that it may be given for that to hold.
	Options []string `json:"options"`
	// Bare is true when it does so without a format, BareWith are options with which it
	// does.
	Bare     bool     `json:"bare"`
	BareWith []string `json:"bare_with"`
	// Said is true when the name may be the one that a tag says of itself.
	Said bool `json:"said"`
}

// Printing is what a verb may be given for it to print what it is known for.
type Printing struct {
	// Needs are what it has to be given, Options what it may be given besides.
	Needs   []string `json:"needs"`
	Options []string `json:"options"`
}

// holds reports whether a form has all of what is needed, and nothing that is not known.
func (p *Printing) holds(form v1.Form) bool {
	has := func(option string) bool { _, ok := form.Get(option); return ok }
	return !slices.ContainsFunc(p.Needs, func(option string) bool { return !has(option) }) &&
		!slices.ContainsFunc(form, func(e v1.Entry) bool { return !slices.Contains(p.Needs, e.Name) && !slices.Contains(p.Options, e.Name) })
}
