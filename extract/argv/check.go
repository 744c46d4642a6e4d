package argv

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
)

// EntryError is an entry of the table, or of an operator, that can't be used. Entry is its dotted path in
// the data, such as "programs.acme.options.--json".
type EntryError struct{ Entry, Message string }

// Error names the entry and what to do about it.
func (e *EntryError) Error() string { return e.Entry + ": " + e.Message }

var _ error = (*EntryError)(nil)

// below puts the path of an entry in front of the path of an error within it.
func below(entry string, err error) error {
	var within *EntryError
	if !errors.As(err, &within) {
		return &EntryError{entry, err.Error()}
	}
	if within.Entry != "" && within.Entry[0] != '[' {
		entry += "."
	}
	return &EntryError{entry + within.Entry, within.Message}
}

// read decodes one entry, with the columns that there are alone.
func read(raw []byte) (*Program, error) {
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil, &EntryError{"", "empty; an entry declares options, operands or commands, and {} declares that there are none"}
	}
	p := &Program{}
	err := strictly(raw, p)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		path := wrong.Field
		for _, group := range reflect.VisibleFields(reflect.TypeFor[Program]()) {
			if group.Anonymous { // encoding/json names the embedded struct, too
				path = strings.TrimPrefix(path, group.Name+".")
			}
		}
		return nil, &EntryError{path, fmt.Sprintf("a %s is of the wrong type; programs/README.md shows the right one", wrong.Value)}
	}
	if column, unknown := UnknownKey(err); unknown {
		return nil, &EntryError{"", fmt.Sprintf("unknown column %q; programs/README.md lists the columns", column)}
	}
	return p, err
}

// UnknownKey returns the key that a strict decoder refused.
func UnknownKey(err error) (string, bool) {
	if err == nil {
		return "", false
	}
	key, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	return strings.Trim(key, `"`), unknown
}

// commandSet holds subcommands by their names.
type commandSet map[string]*Program

var _ json.Unmarshaler = (*commandSet)(nil)

// UnmarshalJSON decodes subcommands, and names the one that can't be read.
func (c *commandSet) UnmarshalJSON(data []byte) error {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	*c = make(commandSet, len(entries))
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		entry, err := read(entries[name])
		if err != nil {
			return below("commands."+name, err)
		}
		(*c)[name] = entry
	}
	return nil
}

// prefixes are the styles, and what the names of their options begin with.
var prefixes = map[string]string{
	"": "-", "gnu": "-", "posix": "-", "go": "-", "find": "-", "tar": "-", "raw": "-", "text": "-", "cmdlet": "-",
	"cmd": "/", "equals": "", "test": "",
}

// check reports as an *EntryError what the table can't have. outer are the options in front of a subcommand.
// The fields of Program state what their values may be:
//
//	values:"a,b"  one of these texts, or a text that matches one of these globs
//	names:"x,y"   an option or a role of the entry, or one of these; of a map its keys
func (p *Program) check(outer []string) error {
	if err := p.checkOptions(); err != nil {
		return err
	}
	known := p.listed(outer)
	if err := cmp.Or(p.checkRoles(known), checkRisks(p.Risks), p.checkCommands()); err != nil {
		return err
	}
	if err := checkFields(reflect.ValueOf(p).Elem(), known); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Commands)) {
		if err := p.Commands[name].check(known); err != nil {
			return below("commands."+name, err)
		}
	}
	return nil
}

// checkRoles reports what is no role, and what names one that isn't there.
func (p *Program) checkRoles(known []string) error {
	for i, rule := range p.Rules {
		for j, role := range rule.Roles {
			if err := role.check(); err != nil {
				return below(fmt.Sprintf("operands[%d].roles[%d]", i, j), err)
			}
		}
	}
	for _, role := range p.ChainRoles {
		if !slices.Contains(known, "<"+role+">") {
			return &EntryError{"chain_roles", fmt.Sprintf("%q is no role of the entry", role)}
		}
	}
	for name := range p.Risks {
		// An option that isn't listed may have a risk all the same; the two roles are git's.
		stated := strings.HasPrefix(name, "-") || strings.HasPrefix(name, "!-") || strings.HasPrefix(name, "=") || name == "<commit>" || name == "<path>"
		if !stated && !slices.Contains(known, name) {
			return &EntryError{"risks." + name, "is no option, no role of the entry, and no kind behind ="}
		}
	}
	return nil
}

