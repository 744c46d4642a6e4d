package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// put sets the member at path, whose last name must be new, and creates missing objects above it.
func (d *document) put(value any, path ...string) error {
	return d.insert(value, path, false)
}

// push adds an element to the array at path, and creates it and missing objects above it.
func (d *document) push(value any, path ...string) error {
	return d.insert(value, path, true)
}

func (d *document) insert(value any, path []string, element bool) error {
	at, depth := &d.root, 0
	for depth < len(path) {
		if _, isObject := at.Value.(*hujson.Object); !isObject {
			return d.errorAt(at.StartOffset, fmt.Sprintf("%s is no object", strings.Join(path[:depth], ".")))
		}
		next := child(at, path[depth])
		if next == nil {
			break
		}
		at = next
		depth++
	}
	if depth < len(path) {
		if element {
			value = []any{value}
		}
		for i := len(path) - 1; i > depth; i-- {
			value = map[string]any{path[i]: value}
		}
		return d.write(at, depth, path[depth], value)
	}
	if _, isArray := at.Value.(*hujson.Array); !element || !isArray {
		return d.errorAt(at.StartOffset, fmt.Sprintf("%s exists already and is not a list", strings.Join(path, ".")))
	}
	return d.write(at, depth, "", value)
}

// write puts a member, or an element if name is empty, last into a container.
func (d *document) write(into *hujson.Value, depth int, name string, value any) error {
	unit := d.unit()
	indent := strings.Repeat(unit, depth+1)
	if own, found := d.indentInside(into); found {
		indent = own
	}
	text, err := marshal(value, indent, unit)
	if err != nil {
		return err
	}
	if name != "" {
		key, err := marshal(name, "", "")
		if err != nil {
			return err
		}
		text = key + ": " + text
	}
	closing := into.EndOffset - 1
	end := len(bytes.TrimRight(d.text[:closing], " \t\r\n"))
	added := edit{end, end, "\n" + indent + text}
	if !bytes.Contains(d.text[end:closing], []byte("\n")) {
		added.text += "\n" + strings.TrimSuffix(indent, unit)
	}
	if last := lastOf(into); last != nil && !d.commaAfter(last, closing) {
		return d.apply([]edit{{last.EndOffset, last.EndOffset, ","}, added})
	}
	return d.apply([]edit{added})
}

// marshal writes a value over several lines, without the escapes that only web
// pages need.
func marshal(value any, indent, unit string) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(indent, unit)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("write settings: %w", err)
	}
	return strings.TrimSpace(out.String()), nil
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	text     string
}

// apply makes edits, which must not overlap, from the end to the front; of two at one place the first in the
// list is first. Line ends are those of the file.
func (d *document) apply(edits []edit) error {
	text := d.text
	crlf := bytes.Contains(text, []byte("\r\n"))
	for len(edits) > 0 {
		last := 0
		for i := range edits {
			if edits[i].from >= edits[last].from {
				last = i
			}
		}
		e := edits[last]
		edits = append(edits[:last:last], edits[last+1:]...)
		if crlf {
			e.text = strings.ReplaceAll(e.text, "\n", "\r\n")
		}
		text = append(append(append([]byte{}, text[:e.from]...), e.text...), text[e.to:]...)
	}
	return d.set(text)
}

// lastOf is the last value in a container.
func lastOf(container *hujson.Value) *hujson.Value {
	switch inner := container.Value.(type) {
	case *hujson.Object:
		if len(inner.Members) > 0 {
			return &inner.Members[len(inner.Members)-1].Value
		}
	case *hujson.Array:
		if len(inner.Elements) > 0 {
			return &inner.Elements[len(inner.Elements)-1]
		}
	}
	return nil
}

// commaAfter states whether a comma follows the value inside its container.
func (d *document) commaAfter(value *hujson.Value, closing int) bool {
	after := value.EndOffset + len(value.AfterExtra)
	return after < closing && d.text[after] == ','
}

// unit is one step of the file's own indentation.
func (d *document) unit() string {
	if indent, found := d.indentInside(&d.root); found && indent != "" {
		return indent
	}
	return "  "
}

// indentInside is what precedes the first value in a container, if that value begins a line.
func (d *document) indentInside(container *hujson.Value) (string, bool) {
	var before hujson.Extra
	switch inner := container.Value.(type) {
	case *hujson.Object:
		if len(inner.Members) == 0 {
			return "", false
		}
		before = inner.Members[0].Name.BeforeExtra
	case *hujson.Array:
		if len(inner.Elements) == 0 {
			return "", false
		}
		before = inner.Elements[0].BeforeExtra
	}
	line := bytes.LastIndexByte(before, '\n')
	if line < 0 || len(bytes.Trim(before[line+1:], " \t")) > 0 {
		return "", false
	}
	return string(before[line+1:]), true
}
