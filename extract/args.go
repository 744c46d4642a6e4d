package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// arguments are a call's arguments, undecoded, and which of them were used.
type arguments struct {
	raw  map[string]json.RawMessage
	used []string
}

var errArgument = errors.New("argument is neither text nor a list of texts")

func decodeArgs(data json.RawMessage) (arguments, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return arguments{}, fmt.Errorf("decode arguments: %w", err)
	}
	return arguments{raw: raw}, nil
}

// take returns the texts of an argument: one for a string, each of a list.
func (a *arguments) take(name string) ([]string, error) {
	raw, ok := a.raw[name]
	if !ok {
		return nil, nil
	}
	a.used = append(a.used, name)
	if len(raw) > 0 && raw[0] == '[' {
		var list []string
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, errArgument
		}
		return list, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil || raw[0] != '"' {
		return nil, errArgument
	}
	return []string{text}, nil
}

// ignore marks arguments that have no effect.
func (a *arguments) ignore(names []string) { a.used = append(a.used, names...) }

// rest returns the names that nothing has used, in order.
func (a *arguments) rest() []string {
	var out []string
	for name := range a.raw {
		if !slices.Contains(a.used, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// names returns all names, in order, so that facts don't depend on map order.
func (a *arguments) names() []string {
	out := make([]string, 0, len(a.raw))
	for name := range a.raw {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// textsOf returns every text in a JSON value, at any depth.
func textsOf(raw json.RawMessage) []string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil
	}
	texts := collectTexts(nil, value)
	slices.Sort(texts)
	return texts
}

func collectTexts(out []string, value any) []string {
	switch value := value.(type) {
	case string:
		return append(out, value)
	case []any:
		for _, element := range value {
			out = collectTexts(out, element)
		}
	case map[string]any:
		for name, element := range value {
			out = collectTexts(append(out, name), element)
		}
	}
	return out
}

// plainTexts are the texts of a value that is a text or a list of nothing else.
func plainTexts(value any) ([]string, bool) {
	switch value := value.(type) {
	case string:
		return []string{value}, true
	case []any:
		out := make([]string, 0, len(value))
		for _, element := range value {
			text, ok := element.(string)
			if !ok {
				return nil, false
			}
			out = append(out, text)
		}
		return out, len(out) > 0
	}
	return nil, false
}
