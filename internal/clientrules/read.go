package clientrules

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"policyd/internal/jsonmembers"
)

// longestFile bounds each file, in bytes.
const longestFile = 8 << 20

// Client is an agent program that has rules.
type Client struct {
	// Name is what users call it, Agent the name of its sessions.
	Name, Agent string
	read        func(*reader) error
}

// Clients are all programs whose rules are read.
func Clients() []Client {
	return []Client{
		{"claude", "claude-code", (*reader).claude},
		{"codex", "codex", (*reader).codex},
		{"gemini", "gemini-cli", (*reader).gemini},
		{"opencode", "opencode", (*reader).openCode},
	}
}

// Surroundings are the locations of a program's files.
type Surroundings struct {
	Home string
	// Env reads the environment.
	Env func(string) (string, bool)
	// Project is the directory whose project rules are read; empty for none.
	Project string
}

// Read returns the rules of a program in the order in which its files have them, and the
// files that were read. The error is a *FileError.
func (c Client) Read(where Surroundings) (rules []Rule, files []string, err error) {
	r := &reader{where: where}
	if err := c.read(r); err != nil {
		return nil, nil, err
	}
	return r.rules, r.files, nil
}

// reader reads the files of one program.
type reader struct {
	where Surroundings
	rules []Rule
	files []string
	// file and project are those of the file that is being read.
	file    string
	project bool
}

// place is a directory that a variable names, or one below the home directory.
func (r *reader) place(variable string, below ...string) string {
	if named, set := r.where.Env(variable); set && filepath.IsAbs(named) {
		return named
	}
	return filepath.Join(append([]string{r.where.Home}, below...)...)
}

// open reads a file. Text is nil for a file that isn't there.
func (r *reader) open(file string, project bool) ([]byte, error) {
	r.file, r.project = file, project
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, r.unread(err)
	case !info.Mode().IsRegular():
		return nil, &FileError{File: file, Message: "is no regular file"}
	case info.Size() > longestFile:
		return nil, &FileError{File: file, Message: fmt.Sprintf("exceeds the limit of %d bytes", longestFile)}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, r.unread(err)
	}
	if !utf8.Valid(text) {
		return nil, &FileError{File: file, Message: "is not UTF-8"}
	}
	r.files = append(r.files, file)
	if text = bytes.TrimPrefix(text, []byte("\ufeff")); text == nil {
		text = []byte{}
	}
	return text, nil
}

func (r *reader) unread(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &FileError{File: r.file, Message: "can't be read: " + err.Error()}
}

// each reads the files of a directory with a suffix, in the order of their names.
func (r *reader) each(directory, suffix string, project bool, read func(text []byte) error) error {
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.file = directory
		return r.unread(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		text, err := r.open(filepath.Join(directory, entry.Name()), project)
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		if err := read(text); err != nil {
			return err
		}
	}
	return nil
}

// add adds a rule of the current file.
func (r *reader) add(rule Rule) *Rule {
	rule.File, rule.project = r.file, r.project
	r.rules = append(r.rules, rule)
	return &r.rules[len(r.rules)-1]
}

// document is a JSON file, with or without comments.
type document struct {
	file string
	text []byte
	root hujson.Value
}

// json reads a file of JSON; nil if it isn't there or empty.
func (r *reader) json(file string, project, comments bool) (*document, error) {
	text, err := r.open(file, project)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil, err
	}
	d := &document{file: file, text: text}
	if d.root, err = hujson.Parse(text); err != nil {
		message, line := strings.TrimPrefix(err.Error(), "hujson: "), 1
		if _, scanErr := fmt.Sscanf(message, "line %d,", &line); scanErr == nil {
			_, message, _ = strings.Cut(message, ", ")
		}
		return nil, &FileError{File: file, Line: line, Message: message}
	}
	if !comments && !d.root.IsStandard() {
		return nil, &FileError{File: file, Line: 1, Message: "has comments or trailing commas, and its program doesn't load it"}
	}
	if member := jsonmembers.Duplicate(&d.root); member != nil {
		return nil, d.wrong(&member.Name, fmt.Sprintf("%q is there twice", jsonmembers.Name(member)))
	}
	if _, isObject := d.root.Value.(*hujson.Object); !isObject {
		return nil, d.wrong(&d.root, "is no object")
	}
	return d, nil
}

func (d *document) line(value *hujson.Value) int {
	return 1 + bytes.Count(d.text[:value.StartOffset], []byte("\n"))
}

func (d *document) wrong(value *hujson.Value, message string) error {
	return &FileError{File: d.file, Line: d.line(value), Message: message}
}

// find descends through the names of nested objects. It returns nil if there is no such value.
func (d *document) find(names ...string) *hujson.Value {
	at := &d.root
	for _, name := range names {
		object, isObject := at.Value.(*hujson.Object)
		if !isObject {
			return nil
		}
		i := slices.IndexFunc(object.Members, func(member hujson.ObjectMember) bool { return jsonmembers.Name(&member) == name })
		if i < 0 {
			return nil
		}
		at = &object.Members[i].Value
	}
	return at
}

// member is a name and value of an object.
type member struct {
	name  string
	value *hujson.Value
}

// members are those of an object; none for nil.
func (d *document) members(value *hujson.Value, what string) ([]member, error) {
	if value == nil {
		return nil, nil
	}
	object, isObject := value.Value.(*hujson.Object)
	if !isObject {
		return nil, d.wrong(value, what+" is no object")
	}
	out := make([]member, len(object.Members))
	for i := range object.Members {
		out[i] = member{jsonmembers.Name(&object.Members[i]), &object.Members[i].Value}
	}
	return out, nil
}

// text is a string value and its line.
type text struct {
	string
	line int
}

// texts are the strings of a list; none for nil.
func (d *document) texts(value *hujson.Value, what string) ([]text, error) {
	if value == nil {
		return nil, nil
	}
	list, isList := value.Value.(*hujson.Array)
	if !isList {
		return nil, d.wrong(value, what+" is no list")
	}
	out := make([]text, 0, len(list.Elements))
	for i := range list.Elements {
		one, isText := d.string(&list.Elements[i])
		if !isText {
			return nil, d.wrong(&list.Elements[i], what+" holds a value other than a string")
		}
		out = append(out, text{one, d.line(&list.Elements[i])})
	}
	return out, nil
}

// string is a string value; isText is false for any other.
func (d *document) string(value *hujson.Value) (string, bool) {
	literal, isLiteral := value.Value.(hujson.Literal)
	if !isLiteral || literal.Kind() != '"' {
		return "", false
	}
	return literal.String(), true
}

// isTrue reports whether a value is true.
func isTrue(value *hujson.Value) bool {
	if value == nil {
		return false
	}
	literal, isLiteral := value.Value.(hujson.Literal)
	return isLiteral && literal.Kind() == 't'
}
