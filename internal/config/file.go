package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader turns a YAML file into values of the wanted shape.
type reader struct {
	file string
	env  func(string) (string, bool)
	// lines collects the line of every key.
	lines map[string]int
	// expanded collects the keys whose value came from the environment, whole or in part.
	expanded map[string]bool
}

// read returns the settings that the file has. An empty file has none.
func (r *reader) read(data []byte) (map[string]any, error) {
	whole := settings()
	return r.readAs(data, &whole)
}

// readAs does the same for a file whose shape is an object.
func (r *reader) readAs(data []byte, whole *shape) (map[string]any, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, &Error{Source: r.file, Message: "not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	var second yaml.Node
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, &Error{Source: r.file, Line: second.Line, Message: "a second document; one is allowed"}
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return map[string]any{}, nil
	}
	value, err := r.value(root, whole, "")
	if err != nil {
		return nil, err
	}
	return value.(map[string]any), nil //nolint:forcetypeassert // the shape is an object
}

func (r *reader) fail(node *yaml.Node, key, message string) error {
	return &Error{Source: r.file, Line: node.Line, Key: key, Message: message}
}

func (r *reader) value(node *yaml.Node, wanted *shape, key string) (any, error) {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return nil, r.fail(node, key, "anchors and aliases are not allowed; write the value out")
	}
	switch {
	case wanted.kind == free:
		return r.free(node, key)
	case wanted.kind == list && node.Kind == yaml.SequenceNode:
		return r.list(node, wanted, key)
	case (wanted.kind == object || wanted.kind == table) && node.Kind == yaml.MappingNode:
		return r.mapping(node, wanted, key)
	case wanted.scalar() && node.Kind == yaml.ScalarNode:
		return r.scalar(node, wanted, key)
	case wanted.short != "" && node.Kind == yaml.ScalarNode && node.Tag == "!!str":
		field := wanted.fields[wanted.short]
		value, err := r.scalar(node, &field, key)
		return map[string]any{wanted.short: value}, err
	}
	return nil, r.fail(node, key, "wrong type: "+wanted.wanted()+" belongs here, not "+found(node))
}

func (r *reader) list(node *yaml.Node, wanted *shape, key string) (any, error) {
	values := make([]any, 0, len(node.Content))
	if wanted.filled && len(node.Content) == 0 {
		return nil, r.fail(node, key, "the list is empty; give it an element, or leave the key out")
	}
	for i, element := range node.Content {
		r.lines[fmt.Sprintf("%s[%d]", key, i)] = element.Line
		value, err := r.value(element, wanted.each, fmt.Sprintf("%s[%d]", key, i))
		if err != nil {
			return nil, err
		}
		if first := twin(values, value, wanted.distinct); first >= 0 {
			return nil, r.fail(element, fmt.Sprintf("%s[%d].%s", key, i, wanted.distinct), fmt.Sprintf("the path of %s[%d]; list it once", key, first))
		}
		values = append(values, value)
	}
	return values, nil
}

// twin returns the index of the mapping whose path under key is that of value,
// or -1.
func twin(values []any, value any, key string) int {
	if key == "" {
		return -1
	}
	pathOf := func(value any) string {
		text, _ := value.(map[string]any)[key].(string)
		return path.Clean(text)
	}
	return slices.IndexFunc(values, func(other any) bool { return pathOf(other) == pathOf(value) })
}

func (r *reader) mapping(node *yaml.Node, wanted *shape, key string) (any, error) {
	values := make(map[string]any, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i]
		inner := join(key, name.Value)
		if name.Kind != yaml.ScalarNode || name.Tag != "!!str" || name.Value == "" {
			return nil, r.fail(name, key, "a key has to be plain text")
		}
		if _, twice := values[name.Value]; twice {
			return nil, r.fail(name, inner, "the key is repeated; keep one")
		}
		if wanted.key != nil {
			if err := wanted.key(name.Value); err != nil {
				return nil, r.fail(name, inner, err.Error())
			}
		}
		field := wanted.each
		if wanted.kind == object {
			known, ok := wanted.fields[name.Value]
			if !ok {
				return nil, r.fail(name, inner, "unknown key; allowed: "+wanted.names())
			}
			field = &known
		}
		value, err := r.value(node.Content[i+1], field, inner)
		if err != nil {
			return nil, err
		}
		values[name.Value] = value
		r.lines[inner] = name.Line
	}
	for _, name := range slices.Sorted(maps.Keys(wanted.fields)) {
		if _, given := values[name]; wanted.fields[name].needed && !given {
			return nil, r.fail(node, join(key, name), "the key is missing")
		}
	}
	return values, nil
}

// scalar decodes a value whose YAML type fits. Text has to be text: an unquoted 0755 or yes would change.
func (r *reader) scalar(node *yaml.Node, wanted *shape, key string) (any, error) {
	value, expanded, err := r.expand(node, key)
	if err != nil {
		return nil, err
	}
	tag := map[kind]string{text: "!!str", boolean: "!!bool", number: "!!int", duration: "!!str"}[wanted.kind]
	if node.Tag != tag && !expanded {
		return nil, r.fail(node, key, "wrong type: "+wanted.wanted()+" belongs here, not "+found(node))
	}
	parsed, err := wanted.parse(value)
	if err != nil {
		return nil, r.fail(node, key, err.Error())
	}
	return parsed, nil
}

// free keeps any value, with its variables replaced.
func (r *reader) free(node *yaml.Node, key string) (any, error) {
	anything := shape{kind: free}
	switch node.Kind { //nolint:exhaustive // documents don't nest, aliases are refused
	case yaml.SequenceNode:
		return r.list(node, &shape{kind: list, each: &anything}, key)
	case yaml.MappingNode:
		return r.mapping(node, &shape{kind: table, each: &anything}, key)
	}
	if value, expanded, err := r.expand(node, key); err != nil || expanded {
		return value, err
	}
	var value any
	if err := node.Decode(&value); err != nil {
		return nil, r.fail(node, key, "can't be read: "+err.Error())
	}
	switch value.(type) {
	case nil, string, bool, int, float64:
		return value, nil
	}
	return nil, r.fail(node, key, "a value of this type is not allowed; quote it")
}

// expand replaces every ${NAME} in text. It is done on values and not on the
// file, so that no variable can add a key.
func (r *reader) expand(node *yaml.Node, key string) (value string, expanded bool, err error) {
	rest := node.Value
	if node.Tag != "!!str" {
		return rest, false, nil
	}
	for {
		before, after, found := strings.Cut(rest, "${")
		value += before
		if !found {
			return value, expanded, nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || !variableName(name) {
			return "", false, r.fail(node, key, "${ has to be followed by the name of a variable and }")
		}
		replacement, set := r.env(name)
		if !set {
			return "", false, r.fail(node, key, "${"+name+"} is not set in the environment; set it or write the value")
		}
		value += replacement
		rest, expanded = tail, true
		r.expanded[key] = true
	}
}

func variableName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	return name != "" && strings.Trim(name, letters+"0123456789") == "" && strings.Contains(letters, name[:1])
}

func found(node *yaml.Node) string {
	switch node.Kind { //nolint:exhaustive // the others don't get here
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	names := map[string]string{
		"!!str": "text", "!!int": "a number", "!!float": "a fraction", "!!bool": "true or false", "!!null": "nothing",
		"!!timestamp": "a date (quote it)",
	}
	if name, known := names[node.Tag]; known {
		return name
	}
	return "a value of type " + node.Tag
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
