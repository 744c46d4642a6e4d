package shell

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	fast "github.com/goccy/go-json"
)

//go:embed programs/*.json
var programFiles embed.FS

// Table is the program table. Entries are compiled when they are first used,
// since a line names few of them. It is safe for concurrent use.
type Table struct {
	raw      map[string]json.RawMessage
	compiled sync.Map // program name to *Program, nil when its entry is malformed
	words    *vocabulary
	windows  windowsNames
}

// Program says how one program, or one subcommand, reads its command line.
type Program struct {
	options       map[string]option
	operands      []operandRule
	style         string
	numeric       bool
	joined        string
	commands      map[string]*Program
	aliases       map[string]string
	fallback      *string
	chainOperands int
	recursive     []string
	modifies      []string
	changes       []string
	implicit      string
	runsAnything  bool
	network       bool
	wrapper       string
	stdinCode     bool
	textIn        []string
	stdinUnless   []string
	permute       bool
	late          []string
	separators    []string
	optionalNext  bool
	inline        string
	inlineWords   []string
	shows         map[string][]string
	showsUnless   []string
	inherits      bool // separators are those of the outer entry
	pathspecs     bool
	chosenBy      []string
	readsAbove    []string
	unpacks       *condition
	filters       map[string]string
	skipsHidden   bool
	unhide        []string
	follows       []string
	ignoring      []string
	ignoreFiles   []string
	inert         bool
	acts          bool
	atFiles       bool
	idle          []string
	leaves        string
	reading       []string
	places        *placing
	only          []string
	versionFiles  []string
	beside        bool
	worksIn       WorkingDirectory
	targets       int
	filesUnless   []string
	chainRoles    []string
	risks         map[string]string
	operandRisk   string      // that of operands of kind unknown
	absent        [][2]string // options and the risks of a line without them
	judged        []string
	scripts       map[string]string
	darwin        *Program // the same as BSD's reads it, nil where that is no other
	// What follows is for commands of Windows alone.
	as          string            // the entry of the same program elsewhere
	external    bool              // a program, not a part of the shell
	piped       string            // what it opens of a pipe: text, files, both; "" unknown
	yields      string            // what it hands on: files, same; "" text
	environment bool              // prints the environment when it is given nothing
	folded      map[string]option // options by names in lower case
}

type option struct {
	canonical string
	kinds     []string // one per value; {"none"} for none
	risk      string   // what an approval has to be given for, as in Program.risks
}

type operandRule struct {
	when, unless []string
	roles        []role
}

// condition says by the names in a command's form when something holds of it: one of When, unless it
// is empty, and none of Unless.
type condition struct {
	When   []string `json:"when"`
	Unless []string `json:"unless"`
}

// holds reports whether a command fulfils a condition. None is never fulfilled.
func (c *condition) holds(has func(name string) bool) bool {
	return c != nil && (len(c.When) == 0 || slices.ContainsFunc(c.When, has)) && !slices.ContainsFunc(c.Unless, has)
}

type role struct {
	// label is the name between angle brackets, as forms, risks and filters have it.
	name, label, kind string
	repeat, optional  bool
}

