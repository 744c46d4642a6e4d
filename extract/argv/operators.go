package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// operatorColumns are the columns that operators may state: what a program reads, not how it hands commands on
// or which files of a project choose it. operatorStyles are the styles.
var (
	operatorColumns = []string{
		"options", "operands", "style", "numeric", "permute", "separators", "recursive", "modifies", "implicit", "runs_anything",
		"network", "stdin_code", "commands", "aliases", "default", "chain_operands", "comment",
	}
	operatorStyles = []any{"gnu", "posix", "go"}
)

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
	if err := permitted(path, value); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, &EntryError{path, err.Error()}
	}
	if err := checkEntry(raw); err != nil {
		return nil, below(path, err)
	}
	return raw, nil
}

// permitted reports a column or a style that operators don't have.
func permitted(path string, value any) error {
	entry, _ := value.(map[string]any)
	for _, column := range slices.Sorted(maps.Keys(entry)) {
		if !slices.Contains(operatorColumns, column) {
			return &EntryError{path + "." + column, "unknown column; allowed: " + strings.Join(operatorColumns, ", ")}
		}
	}
	if style := entry["style"]; style != nil && style != "" && !slices.Contains(operatorStyles, style) {
		return &EntryError{path + ".style", fmt.Sprintf("%v is not known; allowed: gnu, posix, go", style)}
	}
	commands, _ := entry["commands"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		if err := permitted(path+".commands."+name, commands[name]); err != nil {
			return err
		}
	}
	return nil
}