// checkOptions reports an option that the style of the entry can't read.
func (p *Program) checkOptions() error {
	prefix, known := prefixes[p.Style]
	if !known {
		return &EntryError{"style", fmt.Sprintf("%q is not known; allowed: %s", p.Style, strings.Join(slices.Sorted(maps.Keys(prefixes))[1:], ", "))}
	}
	for column, options := range map[string]OptionSet{"options": p.Options, "darwin": p.Darwin} {
		for _, name := range slices.Sorted(maps.Keys(options)) {
			switch {
			case p.Style == "test":
			case name == "" || strings.ContainsAny(name, " =,") || len(name) <= len(prefix) || !strings.HasPrefix(name, prefix):
				message := fmt.Sprintf("%q is no name of an option; names begin with a dash, with commas and no blank between them", name)
				if prefix == "/" {
					message = fmt.Sprintf("%q is no name of an option; those of the style cmd begin with a slash", name)
				}
				if strings.HasPrefix(name, "+") {
					message += "; no style reads one that begins with a plus, so leave the program out, or let its operands be of the kind unknown"
				}
				return &EntryError{column + "." + name, message}
			}
		}
	}
	return nil
}

// listed returns what the lists of an entry may name: canonical options, and roles.
func (p *Program) listed(outer []string) []string {
	names := slices.Clone(outer)
	for _, options := range []OptionSet{p.Options, p.Darwin} {
		for _, option := range options {
			names = append(names, option.Canonical)
		}
	}
	for _, rule := range p.Rules {
		for _, role := range rule.Roles {
			names = append(names, role.Label)
		}
	}
	if p.Pathspecs {
		names = append(names, "<path>")
	}
	if p.Numeric {
		names = append(names, OptionNumber)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkFields checks what the tags of the fields of a struct ask for; see Program.check.
func checkFields(group reflect.Value, known []string) error {
	for field, value := range group.Fields() {
		if value.IsZero() || !field.IsExported() || field.Type == reflect.TypeFor[commandSet]() {
			continue
		}
		column, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if err := checkColumn(&field, value, known); err != nil {
			return below(column, err)
		}
		if err := checkWithin(value, known); err != nil {
			if field.Anonymous {
				return err
			}
			return below(column, err)
		}
	}
	return nil
}

// checkWithin checks the structs of a field.
func checkWithin(value reflect.Value, known []string) error {
	switch {
	case value.Kind() == reflect.Struct:
		return checkFields(value, known)
	case value.Kind() == reflect.Pointer && value.Type().Elem().Kind() == reflect.Struct && !value.IsNil():
		return checkFields(value.Elem(), known)
	case value.Type() == reflect.TypeFor[[]OperandRule]():
		for i := range value.Len() {
			if err := checkFields(value.Index(i), known); err != nil {
				return below(fmt.Sprintf("[%d]", i), err)
			}
		}
	}
	return nil
}

// checkColumn checks one field by its tags.
func checkColumn(field *reflect.StructField, value reflect.Value, known []string) error {
	keys, texts := texts(value)
	place := func(i int) string {
		if value.Kind() == reflect.Slice {
			return fmt.Sprintf("[%d]", i)
		}
		return ""
	}
	if extra, tagged := field.Tag.Lookup("names"); tagged {
		for i, name := range keys {
			if !slices.Contains(known, name) && !slices.Contains(strings.Split(extra, ","), name) {
				return &EntryError{place(i), fmt.Sprintf("%q is no option and no role of the entry; list it, with the first of its names", name)}
			}
		}
	}
	if values, tagged := field.Tag.Lookup("values"); tagged {
		for i, text := range texts {
			fits := func(pattern string) bool { ok, _ := path.Match(pattern, text); return ok }
			if text != "" && !slices.ContainsFunc(strings.Split(values, ","), fits) {
				return &EntryError{place(i), fmt.Sprintf("%q is not known; allowed: %s", text, strings.ReplaceAll(values, ",", ", "))}
			}
		}
	}
	return nil
}

// texts returns the texts of a field, and the keys of a map apart from its values.
func texts(value reflect.Value) (keys, values []string) {
	switch of := value.Interface().(type) {
	case string:
		return []string{of}, []string{of}
	case []string:
		return of, of
	case map[string]string:
		return slices.Sorted(maps.Keys(of)), slices.Sorted(maps.Values(of))
	case map[string][]string:
		return slices.Sorted(maps.Keys(of)), nil
	}
	return nil, nil
}

// checkCommands reports a name of a subcommand that leads nowhere.
func (p *Program) checkCommands() error {
	if p.WorksIn == UsesPaths && len(p.Commands) > 0 {
		return &EntryError{"works_in", "paths is for programs without subcommands"}
	}
	if p.Default != nil && *p.Default != "" && p.Commands[*p.Default] == nil {
		return &EntryError{"default", fmt.Sprintf("there is no command %q", *p.Default)}
	}
	for _, alias := range slices.Sorted(maps.Keys(p.Aliases)) {
		if p.Commands[p.Aliases[alias]] == nil {
			return &EntryError{"aliases." + alias, fmt.Sprintf("there is no command %q", p.Aliases[alias])}
		}
		if _, twice := p.Commands[alias]; twice {
			return &EntryError{"aliases." + alias, "a command has this name; keep one"}
		}
	}
	if p.ChainOperands < 0 {
		return &EntryError{"chain_operands", "is negative"}
	}
	return nil
}