// entry is the form that Program has in the data files.
type entry struct {
	Options       map[string]string `json:"options"`
	Darwin        map[string]string `json:"darwin"`
	Operands      []operandEntry    `json:"operands"`
	Style         string            `json:"style"`
	Numeric       bool              `json:"numeric"`
	Joined        string            `json:"joined"`
	Commands      map[string]*entry `json:"commands"`
	Aliases       map[string]string `json:"aliases"`
	Default       *string           `json:"default"`
	ChainOperands int               `json:"chain_operands"`
	Recursive     []string          `json:"recursive"`
	Modifies      []string          `json:"modifies"`
	Changes       []string          `json:"changes"`
	Implicit      string            `json:"implicit"`
	RunsAnything  bool              `json:"runs_anything"`
	Network       bool              `json:"network"`
	Wrapper       string            `json:"wrapper"`
	StdinCode     bool              `json:"stdin_code"`
	StdinUnless   []string          `json:"stdin_unless"`
	// TextIn names the options and operands that give the program its text: without any of them
	// it comes from standard input, whatever else the line has.
	TextIn       []string `json:"text_in"`
	Permute      bool     `json:"permute"`
	Late         []string `json:"late"`
	Separators   []string `json:"separators"`
	OptionalNext bool     `json:"optional_next"`
	// Inline says which lines hold program text: "always", or "unknown" for those with
	// an option that may take it. Shows names the variables whose values are printed.
	Inline       string              `json:"inline"`
	InlineWords  []string            `json:"inline_words"`
	Shows        map[string][]string `json:"shows"`
	ShowsUnless  []string            `json:"shows_unless"`
	Pathspecs    bool                `json:"pathspecs"`
	ChosenBy     []string            `json:"chosen_by"`
	ReadsAbove   []string            `json:"reads_above"`
	Unpacks      *condition          `json:"unpacks"`
	Filters      map[string]string   `json:"filters"`
	SkipsHidden  bool                `json:"skips_hidden"`
	Unhide       []string            `json:"unhide"`
	Follows      []string            `json:"follows"`
	Ignoring     []string            `json:"ignoring_unless"`
	IgnoreFiles  []string            `json:"ignore_files"`
	Inert        bool                `json:"inert"`
	AtFiles      bool                `json:"at_files"`
	Idle         []string            `json:"idle"`
	Reading      []string            `json:"reading"`
	Leaves       string              `json:"leaves"`
	Places       *placing            `json:"places"`
	Only         []string            `json:"only"`
	VersionFiles []string            `json:"version_files"`
	Beside       bool                `json:"beside"`
	WorksIn      string              `json:"works_in"`
	Targets      int                 `json:"targets"`
	FilesUnless  []string            `json:"files_unless"`
	ChainRoles   []string            `json:"chain_roles"`
	Risks        map[string]string   `json:"risks"`
	Judged       []string            `json:"judged"`
	// Scripts names the interpreter that runs files with a suffix.
	Scripts     map[string]string `json:"scripts"`
	Comment     string            `json:"comment"`
	Also        []string          `json:"also"`
	As          string            `json:"as"`
	External    bool              `json:"external"`
	Piped       string            `json:"piped"`
	Yields      string            `json:"yields"`
	Environment bool              `json:"environment"`
}

type operandEntry struct {
	When   []string `json:"when"`
	Unless []string `json:"unless"`
	Roles  []string `json:"roles"`
}

// kinds is every kind that the table may name, and whether an option of it
// does more than choose output.
var kinds = map[string]bool{
	"none": false, "value": false, "value?": false, "number?": false, "pattern": false, "read": false, "read?": false, "list": false,
	"tree": false, "dir": false, "rev": false, "rev?": false, "pathspec": false, "variable": false, "sed": false,
	"awk": false, "jq": false, "yq": false, "sqlite": false, "postgres": false, "database": true, "plus": false, "range": false, "write": true, "write?": true, "delete": true, "execute": true,
	"execute?": true, "command": true, "code": true, "code?": true, "config": true, "host": true, "url": true,
	"data": true, "field": true, "upload": true, "repository": true, "destination": true, "name": true, "name?": true, "unknown": true, "options": true, "macro": true, "archive": true, "packed": false, "module": false, "input": false,
	"mount": false, "setting": false, "socket": false, "socket?": false, "local": false, "public": false, "word": false, "fields": false, "bare": false, "inside": false, "member": false, "interface": false, "job": false, "merges": false, "output": true, "format": false,
	"package": true, "transfer": true, "arrival": true, "names": true, "assigned": true, "assignment": true,
}

// NewTable indexes the embedded program table.
func NewTable() (*Table, error) {
	words, err := loadVocabulary()
	if err != nil {
		return nil, err
	}
	table := &Table{raw: make(map[string]json.RawMessage, 512), words: words, windows: windowsNames{}}
	names, err := fs.Glob(programFiles, "programs/*.json")
	if err != nil {
		return nil, fmt.Errorf("list program tables: %w", err)
	}
	for _, name := range names {
		if err := table.load(name); err != nil {
			return nil, fmt.Errorf("load program table %s: %w", path.Base(name), err)
		}
	}
	return table, nil
}

