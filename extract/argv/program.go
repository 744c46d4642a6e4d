package argv

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// Program is an entry of the table: how one program, or one subcommand, reads its argument vector.
// Its groups are the columns that programs/README.md describes. A Program from a Table is shared and
// must not be changed.
type Program struct {
	Syntax
	Operands
	Subcommands
	Chain
	Tree
	Writes
	Runs
	Shown
	Project
	RiskNames
	Windows
	// Prints is what it prints, nil if nothing is known of it.
	Prints *Prints `json:"prints"`
	// Network is true if the program reaches the network.
	Network bool `json:"network"`
	// Comment is for people.
	Comment string `json:"comment"`

	darwin *Program // the same program as BSD's reads it; nil if it reads it no differently
}

// Syntax is how a program tells options from operands.
type Syntax struct {
	Options OptionSet `json:"options"`
	// Darwin holds options that BSD's program of the name has besides, or reads differently.
	Darwin OptionSet `json:"darwin"`
	// Style is the parser's family; "" is GNU's getopt_long(3).
	Style   string `json:"style"`
	Numeric bool   `json:"numeric"`
	Joined  string `json:"joined" values:"digits,letters,colon"`
	Permute bool   `json:"permute"`
	// Late holds the options that count behind the first operand; nil for all.
	Late []string `json:"late" names:""`
	// Separators are those that the real program was run with; see Tested.
	Separators   []string `json:"separators" values:"--,-,operand"`
	OptionalNext bool     `json:"optional_next"`
	AtFiles      bool     `json:"at_files"`
	// Inert is true if no option and no operand does more than choose what is printed, or which process gets which signal.
	Inert bool `json:"inert"`

	inherits bool      // Separators are those of the outer entry
	acts     bool      // an option does more than choose output
	folded   OptionSet // by names in lower case, for programs of Windows
	// attached are the options of one dash and several letters whose value counts, the longest first: programs that
	// have such options read -MFfile as -MF before they read it as letters.
	attached []string
}

// Operands is what the words that are left after the options mean.
type Operands struct {
	// Rules are alternatives; see Rule.
	Rules     []OperandRule `json:"operands"`
	Pathspecs bool          `json:"pathspecs"`
	// Implicit is what the program accesses if it is given no path.
	Implicit    string   `json:"implicit" values:"list,tree,project,*.*"`
	FilesUnless []string `json:"files_unless" names:""`
	// Judged are the options and roles whose literal values are facts.
	Judged []string `json:"judged" names:"<words>,<chain>"`
}

// Subcommands are the entries that follow the global options.
type Subcommands struct {
	Commands commandSet        `json:"commands"`
	Aliases  map[string]string `json:"aliases"`
	// Default is the subcommand that runs if none is named: "" for the entry's own operands, nil for none.
	Default *string `json:"default"`
}

// Chain says which operands belong to the verb chain.
type Chain struct {
	ChainOperands int      `json:"chain_operands"`
	ChainRoles    []string `json:"chain_roles"`
	Targets       int      `json:"targets"`
}

// Tree is how a program walks a directory tree, and which files of it it reads.
type Tree struct {
	Recursive      []string          `json:"recursive" names:"*"`
	Only           []string          `json:"only"`
	Filters        map[string]string `json:"filters" names:"" values:"include,exclude,exclude_dir,extension,type,glob"`
	SkipsHidden    bool              `json:"skips_hidden"`
	Unhide         []string          `json:"unhide" names:""`
	Follows        []string          `json:"follows" names:"*"`
	IgnoringUnless []string          `json:"ignoring_unless" names:""`
	IgnoreFiles    []string          `json:"ignore_files"`
}

