package argv

import (
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
	operatorSyntax
	operatorEffects
	Commands      map[string]*operatorEntry `json:"commands"`
	Aliases       map[string]string         `json:"aliases"`
	Default       *string                   `json:"default"`
	ChainOperands int                       `json:"chain_operands"`
	Comment       string                    `json:"comment"`
}

// operatorSyntax is how the program tells options from operands.
type operatorSyntax struct {
	Options    map[string]string  `json:"options"`
	Operands   []operatorOperands `json:"operands"`
	Style      string             `json:"style"`
	Numeric    bool               `json:"numeric"`
	Permute    bool               `json:"permute"`
	Separators []string           `json:"separators"`
}

// operatorEffects is what it does besides.
type operatorEffects struct {
	Recursive    []string `json:"recursive"`
	Modifies     []string `json:"modifies"`
	Implicit     string   `json:"implicit"`
	RunsAnything bool     `json:"runs_anything"`
	Network      bool     `json:"network"`
	StdinCode    bool     `json:"stdin_code"`
}

// operatorOperands is an OperandRule as it is written.
type operatorOperands struct {
	When   []string `json:"when"`
	Unless []string `json:"unless"`
	Roles  []string `json:"roles"`
}

// operatorStyles are the styles of options that operators may choose, and how the table
// spells them.
var operatorStyles = map[string]string{"": "", "gnu": "", "posix": "posix", "go": "go"}

// With returns a table that has the programs of an operator as well, which are given as
// data: name to entry. It changes no entry of t: a program that t knows is an
// *EntryError, as is an entry that can't be read.
func (t *Table) With(entries map[string]any) (*Table, error) {
	if len(entries) == 0 {
		return t, nil
	}
	extended := &Table{raw: maps.Clone(t.raw), Words: t.Words, windows: maps.Clone(t.windows)}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		path := "programs." + name
		if err := extended.addable(name); err != nil {
			return nil, &EntryError{path, err.Error()}
		}
		raw, err := operatorProgram(path, entries[name])
		if err != nil {
			return nil, err
		}
		extended.raw[name] = raw
		key := string(programs) + strings.ToLower(name)
		extended.windows[key] = key
		// Windows runs a program of the same name only where an entry says that it is the same.
		if extended.raw[key], err = json.Marshal(map[string]string{"as": name}); err != nil {
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
	if IsShell(folded) || IsOwn(folded) || slices.Contains(t.Words.Shell.Builtins, folded) || slices.Contains(t.Words.Shell.RunsText, folded) ||
		slices.Contains(t.Words.Shell.Hooks, folded) {
		return errors.New("a shell or policyd gives the name a meaning of its own, which can't be changed; remove the entry")
	}
	known := t.Program(name) != nil || t.Program(folded) != nil
	for _, prefix := range []Namespace{Cmdlets, Builtins, programs} {
		_, there := t.windows[string(prefix)+folded]
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
	var given *operatorEntry
	if err := strictly(text, &given); err != nil {
		return nil, &EntryError{path, "can't be read: " + err.Error()}
	}
	if err := given.normalize(path); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, &EntryError{path, err.Error()}
	}
	if _, err := decode(raw, &RiskTable{}); err != nil {
		return nil, &EntryError{path, err.Error()}
	}
	return raw, nil
}

// normalize checks every part of an entry, and gives its styles the names that the table has.
func (o *operatorEntry) normalize(path string) error {
	if o == nil {
		return &EntryError{path, "empty; an entry declares options, operands or commands, and {} declares that there are none"}
	}
	if err := o.check(path); err != nil {
		return err
	}
	o.Style = operatorStyles[o.Style]
	for _, name := range slices.Sorted(maps.Keys(o.Commands)) {
		if err := o.Commands[name].normalize(path + ".commands." + name); err != nil {
			return err
		}
	}
	return nil
}

// check reports the first part of an entry that the table can't have.
func (o *operatorEntry) check(path string) error {
	if _, known := operatorStyles[o.Style]; !known {
		return &EntryError{path + ".style", fmt.Sprintf("%q is not known; allowed: gnu, posix, go", o.Style)}
	}
	options := OptionSet{}
	for _, names := range slices.Sorted(maps.Keys(o.Options)) {
		for name := range strings.SplitSeq(names, ",") {
			if len(name) < 2 || name[0] != '-' || strings.ContainsAny(name, " =") {
				return &EntryError{path + ".options." + names, fmt.Sprintf("%q is no name of an option; names begin with a dash, with commas and no blank between them", name)}
			}
		}
		if err := options.add(names, o.Options[names]); err != nil {
			return &EntryError{path + ".options." + names, err.Error() + "; the table of kinds lists those that there are"}
		}
	}
	for i, alternative := range o.Operands {
		for j, text := range alternative.Roles {
			if err := new(Role).UnmarshalText([]byte(text)); err != nil {
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