func (t *Table) load(name string) error {
	data, err := programFiles.ReadFile(name)
	if err != nil {
		return err
	}
	var entries map[string]json.RawMessage
	if err := fast.Unmarshal(data, &entries); err != nil {
		return err
	}
	for program, raw := range entries {
		if _, twice := t.raw[program]; twice {
			return fmt.Errorf("%s: defined twice", program)
		}
		t.raw[program] = raw
		if err := t.windows.add(program, raw); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
	}
	return nil
}

// program returns the entry of a program, nil when there is none. A malformed
// entry is none: the program counts as unknown, which is never safe.
func (t *Table) program(name string) *Program {
	if known, ok := t.compiled.Load(name); ok {
		program, _ := known.(*Program)
		return program
	}
	raw, ok := t.raw[name]
	if !ok {
		return t.version(name)
	}
	program, err := t.compileRaw(raw)
	if err != nil {
		program = nil
	}
	t.compiled.Store(name, program)
	return program
}

// on returns the entry of a program as it reads its options on a platform.
func (t *Table) on(platform, name string) *Program {
	program := t.program(name)
	if platform == "darwin" && program != nil && program.darwin != nil {
		return program.darwin
	}
	return program
}

// version returns the entry of an interpreter whose name ends in a version
// (python3.11), nil for any other name. What else has a version in its name need
// not be what its shorter name says.
func (t *Table) version(name string) *Program {
	base := strings.TrimRight(name, "0123456789.")
	if base == name || base == "" {
		return nil
	}
	if program := t.program(base); program != nil && program.runsAnything {
		return program
	}
	return nil
}

// Check compiles every entry and returns the first error.
func (t *Table) Check() error {
	for name, raw := range t.raw {
		if _, err := t.compileRaw(raw); err != nil {
			return fmt.Errorf("check program table: %s: %w", name, err)
		}
	}
	return nil
}

func (t *Table) compileRaw(raw json.RawMessage) (*Program, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var e entry
	if err := decoder.Decode(&e); err != nil {
		return nil, err
	}
	return compile(&e, &t.words.risks)
}

// check reports what is wrong with an entry whose keys are known.
func (e *entry) check() error {
	if in, ok := worksIn[e.WorksIn]; !ok || in == UsesPaths && len(e.Commands) > 0 {
		return fmt.Errorf("works_in: %q is not known; allowed: cwd, and for programs without subcommands paths", e.WorksIn)
	}
	for _, separator := range e.Separators {
		if !slices.Contains(separatorNames, separator) {
			return fmt.Errorf("unknown separator %q", separator)
		}
	}
	return checkRisks(e.Risks)
}