// Writes is what a program writes, and where.
type Writes struct {
	Modifies []string   `json:"modifies" names:""`
	Changes  []string   `json:"changes" names:"*"`
	Reading  []string   `json:"reading" names:"-x -O"`
	Places   *Placement `json:"places"`
	Unpacks  *Unpacking `json:"unpacks"`
	// Keeps is when a program of version control leaves the work tree, the index, branches, tags and notes as they are.
	Keeps *Condition `json:"keeps"`
	// Tracked is true if what it unpacks are files that a repository tracks.
	Tracked bool `json:"tracked"`
	// Leaves are files that it writes without a word that names them, and when.
	Leaves map[string]*Condition `json:"leaves"`
}

// Runs is which other programs and which program text a program runs.
type Runs struct {
	RunsAnything bool     `json:"runs_anything"`
	Wrapper      string   `json:"wrapper" values:"plain,inner,privileged,runner"`
	Idle         []string `json:"idle" names:""`
	// Scripts names the interpreter that runs files with a suffix.
	Scripts map[string]string `json:"scripts"`
	// Inline says which lines hold program text: InlineAlways, or "unknown" for those with
	// an unknown option.
	Inline      string   `json:"inline" values:"always,unknown"`
	InlineWords []string `json:"inline_words"`
	StdinCode   bool     `json:"stdin_code"`
	StdinUnless []string `json:"stdin_unless" names:""`
	// TextIn names the options and operands that give the program its text. Without any of them it
	// comes from standard input, whatever else the line has.
	TextIn []string `json:"text_in" names:""`
}

// InlineAlways is a value of Runs.Inline.
const InlineAlways = "always"

// Values of Runs.Wrapper.
const (
	// WrapperPlain marks programs that run the rest of their words and add nothing (timeout).
	WrapperPlain = "plain"
	// WrapperInner marks programs that run it somewhere else (ssh).
	WrapperInner = "inner"
	// WrapperPrivileged marks programs that run it with other rights (sudo).
	WrapperPrivileged = "privileged"
	// WrapperRunner marks programs that run a program of the project by its name (uv run).
	WrapperRunner = "runner"
)

// Interprets reports whether a program runs program text that it is given.
func (r *Runs) Interprets() bool { return r.StdinCode || r.Inline != "" || len(r.TextIn) > 0 }

// MayTakeText reports whether an option of a form that the entry doesn't list may take program text: letters behind
// one dash, or the beginning of a longer name.
func (p *Program) MayTakeText(form v1.Form) bool {
	for _, entry := range form {
		if entry.Kind != "unknown" || !strings.HasPrefix(entry.Name, "-") {
			continue
		}
		if !strings.HasPrefix(entry.Name, "--") {
			return true
		}
		for name, known := range p.Options {
			if known.Kinds[0] == "code" && strings.HasPrefix(name, entry.Name) {
				return true
			}
		}
	}
	return false
}

// Shown names the environment variables whose values a program prints.
type Shown struct {
	Shows       map[string][]string `json:"shows" names:"*,<bare>"`
	ShowsUnless []string            `json:"shows_unless" names:""`
}

// Project is what a program takes from the directory that it runs in.
type Project struct {
	ChosenBy     []string         `json:"chosen_by"`
	VersionFiles []string         `json:"version_files"`
	ReadsAbove   []string         `json:"reads_above"`
	Beside       bool             `json:"beside"`
	WorksIn      WorkingDirectory `json:"works_in"`
}

// RiskNames are what an approval has to be given for by name.
type RiskNames struct {
	// Risks are options, roles, kinds behind "=", and options that are absent behind "!", to risks.
	Risks map[string]string `json:"risks"`

	// OperandRisk is the risk of operands of kind unknown.
	OperandRisk string `json:"-"`
	// AbsentRisks are options and the risks of a line without them, in order.
	AbsentRisks [][2]string `json:"-"`
}

// Windows is what the entry of a command of Windows states besides.
type Windows struct {
	Also []string `json:"also"`
	// As is the entry of the same program on other systems.
	As string `json:"as"`
	// External is true for a program, false for a part of the shell.
	External bool `json:"external"`
	// Piped is what it opens of a pipe: text, files, both; "" if that is unknown.
	Piped string `json:"piped" values:"text,files,both"`
	// Yields is what it hands on: files, same; "" for text.
	Yields string `json:"yields" values:"files,same,text"`
	// Environment is true if it prints the environment when it is given nothing.
	Environment bool `json:"environment"`
}

