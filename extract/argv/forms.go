package argv

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
			acts, known := KnownKind(kind)
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

// FormRisk is the risk of an option or Role of a verb, as the table marks it, or "".
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
	if risk, named := last.Risks[name]; named {
		return risk
	}
	return last.Risks["="+kind]
}

// chain returns the entries of a verb chain, from the program to its last subcommand. It
// is empty for a program of which the table knows nothing but how it prints its version.
func (t *Table) chain(platform, verb string) ([]*Program, error) {
	if whole := t.On(platform, verb); whole != nil {
		return []*Program{whole}, nil // also a module of an interpreter, by its whole name
	}
	words := strings.Fields(verb)
	if len(words) == 0 || strings.Join(words, " ") != verb {
		return nil, errors.New("no verb; write the program and its subcommands with one blank between them")
	}
	program := t.On(platform, words[0])
	if program == nil && t.Words.versions[words[0]] != nil {
		return nil, nil
	}
	if program == nil {
		return nil, fmt.Errorf("the program %s is in no table; declare its options under programs", words[0])
	}
	entries := []*Program{program}
	for i, word := range words[1:] {
		next := program.Commands[word]
		if next == nil {
			if len(program.ChainRoles) == 0 && len(words)-1-i > program.ChainOperands {
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
	"archive": {"read"}, "local": {"local", "read"}, "page": {"read"}, "packed": {"read"}, "source": {"read"}, "configuration": {"execute"}, "import": {"list"}, "expanded": {"write"}, "module": {"read"}, "input": {"read"}, "output": {"value"}, "command": {"item"},
}

// agrees reports whether one of the entries reads name with kind.
func agrees(entries []*Program, name, kind string) bool {
	if name == "<version>" && kind == "prints" {
		return true // Prints.Version
	}
	as := func(listed string) bool { return listed == kind || slices.Contains(appearsAs[listed], kind) }
	for _, program := range entries {
		if option, ok := program.Options[name]; ok && option.Canonical == name && as(option.Kinds[0]) {
			return true
		}
		for _, rule := range program.Rules {
			if slices.ContainsFunc(rule.Roles, func(r Role) bool { return r.Label == name && as(r.Kind) }) {
				return true
			}
		}
		// Operators of tests are read by the walk itself.
		if program.Pathspecs && name == "<path>" && kind == "pathspec" || program.Style == "test" || name == "-NUM" && program.Numeric {
			return true
		}
	}
	return false
}

// suggestion is what to do about a name that no entry reads with its kind.
func suggestion(entries []*Program, verb, name string) string {
	for _, program := range entries {
		if known, ok := program.Options[name]; ok && known.Canonical != name {
			return fmt.Sprintf("facts call this option %s; write that", known.Canonical)
		} else if ok {
			return fmt.Sprintf("the program table has it with the kind %q", known.Kinds[0])
		}
		for _, rule := range program.Rules {
			for _, r := range rule.Roles {
				if r.Label == name {
					return fmt.Sprintf("the program table has it with the kind %q", r.Kind)
				}
			}
		}
	}
	if strings.HasPrefix(name, "<") {
		return fmt.Sprintf("the program table knows no operand %s of %s", name, verb)
	}
	return fmt.Sprintf("the program table knows no option %s of %s", name, verb)
}
