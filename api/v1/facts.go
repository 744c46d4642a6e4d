package v1

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// FactsSchema is the version of the Facts layout that this package writes.
const FactsSchema = 1

// Facts describe a call, without any judgement. Facts are total: every field is present in JSON and no array
// or object is null, so that a missing value can't disable a rule.
//
// Facts with Complete false, or without items although the call does something, are never allowed.
type Facts struct {
	Schema  int          `json:"schema"`
	Tool    ToolFacts    `json:"tool"`
	Session SessionFacts `json:"session"`
	// Method is about ACP methods alone.
	Method MethodFacts `json:"method"`
	// About has index keys for rules: command, path, read, write, delete, execute, outside, secret,
	// protected, tool, method, fetch, mcp, internal, …
	About []string `json:"about"`
	// Verbs and Names are index keys: every verb chain, and the base name of
	// every path.
	Verbs []string `json:"verbs"`
	Names []string `json:"names"`
	// Cwd is the directory that relative paths were resolved against, real, or
	// empty when it is unknown (V4).
	Cwd string `json:"cwd"`
	// Messy is true when a command line was not fully explained (V8).
	Messy bool `json:"messy"`
	// Complete is true when the items are everything that the call does. It is
	// false for an empty Facts and whenever extraction gave up.
	Complete bool `json:"complete"`
	// Doubts states why Messy is true or Complete is false: stable codes.
	Doubts []string `json:"doubts"`
	// Items are the smallest things that need permission.
	Items []Item `json:"items"`
	// Paths are all paths of all items, resolved.
	Paths []Path `json:"paths"`
}

// ToolFacts are the catalog's facts about the tool.
type ToolFacts struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Client   string `json:"client"`
	Protocol string `json:"protocol"`
	// Namespace is the ACP namespace of a method, else empty.
	Namespace string `json:"namespace"`
	// Known is true when the catalog names the tool for this client.
	Known bool `json:"known"`
	// Act is the kind of tool whose rules judge the call: Kind, except for an ACP method that does what such
	// a tool does, as fs/read_text_file reads.
	Act string `json:"act"`
}

// JudgedAs is Act, or Kind if Act is empty.
func (t *ToolFacts) JudgedAs() string {
	if t.Act == "" {
		return t.Kind
	}
	return t.Act
}

// MethodFacts are what routes an ACP method (N1 to N8). For every other tool they are empty.
type MethodFacts struct {
	// Peers are those of the session, in the order in which the host names them.
	Peers      []PeerFacts     `json:"peers"`
	Terminal   TerminalFacts   `json:"terminal"`
	Permission PermissionFacts `json:"permission"`
}

// PeerFacts are one client that may serve a method.
type PeerFacts struct {
	ID string `json:"id"`
	// Capabilities are namespaces or single methods.
	Capabilities Set `json:"capabilities"`
}

// Steps of a terminal's life.
const (
	StepCreate  = "create"
	StepUse     = "use"
	StepRelease = "release"
)

// TerminalFacts are about the terminal that a method makes, uses or ends (N5).
type TerminalFacts struct {
	// Step is create, use or release; empty for methods without a terminal.
	Step string `json:"step"`
	// ID is the terminal that is used or released, as the agent names it.
	ID string `json:"id"`
	// Known is true for a terminal of this session, and Peer is who made it; empty
	// is the host itself, or a peer that the host did not name.
	Known bool   `json:"known"`
	Peer  string `json:"peer"`
}

// PermissionFacts are about a request for a person's permission (N8).
type PermissionFacts struct {
	// Asks is true for a method that asks a person: forwarding it asks.
	Asks bool `json:"asks"`
	// RawInput is true if the items contain the accesses of the tool call's raw input.
	RawInput bool `json:"raw_input"`
}

// Tool kinds, as the catalog names them.
const (
	ToolShell    = "shell"
	ToolRead     = "read"
	ToolWrite    = "write"
	ToolEdit     = "edit"
	ToolDelete   = "delete"
	ToolMove     = "move"
	ToolList     = "list"
	ToolSearch   = "search"
	ToolFetch    = "fetch"
	ToolMCP      = "mcp"
	ToolACP      = "acp"
	ToolInternal = "internal"
	ToolOther    = "other"
)

