package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// The most that a file of an operator may have. Its entries are looked up in every call.
const maxOperatorFile = 1 << 20

// OperatorFile is the content of a file of safe verbs or of tools.
type OperatorFile struct {
	// Values have the shape of the file, which was checked.
	Values map[string]any
	lines  map[string]int
}

// Line returns the line of an entry by its dotted path, or of the nearest entry around it; 0 if there is
// none.
func (f *OperatorFile) Line(entry string) int {
	for entry != "" {
		if line := f.lines[entry]; line > 0 {
			return line
		}
		entry = entry[:max(strings.LastIndexAny(entry, ".["), 0)]
	}
	return 0
}

// ParseSafeVerbs reads the content of a file of safe verbs, in YAML or JSON. The error is
// an *Error.
func ParseSafeVerbs(path string, content []byte, env func(string) (string, bool)) (*OperatorFile, error) {
	whole := formsShape()
	whole.fields["programs"] = shape{kind: table, each: programShape()}
	return parseOperatorFile(path, content, env, &whole)
}

// ParseCatalog does the same for a file of tools.
func ParseCatalog(path string, content []byte, env func(string) (string, bool)) (*OperatorFile, error) {
	whole := fixed(map[string]shape{"clients": {kind: table, each: clientShape(), needed: true}})
	return parseOperatorFile(path, content, env, &whole)
}

func parseOperatorFile(path string, content []byte, env func(string) (string, bool), wanted *shape) (*OperatorFile, error) {
	if text := bytes.TrimLeft(content, " \t\r\n"); len(text) > 0 && text[0] == '{' {
		// JSON may be indented by tabs, which YAML refuses. JSON strings contain none.
		content = bytes.ReplaceAll(content, []byte("\t"), []byte(" "))
	}
	file := &OperatorFile{lines: map[string]int{}}
	r := &reader{file: path, env: env, lines: file.lines, expanded: map[string]bool{}}
	var err error
	if file.Values, err = r.readAs(content, wanted); err != nil {
		return nil, err
	}
	if len(file.Values) == 0 {
		return nil, &Error{Source: path, Message: "holds nothing; allowed: " + wanted.names()}
	}
	return file, nil
}

// ReadOperatorFile returns the content of an operator's file. A file that isn't regular, or exceeds 1 MB, is
// an error.
func ReadOperatorFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Source: path, Message: "there is no such file"}
	case err != nil:
		return nil, &Error{Source: path, Message: "can't be read: " + cause(err)}
	case !info.Mode().IsRegular():
		return nil, &Error{Source: path, Message: "is no regular file"}
	case info.Size() > maxOperatorFile:
		return nil, &Error{Source: path, Message: fmt.Sprintf("exceeds %d bytes", maxOperatorFile)}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Source: path, Message: "can't be read: " + cause(err)}
	}
	return content, nil
}

// cause is an error without the path that messages begin with.
func cause(err error) string {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}

// safeVerbsShape is the setting: additions, and a file of more. A text alone is the file.
func safeVerbsShape() shape {
	whole := formsShape()
	whole.fields["file"], whole.short = shape{kind: text, check: notEmpty}, "file"
	return whole
}

func catalogShape() shape {
	whole := fixed(map[string]shape{"file": {kind: text, check: notEmpty}})
	whole.short = "file"
	return whole
}

// formsShape is the tables of safe verbs: platform to verb to forms.
func formsShape() shape {
	names := shape{kind: table, each: &shape{kind: text, check: notEmpty}}
	needed := names
	needed.needed = true
	form := fixed(map[string]shape{"form": needed, "needs": names, "reads_only": {kind: boolean}})
	verbs := shape{kind: table, each: &shape{kind: list, each: &form, filled: true}}
	return fixed(map[string]shape{"common": verbs, "linux": verbs, "darwin": verbs, "windows": verbs})
}

// programShape is the columns of the program table that operators may fill.
func programShape() *shape {
	texts := shape{kind: table, each: &shape{kind: text}}
	flag := shape{kind: boolean}
	program := &shape{}
	operands := fixed(map[string]shape{"when": strs(), "unless": strs(), "roles": strs()})
	*program = fixed(map[string]shape{
		"options": texts, "operands": {kind: list, each: &operands}, "style": {kind: text, allowed: []string{"gnu", "posix", "go"}},
		"numeric": flag, "commands": {kind: table, each: program}, "aliases": texts, "default": {kind: text},
		"chain_operands": {kind: number, least: 0, most: 8}, "recursive": strs(), "modifies": strs(), "implicit": {kind: text},
		"runs_anything": flag, "network": flag, "stdin_code": flag, "permute": flag, "separators": strs(), "comment": {kind: text},
	})
	return program
}

// clientShape is the columns of the tool catalog that operators may fill.
func clientShape() *shape {
	tool := fixed(map[string]shape{
		"kind": {kind: text, needed: true, check: notEmpty}, "command": strs(), "shell": {kind: text, check: notEmpty}, "cwd": strs(),
		"paths": {kind: table, each: &shape{kind: text}}, "default": {kind: text, check: notEmpty},
		"patterns": strs(), "urls": strs(), "content": strs(), "inert": strs(),
	})
	client := fixed(map[string]shape{"tools": {kind: table, each: &tool, needed: true}})
	return &client
}
