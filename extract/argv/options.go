package argv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"policyd/extract/argv/script"
)

// Option is one option of a program.
type Option struct {
	// Canonical is the name that facts have.
	Canonical string
	// Kinds holds one kind for each value, and is {"none"} if the option takes none.
	Kinds []string
	// Risk is what an approval has to be given for, as in RiskNames.Risks.
	Risk string
}

// OptionSet holds options by each of their names. In data files the key holds all names of an option
// with commas between them, the canonical one first, and the value the kinds.
type OptionSet map[string]Option

var _ json.Unmarshaler = (*OptionSet)(nil)

// UnmarshalJSON decodes options as the data files have them.
func (s *OptionSet) UnmarshalJSON(data []byte) error {
	var kindsByNames map[string]string
	if err := json.Unmarshal(data, &kindsByNames); err != nil {
		return err
	}
	*s = make(OptionSet, 2*len(kindsByNames))
	for names, kinds := range kindsByNames {
		if err := s.add(names, kinds); err != nil {
			return err
		}
	}
	return nil
}

func (s OptionSet) add(names, stated string) error {
	all := strings.Split(names, ",")
	values := strings.Fields(stated)
	if len(values) == 0 {
		return &EntryError{"options." + names, "no kind; the table of kinds lists those that there are"}
	}
	for _, value := range values {
		if _, known := KnownKind(value); !known {
			return &EntryError{"options." + names, fmt.Sprintf("unknown kind %q; the table of kinds lists those that there are", value)}
		}
	}
	for _, name := range all {
		if _, twice := s[name]; twice {
			return &EntryError{"options." + name, "defined twice"}
		}
		s[name] = Option{Canonical: all[0], Kinds: values}
	}
	return nil
}

// act reports whether an option does more than choose output.
func (s OptionSet) act() bool {
	for _, option := range s {
		for _, kind := range option.Kinds {
			if acts, _ := KnownKind(kind); acts && kind != "unknown" && kind != "config" {
				return true
			}
		}
	}
	return false
}

// OperandRule is what operands mean in a form with one of the options in When, unless that is empty,
// and with none of Unless.
type OperandRule struct {
	When   []string `json:"when" names:""`
	Unless []string `json:"unless" names:""`
	Roles  []Role   `json:"roles"`
}

// Role is what one operand means. In data files it is "name:kind", with "*" or "?" behind it.
type Role struct {
	Name string
	// Label is the name between angle brackets, as forms, risks and filters have it.
	Label    string
	Kind     string
	Repeat   bool
	Optional bool
}

// UnmarshalText decodes a role as the data files have it. Whether it is one is for check to say.
func (r *Role) UnmarshalText(text []byte) error {
	name, kind, _ := strings.Cut(string(text), ":")
	kind, repeat := strings.CutSuffix(kind, "*")
	optional := false
	if !repeat {
		kind, optional = strings.CutSuffix(kind, "?")
	}
	*r = Role{Name: name, Label: "<" + name + ">", Kind: kind, Repeat: repeat, Optional: optional}
	return nil
}

// check reports what is no role.
func (r *Role) check() error {
	if r.Name == "" || r.Kind == "" {
		return fmt.Errorf("role %q: want name:kind", r.Name)
	}
	if _, known := KnownKind(r.Kind); !known {
		return fmt.Errorf("role %s: unknown kind %q; the table of kinds lists those that there are", r.Name, r.Kind)
	}
	return nil
}

// Assign spreads n operands over the roles: fixed roles in front and behind, the
// repeated one between. It reports false if there are too many or too few.
func (r OperandRule) Assign(n int) ([]Role, bool) {
	roles := r.Roles
	repeat := slices.IndexFunc(roles, func(r Role) bool { return r.Repeat })
	if repeat < 0 {
		return roles[:min(n, len(roles))], n >= countRequired(roles) && n <= len(roles)
	}
	front, back := roles[:repeat], roles[repeat+1:]
	if n == len(roles) {
		return roles, true
	}
	if n < len(front)+len(back) {
		return roles[:min(n, len(front))], n >= countRequired(front)+countRequired(back) && len(back) == 0
	}
	out := slices.Clone(front)
	for range n - len(front) - len(back) {
		out = append(out, roles[repeat])
	}
	return append(out, back...), true
}