// ToolKinds returns the kinds of tools, in the order in which messages list them.
func ToolKinds() []string {
	return []string{
		ToolShell, ToolRead, ToolWrite, ToolEdit, ToolDelete, ToolMove, ToolList, ToolSearch, ToolFetch, ToolMCP, ToolACP, ToolInternal, ToolOther,
	}
}

// SessionFacts are the session fields that policy may judge by, normalized: an
// unknown audience is public here, and directories are real.
type SessionFacts struct {
	ID          string   `json:"id"`
	Agent       string   `json:"agent"`
	Audience    Audience `json:"audience"`
	Interactive bool     `json:"interactive"`
	Platform    string   `json:"platform"`
	ProjectDir  string   `json:"project_dir"`
	SessionDir  string   `json:"session_dir"`
	Tools       Set      `json:"tools"`
	// Enforces are the kinds of obligations that the caller fulfils.
	Enforces Set `json:"enforces"`
	// Profiles are the containment profiles that this call could run in here, and ProfileMasks if secrets can
	// be hidden from the run. It is empty for a caller that doesn't enforce ObligationContain.
	Profiles Set `json:"profiles"`
}

// Item kinds.
const (
	ItemCommand = "command"
	ItemPath    = "path"
	ItemTool    = "tool"
	ItemMethod  = "method"
	ItemFetch   = "fetch"
)

// Item is the smallest thing in a call that needs permission.
type Item struct {
	Kind string `json:"kind"`
	// Verb is the verb chain of a command, the operation of a path item, the
	// tool's name, the method, or "fetch <host>".
	Verb string `json:"verb"`
	// Directory is the effective directory (V3), real; empty when unknown or
	// without meaning.
	Directory string `json:"directory"`
	// Form is the form of a command: canonical option names and operand roles in angle brackets, each with
	// the kind of its value. A safe form is a superset of it. Unknown options stay as they were written, with
	// the kind "unknown".
	Form Form `json:"form"`
	// Touches has "<operation>.<space>" for each access of the item: "read.project", "write.outside". It
	// includes the working directories unless the program accesses only the paths in its operands and
	// options.
	Touches Set `json:"touches"`
	// Caveats are what a cover has to tolerate by name before it may apply. A
	// caveat that a rule has never heard of is therefore never covered.
	Caveats Set `json:"caveats"`
	// Reaches names the operator's path classes that the item reads by recursion or out of git.
	Reaches Set `json:"reaches"`
	// Within has every directory that contains all accesses of the item, in the form of an approval's
	// directory (V6).
	Within Set `json:"within"`
	// Path is the index in Facts.Paths of a path item, else -1.
	Path int `json:"path"`
	// Risks must each be in an approval that covers the command: force, delete, discard, and others that the
	// program table marks. A risk can include a value ("remote backup", "method POST", "V=1").
	Risks Set `json:"risks"`
	// Values are the literal words that the program table marks as judged, by option or
	// by operand role: {"<target>": ["lint"]}. A word that is known only at run time is
	// missing, and the item has the caveat dynamic_word or dynamic_option then.
	Values Values `json:"values"`
}

// Operations on paths.
const (
	OpRead    = "read"
	OpWrite   = "write"
	OpDelete  = "delete"
	OpExecute = "execute"
	OpList    = "list"
)

// Spaces of a path, strongest first: a path in two spaces gets the first of them. Of overlapping grants the
// longest applies.
const (
	SpaceSession        = "session"
	SpaceProject        = "project"
	SpaceGrantRead      = "grant_read"
	SpaceGrantReadWrite = "grant_read_write"
	// SpaceRepository is the rest of the work tree of the repository that a project directory is in, for
	// reading and listing only: to write there is outside.
	SpaceRepository = "repository"
	SpaceReadAlso   = "read_also"
	SpaceNone       = "none" // /dev/null and the standard streams: no file
	SpaceOutside    = "outside"
	SpaceUnknown    = "unknown" // could not be resolved, or can't be seen
)

