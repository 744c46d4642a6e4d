package install

import (
	"bytes"

	"github.com/tailscale/hujson"

	"policyd/internal/jsonmembers"
)

// remove removes the value at path from its container. Comments stay.
func (d *document) remove(path ...any) error {
	parent := d.find(path[:len(path)-1]...)
	from, value := d.extent(parent, path[len(path)-1])
	start := len(bytes.TrimRight(d.text[:from], " \t\r\n"))
	if inComment(d.text[:start]) {
		start = from // the line end belongs to the comment
	}
	edits := []edit{{start, value.EndOffset, ""}}
	if d.commaAfter(value, parent.EndOffset-1) {
		comma := value.EndOffset + len(value.AfterExtra)
		edits = append(edits, edit{comma, comma + 1, ""})
	} else if previous := d.previous(parent, value); previous != nil {
		comma := previous.EndOffset + len(previous.AfterExtra)
		edits = append(edits, edit{comma, comma + 1, ""})
	}
	return d.apply(edits)
}

// inComment states whether a text ends with a line comment.
func inComment(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return bytes.Contains(line, []byte("//"))
}

// extent is the range of a member or element, with its name, and the start of its value.
func (d *document) extent(parent *hujson.Value, step any) (int, *hujson.Value) {
	switch inner := parent.Value.(type) {
	case *hujson.Object:
		for i := range inner.Members {
			if jsonmembers.Name(&inner.Members[i]) == step {
				return inner.Members[i].Name.StartOffset, &inner.Members[i].Value
			}
		}
	case *hujson.Array:
		if index, isIndex := step.(int); isIndex {
			return inner.Elements[index].StartOffset, &inner.Elements[index]
		}
	}
	return 0, &hujson.Value{}
}

// previous is the value before another in a container.
func (d *document) previous(parent, value *hujson.Value) *hujson.Value {
	var found *hujson.Value
	for each := range parent.All() {
		if child := each; child.EndOffset < value.StartOffset && isChild(parent, child) {
			found = child
		}
	}
	return found
}

func isChild(parent, of *hujson.Value) bool {
	switch inner := parent.Value.(type) {
	case *hujson.Object:
		for i := range inner.Members {
			if &inner.Members[i].Value == of {
				return true
			}
		}
	case *hujson.Array:
		for i := range inner.Elements {
			if &inner.Elements[i] == of {
				return true
			}
		}
	}
	return false
}

// prune removes the container at path and those above it, as far as they are empty and contain no comment. A
// group of hooks without hooks is removed with its matcher.
func (d *document) prune(path ...any) error {
	for len(path) > 0 && d.empty(d.find(path...)) {
		if len(path) > 1 {
			if _, isIndex := path[len(path)-2].(int); isIndex && path[len(path)-1] == "hooks" {
				path = path[:len(path)-1]
			}
		}
		if err := d.remove(path...); err != nil {
			return err
		}
		path = path[:len(path)-1]
	}
	return nil
}

func (d *document) empty(value *hujson.Value) bool {
	if value == nil || lastOf(value) != nil {
		return false
	}
	return len(bytes.TrimSpace(d.text[value.StartOffset+1:value.EndOffset-1])) == 0
}