func countRequired(roles []Role) int {
	n := 0
	for _, r := range roles {
		if !r.Optional {
			n++
		}
	}
	return n
}

// kinds is every kind that the table may name, languages of program texts left out, and whether an option or operand
// of it does more than choose output.
var kinds = map[string]bool{
	"none": false, "value": false, "value?": false, "number?": false, "pattern": false, "read": false, "read?": false, "list": false,
	"tree": false, "dir": false, "rev": false, "rev?": false, "pathspec": false, "variable": false, "database": true, "plus": false, "range": false, "write": true, "write?": true, "delete": true, "execute": true,
	"execute?": true, "command": true, "code": true, "code?": true, "config": true, "host": true, "url": true,
	"data": true, "field": true, "upload": true, "repository": true, "destination": true, "name": true, "name?": true, "unknown": true, "options": true, "macro": true, "archive": true, "packed": false, "compressed": true, "compressed_kept": true, "module": false, "input": false,
	"mount": false, "setting": false, "socket": false, "socket?": false, "local": false, "page": false, "public": false, "word": false, "fields": false, "bare": false, "leaf": false, "inside": false, "member": false, "interface": false, "job": false, "merges": false, "output": true, "format": false,
	"source": true, "import": false, "expanded": true, "configuration": true,
	"package": true, "transfer": true, "arrival": true, "names": true, "assigned": true, "assignment": true,
}

// KnownKind reports whether the table may name a kind, and whether an option or operand of it does more
// than choose output.
func KnownKind(kind string) (acts, known bool) {
	acts, known = kinds[kind]
	return acts, known || script.Is(kind)
}

// commonParameters are the parameters that every cmdlet has, by their names in lower case.
var commonParameters = OptionSet{
	"-erroraction": {Canonical: "-ErrorAction", Kinds: []string{"value"}}, "-ea": {Canonical: "-ErrorAction", Kinds: []string{"value"}},
	"-warningaction": {Canonical: "-WarningAction", Kinds: []string{"value"}}, "-wa": {Canonical: "-WarningAction", Kinds: []string{"value"}},
	"-verbose": {Canonical: "-Verbose", Kinds: []string{"none"}}, "-vb": {Canonical: "-Verbose", Kinds: []string{"none"}},
	"-debug": {Canonical: "-Debug", Kinds: []string{"unknown"}}, "-errorvariable": {Canonical: "-ErrorVariable", Kinds: []string{"unknown"}},
	"-warningvariable": {Canonical: "-WarningVariable", Kinds: []string{"unknown"}}, "-outvariable": {Canonical: "-OutVariable", Kinds: []string{"unknown"}},
	"-outbuffer": {Canonical: "-OutBuffer", Kinds: []string{"unknown"}}, "-pipelinevariable": {Canonical: "-PipelineVariable", Kinds: []string{"unknown"}},
	"-informationaction":   {Canonical: "-InformationAction", Kinds: []string{"unknown"}},
	"-informationvariable": {Canonical: "-InformationVariable", Kinds: []string{"unknown"}},
	"-progressaction":      {Canonical: "-ProgressAction", Kinds: []string{"unknown"}},
}

// Parameter resolves the name of a cmdlet's parameter: the whole name, or the beginning of one name alone.
func (s *Syntax) Parameter(name string) (Option, bool) {
	name = strings.ToLower(name)
	if known, ok := s.folded[name]; ok {
		return known, true
	}
	if known, ok := commonParameters[name]; ok {
		return known, true
	}
	var found Option
	for _, names := range []OptionSet{s.folded, commonParameters} {
		for full, known := range names {
			if !strings.HasPrefix(full, name) || known.Canonical == found.Canonical {
				continue
			}
			if found.Canonical != "" {
				return Option{}, false
			}
			found = known
		}
	}
	return found, found.Canonical != ""
}

// Switch returns the option of a command of cmd by its name in any case.
func (s *Syntax) Switch(name string) (Option, bool) {
	known, ok := s.folded[strings.ToLower(name)]
	return known, ok
}
