package shell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EntryError is an entry of an operator that can't be used. Entry is its dotted path in
// the operator's data, such as "programs.acme.options.--json".
type EntryError struct{ Entry, Message string }

// Error names the entry and what to do about it.
func (e *EntryError) Error() string { return e.Entry + ": " + e.Message }

var _ error = (*EntryError)(nil)

// operatorEntry is the part of an entry that operators may write: what a program reads,
// not how it hands commands on or which project files choose it.
type operatorEntry struct {
	Options       map[string]string         `json:"options"`
	Operands      []operandEntry            `json:"operands"`
	Style         string                    `json:"style"`
	Numeric       bool                      `json:"numeric"`
	Commands      map[string]*operatorEntry `json:"commands"`
	Aliases       map[string]string         `json:"aliases"`
	Default       *string                   `json:"default"`
	ChainOperands int                       `json:"chain_operands"`
	Recursive     []string                  `json:"recursive"`
	Modifies      []string                  `json:"modifies"`
	Implicit      string                    `json:"implicit"`
	RunsAnything  bool                      `json:"runs_anything"`
	Network       bool                      `json:"network"`
	StdinCode     bool                      `json:"stdin_code"`
	Permute       bool                      `json:"permute"`
	Separators    []string                  `json:"separators"`
	Comment       string                    `json:"comment"`
}

// operatorStyles are the styles of options that operators may choose, and how the table
// spells them.
var operatorStyles = map[string]string{"": "", "gnu": "", "posix": "posix", "go": "go"}

// With returns a table that has the programs of an operator as well, which are given as
// data: name to entry. It changes no entry of t: a program that t knows is an
// *EntryError, as is an entry that can't be read.
func (t *Table) With(programs map[string]any) (*Table, error) {
	if len(programs) == 0 {
		return t, nil
	}
	extended := &Table{raw: maps.Clone(t.raw), words: t.words, windows: maps.Clone(t.windows)}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		path := "programs." + name
		if err := extended.addable(name); err != nil {
			return nil, &EntryError{path, err.Error()}
		}
		raw, err := operatorProgram(path, programs[name])
		if err != nil {
			return nil, err
		}
		extended.raw[name] = raw
		key := windowsPrefix + strings.ToLower(name)
		extended.windows[key] = key
		// Windows runs a program of the same name only where an entry says that it is the same.
		if extended.raw[key], err = json.Marshal(entry{As: name}); err != nil {
			return nil, &EntryError{path, err.Error()}
		}
	}
	return extended, nil
}

// addable reports why an operator can't add a program of a name.
func (t *Table) addable(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	if name == "" || strings.Trim(name, letters+"._+-") != "" || !strings.Contains(letters, name[:1]) {
		return errors.New("the name of a program begins with a letter or digit, and holds letters, digits, '.', '_', '+' and '-' alone")
	}
	folded := strings.ToLower(name)
	for _, extension := range []string{".exe", ".com", ".bat", ".cmd", ".ps1"} {
		if strings.HasSuffix(folded, extension) {
			return fmt.Errorf("write the name without %s", extension)
		}
	}
	if isShell(folded) || ownProgram(folded) || slices.Contains(t.words.Builtins, folded) || slices.Contains(t.words.RunsText, folded) ||
		slices.Contains(t.words.Hooks, folded) {
		return errors.New("a shell or policyd gives the name a meaning of its own, which can't be changed; remove the entry")
	}
	known := t.program(name) != nil || t.program(folded) != nil
	for _, prefix := range []string{cmdletPrefix, builtinPrefix, windowsPrefix} {
		_, there := t.windows[prefix+folded]
		known = known || there
	}
	if known || slices.ContainsFunc(slices.Collect(maps.Keys(t.raw)), func(other string) bool { return strings.EqualFold(other, name) }) {
		return errors.New("the program is in the table already, and its entry can't be changed; remove this one, and add safe forms for its verbs instead")
	}
	return nil
}

// operatorProgram checks the entry of one program, and returns it as the table has it.
func operatorProgram(path string, value any) (json.RawMessage, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, &EntryError{path, err.Error()}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var given *operatorEntry
	if err := decoder.Decode(&given); err != nil {
		return nil, &EntryError{path, "can't be read: " + err.Error()}
	}
	made, err := given.entry(path)
	if err != nil {
		return nil, err
	}
	if _, err := compile(made, &riskTable{}); err != nil {
		return nil, &EntryError{path, err.Error()}
	}
	return json.Marshal(made)
}