// Path is one path access, resolved before any rule sees it (P1).
type Path struct {
	Raw  string `json:"raw"`
	Real string `json:"real"`
	Op   string `json:"op"`
	// Space is the space of Real.
	Space string `json:"space"`
	// Item is the index of the item that makes the access.
	Item int `json:"item"`
	// Class names the lists that Real is on, and the entry that it matched:
	// secret, secret_directory, protected, protected_always, delete_allow, own, and the operator's path classes.
	Class Form `json:"class"`
	// Links are the segments that were symbolic links, as absolute paths.
	Links []string `json:"links"`
	// Caveats: missing, directory, root, hard_link, special, invisible, unseen,
	// ambiguous, error, device, network. A cover names those that it tolerates.
	Caveats Set `json:"caveats"`
}

// ReservedClasses are the classes that policyd names by itself. An operator's class has another name.
func ReservedClasses() []string {
	return []string{"secret", "secret_directory", "protected", "protected_always", "delete_allow", "own"}
}

// Set is a set of names. In JSON it is an object whose values are true, so that one object.subset tests a
// whole set and a lookup needs no loop.
type Set []string

// Has reports whether name is in the set.
func (s Set) Has(name string) bool { return slices.Contains(s, name) }

// Add adds name once.
func (s *Set) Add(name string) {
	if !s.Has(name) {
		*s = append(*s, name)
	}
}

// MarshalJSON implements json.Marshaler; a nil set is {}.
func (s Set) MarshalJSON() ([]byte, error) {
	if len(s) == 0 {
		return emptyObject, nil
	}
	size := 2
	for _, name := range s {
		size += len(name) + 8
	}
	out := append(make([]byte, 0, size), '{')
	for i, name := range s {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, name), ":true"...)
	}
	return append(out, '}'), nil
}

// emptyObject is shared: it may be read, and appended to, which copies it.
var emptyObject = slices.Clip([]byte("{}"))

// appendText appends text as a JSON string. Text without escapes, which is nearly all of it, costs no
// allocation. A caller that escapes HTML does so on a marshaler's output.
func appendText(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			quoted, err := json.Marshal(text)
			if err != nil { // a string always marshals
				return append(out, `""`...)
			}
			return append(out, quoted...)
		}
	}
	out = append(out, '"')
	out = append(out, text...)
	return append(out, '"')
}

// UnmarshalJSON implements json.Unmarshaler. Members whose value is not true
// are an error.
func (s *Set) UnmarshalJSON(data []byte) error {
	var members map[string]bool
	if err := json.Unmarshal(data, &members); err != nil {
		return fmt.Errorf("unmarshal set: %w", err)
	}
	*s = make(Set, 0, len(members))
	for name, held := range members {
		if !held {
			return fmt.Errorf("unmarshal set: %q is false; leave it out", name)
		}
		*s = append(*s, name)
	}
	slices.Sort(*s)
	return nil
}

// Entry is one member of a Form.
type Entry struct {
	Name string
	Kind string
}

// Form is a small map from name to kind that keeps its order. In JSON it is an
// object of strings.
type Form []Entry

// Get returns the kind of name, and whether it is there.
func (f Form) Get(name string) (string, bool) {
	for _, entry := range f {
		if entry.Name == name {
			return entry.Kind, true
		}
	}
	return "", false
}

// Has reports whether the form has an option or operand.
func (f Form) Has(name string) bool {
	_, found := f.Get(name)
	return found
}

// Put sets the kind of name. If a name gets a second, different kind, the kind becomes "mixed", which no safe
// form contains.
func (f *Form) Put(name, kind string) {
	for i := range *f {
		if (*f)[i].Name == name {
			if (*f)[i].Kind != kind {
				(*f)[i].Kind = "mixed"
			}
			return
		}
	}
	if *f == nil {
		*f = make(Form, 0, usualEntries)
	}
	*f = append(*f, Entry{Name: name, Kind: kind})
}

// usualEntries is how many entries most forms have at most.
const usualEntries = 4