// WorkingDirectory is what a command does with the directory that it runs in.
type WorkingDirectory uint8

const (
	// MayUseCwd is that it may read files there that it doesn't name. It is the zero value.
	MayUseCwd WorkingDirectory = iota
	// UsesPaths is that it touches the paths that it names and no other.
	UsesPaths
	// WorksInCwd is that its operands are packages or targets there, so that this is where it
	// works whatever paths it names.
	WorksInCwd
)

// UnmarshalText decodes a value of the column works_in.
func (d *WorkingDirectory) UnmarshalText(text []byte) error {
	switch string(text) {
	case "paths":
		*d = UsesPaths
	case "cwd":
		*d = WorksInCwd
	default:
		return fmt.Errorf("works_in: %q is not known; allowed: cwd, paths", text)
	}
	return nil
}

// Condition holds for a form with one of the names in When, unless that is empty, and with none of Unless.
type Condition struct {
	When   []string `json:"when" names:"<version>,<elsewhere>"`
	Unless []string `json:"unless" names:"<version>,<elsewhere>"`
}

// Elsewhere is what a Condition calls a source on another machine, or in a container.
const Elsewhere = "<elsewhere>"

// Holds reports whether a form fulfils c. No form fulfils a nil Condition.
func (c *Condition) Holds(has func(name string) bool) bool {
	return c != nil && (len(c.When) == 0 || slices.ContainsFunc(c.When, has)) && !slices.ContainsFunc(c.Unless, has)
}

// Unpacking holds for a form with which a program makes files of which neither names nor kinds are known.
type Unpacking struct {
	Condition
	// Named are options and operands with which it makes files at the paths alone that its words name.
	Named []string `json:"named" names:""`
	// Into are the options, and the operands, that name what it makes, or the directory where. An option goes first.
	Into []string `json:"into" names:""`
	// Renames are options with which what it makes is called otherwise than operands of Into say.
	Renames []string `json:"renames" names:""`
}

// Holds reports whether a form unpacks. None does for a nil Unpacking.
func (u *Unpacking) Holds(has func(name string) bool) bool {
	return u != nil && u.Condition.Holds(has)
}

// Names reports whether an option or an operand says what is made, or where.
func (u *Unpacking) Names(label string) bool { return u != nil && slices.Contains(u.Into, label) }

// Placement is how a program puts its sources somewhere.
type Placement struct {
	// Into and From are options that name the place, and sources.
	Into []string `json:"into" names:""`
	From []string `json:"from" names:""`
	// The others are the options with which something holds of the write destination, "*" always:
	// what lies below a source goes along (Trees), the place is no directory to put sources in
	// (Exact), a source keeps the directories that it names (Parents), the sources get links
	// (Symbolic) or other names (Linked), other names come to be (Vague).
	Trees    []string `json:"trees" names:"*"`
	Exact    []string `json:"exact" names:"*"`
	Parents  []string `json:"parents" names:"*"`
	Symbolic []string `json:"symbolic" names:"*"`
	Linked   []string `json:"linked" names:"*"`
	Vague    []string `json:"vague" names:"*"`
	// Fetched are the options with which what an address names is put into the place, else into
	// the working directory, under the last segment of the address; "*" always, but for
	// FetchedUnless. A value of From then counts from the place, too.
	Fetched       []string `json:"fetched" names:"*"`
	FetchedUnless []string `json:"fetched_unless" names:""`
	// Alone is true if a lone operand is a source for the working directory.
	Alone bool `json:"alone"`
}

// Fetches reports whether the program makes files of what addresses name.
func (p *Placement) Fetches() bool { return len(p.Fetched) > 0 }

// checkEntry reports as an *EntryError why an entry can't be read, or what its columns can't have.
func checkEntry(raw json.RawMessage) error {
	p, err := read(raw)
	if err != nil {
		return err
	}
	return p.check(nil)
}