// entry returns what the table has for an operator's entry, with every part checked.
func (o *operatorEntry) entry(path string) (*entry, error) {
	if o == nil {
		return nil, &EntryError{path, "empty; an entry declares options, operands or commands, and {} declares that there are none"}
	}
	if err := o.check(path); err != nil {
		return nil, err
	}
	made := &entry{
		Options: o.Options, Operands: o.Operands, Style: operatorStyles[o.Style], Numeric: o.Numeric, Aliases: o.Aliases, Default: o.Default,
		ChainOperands: o.ChainOperands, Recursive: o.Recursive, Modifies: o.Modifies, Implicit: o.Implicit, RunsAnything: o.RunsAnything,
		Network: o.Network, StdinCode: o.StdinCode, Permute: o.Permute, Separators: o.Separators, Comment: o.Comment,
	}
	for _, name := range slices.Sorted(maps.Keys(o.Commands)) {
		inner, err := o.Commands[name].entry(path + ".commands." + name)
		if err != nil {
			return nil, err
		}
		if made.Commands == nil {
			made.Commands = make(map[string]*entry, len(o.Commands))
		}
		made.Commands[name] = inner
	}
	return made, nil
}

// check reports the first part of an entry that the table can't have.
func (o *operatorEntry) check(path string) error {
	if _, known := operatorStyles[o.Style]; !known {
		return &EntryError{path + ".style", fmt.Sprintf("%q is not known; allowed: gnu, posix, go", o.Style)}
	}
	probe := &Program{options: map[string]option{}}
	for _, names := range slices.Sorted(maps.Keys(o.Options)) {
		for name := range strings.SplitSeq(names, ",") {
			if len(name) < 2 || name[0] != '-' || strings.ContainsAny(name, " =") {
				return &EntryError{path + ".options." + names, fmt.Sprintf("%q is no name of an option; names begin with a dash, with commas and no blank between them", name)}
			}
		}
		if err := probe.addOption(names, o.Options[names]); err != nil {
			return &EntryError{path + ".options." + names, err.Error() + "; the table of kinds lists those that there are"}
		}
	}
	for i, alternative := range o.Operands {
		for j, text := range alternative.Roles {
			if _, err := parseRole(text); err != nil {
				return &EntryError{fmt.Sprintf("%s.operands[%d].roles[%d]", path, i, j), err.Error() + ", with a kind of the table of kinds"}
			}
		}
	}
	for i, separator := range o.Separators {
		if !slices.Contains(separatorNames, separator) {
			return &EntryError{fmt.Sprintf("%s.separators[%d]", path, i), fmt.Sprintf("%q is not known; allowed: %s", separator, strings.Join(separatorNames, ", "))}
		}
	}
	return o.checkCommands(path)
}

// checkCommands reports a name of a subcommand that leads nowhere.
func (o *operatorEntry) checkCommands(path string) error {
	if o.Default != nil && *o.Default != "" && o.Commands[*o.Default] == nil {
		return &EntryError{path + ".default", fmt.Sprintf("there is no command %q", *o.Default)}
	}
	for _, alias := range slices.Sorted(maps.Keys(o.Aliases)) {
		if o.Commands[o.Aliases[alias]] == nil {
			return &EntryError{path + ".aliases." + alias, fmt.Sprintf("there is no command %q", o.Aliases[alias])}
		}
		if _, twice := o.Commands[alias]; twice {
			return &EntryError{path + ".aliases." + alias, "a command has this name; keep one"}
		}
	}
	if o.ChainOperands < 0 {
		return &EntryError{path + ".chain_operands", "is negative"}
	}
	return nil
}

// SafeForm is all that a call of a verb may hold, and what it must hold.
type SafeForm struct {
	Form  map[string]string `json:"form"`
	Needs map[string]string `json:"needs"`
	// ReadsOnly is an operator's word that the form changes nothing.
	ReadsOnly bool `json:"reads_only"`
}

