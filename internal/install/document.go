package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"policyd/internal/jsonmembers"
)

// byteOrderMark may be at the front of a file that Windows programs wrote.
const byteOrderMark = "\ufeff"

// document is a JSON file that is changed in place: what isn't touched keeps
// every byte.
type document struct {
	mark string
	text []byte
	root hujson.Value
}

// parseDocument parses a file. Comments are an error if the client that owns the file refuses them. An empty
// file counts as an empty object.
func parseDocument(text []byte, comments bool) (*document, error) {
	d := &document{}
	if rest, found := bytes.CutPrefix(text, []byte(byteOrderMark)); found {
		d.mark, text = byteOrderMark, rest
	}
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if err := d.set(text); err != nil {
		return nil, err
	}
	if _, isObject := d.root.Value.(*hujson.Object); !isObject {
		return nil, d.errorAt(d.root.StartOffset, "want an object")
	}
	if err := d.refuseDuplicates(); err != nil {
		return nil, err
	}
	if !comments && !d.root.IsStandard() {
		return nil, d.errorAt(d.firstExtra(), "comments and trailing commas are not allowed in this file, and its client does not load it")
	}
	return d, nil
}

func (d *document) bytes() []byte { return append([]byte(d.mark), d.text...) }

// set replaces the text, and parses its values again.
func (d *document) set(text []byte) error {
	root, err := hujson.Parse(text)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	d.text, d.root = text, root
	return nil
}

// errorAt is an error with line and column.
func (d *document) errorAt(offset int, message string) error {
	line := 1 + bytes.Count(d.text[:offset], []byte("\n"))
	column := offset - bytes.LastIndexByte(d.text[:offset], '\n')
	return fmt.Errorf("line %d, column %d: %s", line, column, message)
}

// refuseDuplicates refuses objects with two members of one name.
func (d *document) refuseDuplicates() error {
	if member := jsonmembers.Duplicate(&d.root); member != nil {
		return d.errorAt(member.Name.StartOffset, fmt.Sprintf("%q is repeated", jsonmembers.Name(member)))
	}
	return nil
}

// firstExtra finds the first comment or trailing comma.
func (d *document) firstExtra() int {
	for value := range d.root.All() {
		for _, of := range []struct {
			extra hujson.Extra
			start int
		}{{value.BeforeExtra, value.StartOffset - len(value.BeforeExtra)}, {value.AfterExtra, value.EndOffset}} {
			if skipped := len(of.extra) - len(bytes.TrimLeft(of.extra, " \t\r\n")); skipped < len(of.extra) {
				return of.start + skipped
			}
		}
	}
	return d.root.StartOffset
}

// find descends through names and indexes, and returns nil if there is no such value.
func (d *document) find(path ...any) *hujson.Value {
	at := &d.root
	for _, step := range path {
		if at = child(at, step); at == nil {
			return nil
		}
	}
	return at
}

func child(of *hujson.Value, step any) *hujson.Value {
	switch inner := of.Value.(type) {
	case *hujson.Object:
		for i := range inner.Members {
			if jsonmembers.Name(&inner.Members[i]) == step {
				return &inner.Members[i].Value
			}
		}
	case *hujson.Array:
		if index, isIndex := step.(int); isIndex && index < len(inner.Elements) {
			return &inner.Elements[index]
		}
	}
	return nil
}

// stringAt is the text at a path, empty if there is none.
func (d *document) stringAt(path ...any) string {
	if literal, isLiteral := valueAt(d.find(path...)).(hujson.Literal); isLiteral && literal.Kind() == '"' {
		return literal.String()
	}
	return ""
}

func valueAt(value *hujson.Value) hujson.ValueTrimmed {
	if value == nil {
		return nil
	}
	return value.Value
}

// decode reads what is at a path into out, and states whether it could.
func (d *document) decode(out any, path ...any) bool {
	value := d.find(path...)
	if value == nil {
		return false
	}
	plain := value.Clone()
	plain.Standardize()
	return json.Unmarshal(plain.Pack(), out) == nil
}