// complete adds to an entry what follows from its columns and from common.
func (p *Program) complete(common *RiskTable) {
	if p.Style == "gnu" {
		p.Style = ""
	}
	p.acts = p.Options.act()
	if len(p.Commands) == 0 {
		p.Commands = nil
	}
	for name, command := range p.Commands {
		command.inherit(p)
		command.complete(common)
		command.OperandRisk = common.Commands[name]
	}
	p.overlay()
	common.mark(p)
	if p.darwin != nil {
		common.mark(p.darwin)
	}
	p.attach()
	if p.darwin != nil {
		p.darwin.attach()
	}
	if p.Style == "cmdlet" || p.Style == "cmd" {
		p.folded = make(OptionSet, len(p.Options))
		for name, known := range p.Options {
			p.folded[strings.ToLower(name)] = known
		}
	}
}

// inherit takes over what a subcommand reads as its outer entry does.
func (p *Program) inherit(outer *Program) {
	p.AtFiles, p.Tracked = p.AtFiles || outer.AtFiles, p.Tracked || outer.Tracked
	if p.Separators == nil {
		p.Separators, p.inherits = outer.Separators, true
	}
}

// attach finds the options of one dash that the value may directly follow.
func (p *Program) attach() {
	p.attached = nil
	for name, known := range p.Options {
		if len(name) > 2 && name[1] != '-' && !slices.Contains([]string{"none", "value", "value?"}, known.Kinds[0]) {
			p.attached = append(p.attached, name)
		}
	}
	slices.SortFunc(p.attached, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
}

// overlay makes the program with the options that macOS has.
func (p *Program) overlay() {
	if len(p.Darwin) == 0 {
		return
	}
	other := *p
	other.Options = make(OptionSet, len(p.Options)+len(p.Darwin))
	maps.Copy(other.Options, p.Options)
	maps.Copy(other.Options, p.Darwin)
	other.acts = p.acts || p.Darwin.act()
	p.darwin = &other
}

// hasCommand reports whether a word names a subcommand.
func (s *Subcommands) hasCommand(word string) bool {
	_, ok := s.Commands[word]
	_, alias := s.Aliases[word]
	return ok || alias
}

// Rule returns the first operand rule that holds for the options in a form.
func (o *Operands) Rule(has func(canonical string) bool) (OperandRule, bool) {
	for _, rule := range o.Rules {
		if len(rule.When) > 0 && !slices.ContainsFunc(rule.When, has) {
			continue
		}
		if slices.ContainsFunc(rule.Unless, has) {
			continue
		}
		return rule, true
	}
	return OperandRule{}, false
}

// Globs reports whether one option takes both globs that include files and globs that exclude them.
func (t *Tree) Globs() bool {
	for _, kind := range t.Filters {
		if kind == "glob" {
			return true
		}
	}
	return false
}

// Acts reports whether an option of the program does more than choose output.
func (s *Syntax) Acts() bool { return s.acts }

// Digits reports whether digits behind a dash are options.
func (s *Syntax) Digits() bool {
	if s.Numeric {
		return true
	}
	for digit := '0'; digit <= '9'; digit++ {
		if _, known := s.Options["-"+string(digit)]; known {
			return true
		}
	}
	return false
}

// joinable reports whether a program of a style without bundles reads a word as one all the same.
func (s *Syntax) joinable(text string) bool {
	if s.Joined == "colon" {
		return false
	}
	for i := 1; i < len(text) && s.Joined != ""; i++ {
		known, ok := s.Options["-"+text[i:i+1]]
		switch {
		case !ok:
			return false
		case known.Kinds[0] == "none" && s.Joined == "letters":
		case known.Kinds[0] == "none":
			return false
		case i+1 == len(text):
			return true
		default:
			return known.Kinds[0] == "value" && strings.Trim(text[i+1:], "0123456789") == ""
		}
	}
	return s.Joined != "" && len(text) > 1
}