// MarshalJSON implements json.Marshaler; a nil form is {}.
func (f Form) MarshalJSON() ([]byte, error) {
	if len(f) == 0 {
		return emptyObject, nil
	}
	size := 2
	for _, entry := range f {
		size += len(entry.Name) + len(entry.Kind) + 6
	}
	out := append(make([]byte, 0, size), '{')
	for i, entry := range f {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, entry.Name), ':')
		out = appendText(out, entry.Kind)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Form) UnmarshalJSON(data []byte) error {
	var members map[string]string
	if err := json.Unmarshal(data, &members); err != nil {
		return fmt.Errorf("unmarshal form: %w", err)
	}
	*f = make(Form, 0, len(members))
	for name, kind := range members {
		*f = append(*f, Entry{Name: name, Kind: kind})
	}
	slices.SortFunc(*f, func(a, b Entry) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return nil
}

// Value is one member of Values.
type Value struct {
	Name  string
	Texts []string
}

// Values is a small map from name to texts that keeps its order. In JSON it is an
// object of arrays.
type Values []Value

// Add adds a text under a name, after those that are there.
func (v *Values) Add(name, text string) {
	for i := range *v {
		if (*v)[i].Name == name {
			(*v)[i].Texts = append((*v)[i].Texts, text)
			return
		}
	}
	*v = append(*v, Value{Name: name, Texts: []string{text}})
}

// Clone is a copy that shares no memory; nil for an empty map.
func (v Values) Clone() Values {
	if len(v) == 0 {
		return nil
	}
	out := slices.Clone(v)
	for i := range out {
		out[i].Texts = slices.Clone(out[i].Texts)
	}
	return out
}

// MarshalJSON implements json.Marshaler; a nil map is {}.
func (v Values) MarshalJSON() ([]byte, error) {
	if len(v) == 0 {
		return emptyObject, nil
	}
	out := []byte{'{'}
	for i, value := range v {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, value.Name), ":["...)
		for n, text := range value.Texts {
			if n > 0 {
				out = append(out, ',')
			}
			out = appendText(out, text)
		}
		out = append(out, ']')
	}
	return append(out, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Values) UnmarshalJSON(data []byte) error {
	var members map[string][]string
	if err := json.Unmarshal(data, &members); err != nil {
		return fmt.Errorf("unmarshal values: %w", err)
	}
	*v = make(Values, 0, len(members))
	for name, texts := range members {
		*v = append(*v, Value{Name: name, Texts: texts})
	}
	slices.SortFunc(*v, func(a, b Value) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return nil
}

// Approval is a remembered answer for commands, methods and tools, in the form for the policy (V6). Directory
// is empty and Anywhere true if it applies anywhere.
type Approval struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Verb      string `json:"verb"`
	Directory string `json:"directory"`
	Anywhere  bool   `json:"anywhere"`
	// Once is true for an answer that covers exactly this call, whole (A10).
	Once bool `json:"once"`
	// Risks are those that were approved.
	Risks Set `json:"risks"`
}

// PathGrant is a remembered answer for files: a root and a mode.
type PathGrant struct {
	ID   string `json:"id"`
	Root string `json:"root"`
	Mode string `json:"mode"` // read, read_write or reading
}

// Input is the whole policy input: the facts, and the remembered answers that could apply to them. A
// judgement needs nothing else, so a record can be judged again.
type Input struct {
	Facts
	Approvals []Approval `json:"approvals"`
}

// Judged is what rules read: the input, and what the engine adds during the judgement. Line follows from the
// items and adds no information, so no record contains it. A rule that reads it has to give the same result
// without it.
type Judged struct {
	Input
	Line LineFacts `json:"line"`
}

// LineFacts are what the commands of one call have in common, so that a rule can test all commands at once: a
// test that holds for every part of it holds for every command.
type LineFacts struct {
	// Told is true if the rest summarizes all commands. It is false, and the rest empty, for fewer than two
	// commands, and if two with one verb give one option different kinds.
	Told bool `json:"told"`
	// Touches and Caveats are those of any command.
	Touches Set `json:"touches"`
	Caveats Set `json:"caveats"`
	// Forms has, for each verb, the union of the forms of its commands.
	Forms map[string]Form `json:"forms"`
}