func compile(e *entry, common *riskTable) (*Program, error) {
	p := &Program{
		options: make(map[string]option, 2*len(e.Options)), style: e.Style, numeric: e.Numeric, joined: e.Joined, aliases: e.Aliases,
		fallback: e.Default, chainOperands: e.ChainOperands, recursive: e.Recursive, modifies: e.Modifies, changes: e.Changes,
		implicit: e.Implicit, runsAnything: e.RunsAnything, network: e.Network, wrapper: e.Wrapper,
		stdinCode: e.StdinCode, stdinUnless: e.StdinUnless, textIn: e.TextIn, permute: e.Permute, late: e.Late, separators: e.Separators, optionalNext: e.OptionalNext, inline: e.Inline, inlineWords: e.InlineWords, shows: e.Shows, showsUnless: e.ShowsUnless, pathspecs: e.Pathspecs, chosenBy: e.ChosenBy,
		filters: e.Filters, skipsHidden: e.SkipsHidden, unhide: e.Unhide, follows: e.Follows, ignoring: e.Ignoring, ignoreFiles: e.IgnoreFiles, inert: e.Inert,
		atFiles: e.AtFiles, idle: e.Idle, reading: e.Reading, leaves: e.Leaves, places: e.Places,
		only: e.Only, readsAbove: e.ReadsAbove, unpacks: e.Unpacks, versionFiles: e.VersionFiles, beside: e.Beside,
		worksIn: worksIn[e.WorksIn], targets: e.Targets, filesUnless: e.FilesUnless, chainRoles: e.ChainRoles, risks: e.Risks, judged: e.Judged, scripts: e.Scripts,
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	p.as, p.external, p.piped, p.yields, p.environment = e.As, e.External, e.Piped, e.Yields, e.Environment
	for names, kind := range e.Options {
		if err := p.addOption(names, kind); err != nil {
			return nil, err
		}
	}
	if err := p.addOperands(e.Operands); err != nil {
		return nil, err
	}
	if e.Style == "cmdlet" || e.Style == "cmd" {
		p.folded = make(map[string]option, len(p.options))
		for name, known := range p.options {
			p.folded[strings.ToLower(name)] = known
		}
	}
	if len(e.Commands) > 0 {
		p.commands = make(map[string]*Program, len(e.Commands))
	}
	for name, inner := range e.Commands {
		inherits := inner.Separators == nil
		if inherits {
			heir := *inner // what is compiled stays as it was given
			heir.Separators = e.Separators
			inner = &heir
		}
		command, err := compile(inner, common)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		command.inherits, command.operandRisk = inherits, common.Commands[name]
		p.commands[name] = command
	}
	if err := p.overlay(e.Darwin); err != nil {
		return nil, err
	}
	common.mark(p)
	if p.darwin != nil {
		common.mark(p.darwin)
	}
	return p, nil
}

// overlay makes the program that has some options otherwise on macOS.
func (p *Program) overlay(options map[string]string) error {
	if len(options) == 0 {
		return nil
	}
	other := *p
	other.options = maps.Clone(p.options)
	for names := range options {
		for name := range strings.SplitSeq(names, ",") {
			delete(other.options, name)
		}
	}
	for names, kind := range options {
		if err := other.addOption(names, kind); err != nil {
			return err
		}
	}
	p.darwin = &other
	return nil
}

func (p *Program) addOperands(alternatives []operandEntry) error {
	for _, alternative := range alternatives {
		rule := operandRule{when: alternative.When, unless: alternative.Unless}
		for _, text := range alternative.Roles {
			r, err := parseRole(text)
			if err != nil {
				return err
			}
			rule.roles = append(rule.roles, r)
		}
		p.operands = append(p.operands, rule)
	}
	return nil
}

func (p *Program) addOption(names, kind string) error {
	all := strings.Split(names, ",")
	values := strings.Fields(kind)
	if len(values) == 0 {
		return fmt.Errorf("option %s: no kind", names)
	}
	for _, value := range values {
		acts, ok := kinds[value]
		if !ok {
			return fmt.Errorf("option %s: unknown kind %q", names, value)
		}
		p.acts = p.acts || acts && value != "unknown" && value != "config"
	}
	for _, name := range all {
		if _, twice := p.options[name]; twice {
			return fmt.Errorf("option %s: defined twice", name)
		}
		p.options[name] = option{canonical: all[0], kinds: values}
	}
	return nil
}

func parseRole(text string) (role, error) {
	name, kind, ok := strings.Cut(text, ":")
	r := role{name: name, label: "<" + name + ">", kind: kind}
	if strings.HasSuffix(kind, "*") {
		r.kind, r.repeat = strings.TrimSuffix(kind, "*"), true
	}
	if strings.HasSuffix(kind, "?") {
		r.kind, r.optional = strings.TrimSuffix(kind, "?"), true
	}
	if _, known := kinds[r.kind]; !ok || !known || name == "" {
		return r, fmt.Errorf("role %q: want name:kind", text)
	}
	return r, nil
}

// rule returns the first operand rule that holds for the options in form.
func (p *Program) rule(has func(canonical string) bool) (operandRule, bool) {
	for _, rule := range p.operands {
		if len(rule.when) > 0 && !slices.ContainsFunc(rule.when, has) {
			continue
		}
		if slices.ContainsFunc(rule.unless, has) {
			continue
		}
		return rule, true
	}
	return operandRule{}, false
}

// globs reports whether globs that leave out and globs that take in are values
// of the same options.
func (p *Program) globs() bool {
	for _, kind := range p.filters {
		if kind == "glob" {
			return true
		}
	}
	return false
}

// digits reports whether digits behind a dash are options.
func (p *Program) digits() bool {
	if p.numeric {
		return true
	}
	for digit := '0'; digit <= '9'; digit++ {
		if _, known := p.options["-"+string(digit)]; known {
			return true
		}
	}
	return false
}