// Check reports as an *EntryError what of a safe form can never be safe: kinds that don't
// exist, and kinds that do more than read. path is that of the form's entry.
func (f *SafeForm) Check(path string) error {
	if f.Form == nil {
		return &EntryError{path, "declares no options; add form with the options and operands that are safe, or {} for none"}
	}
	for _, part := range []struct {
		name string
		form map[string]string
	}{{".form.", f.Form}, {".needs.", f.Needs}} {
		for _, name := range slices.Sorted(maps.Keys(part.form)) {
			kind := part.form[name]
			acts, known := kinds[kind]
			switch {
			case kind == "prints" || kind == "item":
			case !known:
				return &EntryError{path + part.name + name, fmt.Sprintf("unknown kind %q; the table of kinds lists those that there are", kind)}
			case acts:
				return &EntryError{path + part.name + name, fmt.Sprintf("the kind %q does more than read, and is never safe; remove it", kind)}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Needs)) {
		if f.Form[name] != f.Needs[name] {
			return &EntryError{path + ".needs." + name, "the form doesn't hold it, so that no call fulfils both; add it to form"}
		}
	}
	return nil
}

// Explains reports as an *EntryError what of a safe form no call of the verb can hold, by
// the program table: a program, a command or an option that is not in it, or another kind.
// platform is a table of safe verbs. Commands of Windows are not looked up.
func (t *Table) Explains(platform, verb string, form *SafeForm, path string) error {
	if platform == "windows" {
		return nil
	}
	entries, err := t.chain(platform, verb)
	if err != nil {
		return &EntryError{path, err.Error()}
	}
	for _, name := range slices.Sorted(maps.Keys(form.Form)) {
		if !agrees(entries, name, form.Form[name]) {
			return &EntryError{path + ".form." + name, suggestion(entries, verb, name)}
		}
	}
	return nil
}

// FormRisk is the risk of an option or role of a verb, as the table marks it, or "".
func (t *Table) FormRisk(platform, verb, name, kind string) string {
	if platform == "windows" {
		return ""
	}
	entries, err := t.chain(platform, verb)
	if err != nil || len(entries) == 0 {
		return ""
	}
	last := entries[len(entries)-1]
	if !agrees([]*Program{last}, name, kind) {
		return ""
	}
	if risk, named := last.risks[name]; named {
		return risk
	}
	return last.risks["="+kind]
}

// chain returns the entries of a verb chain, from the program to its last subcommand. It
// is empty for a program of which the table knows nothing but how it prints its version.
func (t *Table) chain(platform, verb string) ([]*Program, error) {
	if whole := t.on(platform, verb); whole != nil {
		return []*Program{whole}, nil // also a module of an interpreter, by its whole name
	}
	words := strings.Fields(verb)
	if len(words) == 0 || strings.Join(words, " ") != verb {
		return nil, errors.New("no verb; write the program and its subcommands with one blank between them")
	}
	program := t.on(platform, words[0])
	if program == nil && t.words.versions[words[0]] != nil {
		return nil, nil
	}
	if program == nil {
		return nil, fmt.Errorf("the program %s is in no table; declare its options under programs", words[0])
	}
	entries := []*Program{program}
	for i, word := range words[1:] {
		next := program.commands[word]
		if next == nil {
			if len(program.chainRoles) == 0 && len(words)-1-i > program.chainOperands {
				return nil, fmt.Errorf("%s has no command %s", strings.Join(words[:i+1], " "), word)
			}
			break
		}
		if program = next; platform == "darwin" && program.darwin != nil {
			program = program.darwin
		}
		entries = append(entries, program)
	}
	return entries, nil
}

// appearsAs are kinds of the table that facts show as another one.
var appearsAs = map[string][]string{
	"archive": {"read"}, "local": {"local", "read"}, "packed": {"read"}, "module": {"read"}, "input": {"read"}, "output": {"value"}, "command": {"item"},
}

// agrees reports whether one of the entries reads name with kind.
func agrees(entries []*Program, name, kind string) bool {
	if name == "<version>" && kind == "prints" {
		return true // versions.json
	}
	as := func(listed string) bool { return listed == kind || slices.Contains(appearsAs[listed], kind) }
	for _, program := range entries {
		if option, ok := program.options[name]; ok && option.canonical == name && as(option.kinds[0]) {
			return true
		}
		for _, rule := range program.operands {
			if slices.ContainsFunc(rule.roles, func(r role) bool { return r.label == name && as(r.kind) }) {
				return true
			}
		}
		// Operators of tests are read by the walk itself.
		if program.pathspecs && name == "<path>" && kind == "pathspec" || program.style == "test" || name == "-NUM" && program.numeric {
			return true
		}
	}
	return false
}

// suggestion is what to do about a name that no entry reads with its kind.
func suggestion(entries []*Program, verb, name string) string {
	for _, program := range entries {
		if known, ok := program.options[name]; ok && known.canonical != name {
			return fmt.Sprintf("facts call this option %s; write that", known.canonical)
		} else if ok {
			return fmt.Sprintf("the program table has it with the kind %q", known.kinds[0])
		}
		for _, rule := range program.operands {
			for _, r := range rule.roles {
				if r.label == name {
					return fmt.Sprintf("the program table has it with the kind %q", r.kind)
				}
			}
		}
	}
	if strings.HasPrefix(name, "<") {
		return fmt.Sprintf("the program table knows no operand %s of %s", name, verb)
	}
	return fmt.Sprintf("the program table knows no option %s of %s", name, verb)
}
