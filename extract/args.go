package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// arguments are a call's arguments, undecoded, in the order of their names, so
// that facts don't depend on how a call is written.
type arguments []argument

type argument struct {
	name string
	raw  json.RawMessage
	used bool
	// text has room for the one text that most arguments are.
	text [1]string
}

var (
	errArguments = errors.New("arguments are no object")
	errArgument  = errors.New("argument is neither text nor a list of texts")
)

// decodeArgs splits an object into its members. The text is known to be JSON
// once it is valid, so that finding where a member ends is all there is to do.
// Of a name that stands twice the last counts, as it does in encoding/json.
func decodeArgs(data json.RawMessage) (arguments, error) {
	return decodeInto(make(arguments, 0, 8), data, nil)
}

// decodeInto does the same with room that is there, and with names that need no
// copy of their own.
func decodeInto(args arguments, data json.RawMessage, names map[string]string) (arguments, error) {
	rest := bytes.TrimLeft(data, jsonBlanks)
	if len(rest) == 0 || rest[0] != '{' || !json.Valid(data) {
		if string(bytes.TrimSpace(data)) == "null" {
			return nil, nil
		}
		return nil, errArguments
	}
	for rest = bytes.TrimLeft(rest[1:], jsonBlanks); rest[0] != '}'; rest = bytes.TrimLeft(rest, jsonBlanks+",") {
		end := valueEnd(rest)
		name, err := memberName(rest[:end], names)
		if err != nil {
			return nil, err
		}
		rest = bytes.TrimLeft(rest[end:], jsonBlanks+":")
		end = valueEnd(rest)
		args = append(args, argument{name: name, raw: json.RawMessage(rest[:end])})
		rest = rest[end:]
	}
	slices.SortStableFunc(args, func(a, b argument) int { return strings.Compare(a.name, b.name) })
	return args.latest(), nil
}

// memberName reads the name of a member.
func memberName(raw []byte, names map[string]string) (string, error) {
	if known, ok := names[string(raw)]; ok {
		return known, nil
	}
	return decodeText(raw)
}

const jsonBlanks = " \t\r\n"

// valueEnd is where the value at the beginning of valid JSON ends.
func valueEnd(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ':' || strings.IndexByte(jsonBlanks, c) >= 0):
			return i
		}
	}
	return len(text)
}

func (a *arguments) find(name string) *argument {
	for i := range *a {
		if (*a)[i].name == name {
			return &(*a)[i]
		}
	}
	return nil
}

// latest drops all but the last of each name, given that equal names stand together.
func (a arguments) latest() arguments {
	kept := a[:0]
	for i := range a {
		if i+1 == len(a) || a[i+1].name != a[i].name {
			kept = append(kept, a[i])
		}
	}
	return kept
}

// raw is an argument as it stands, nil if there is none.
func (a *arguments) raw(name string) json.RawMessage {
	if found := a.find(name); found != nil {
		return found.raw
	}
	return nil
}

// take returns the texts of an argument: one for a string, each of a list. They
// are good as long as the arguments are.
func (a *arguments) take(name string) ([]string, error) {
	found := a.find(name)
	if found == nil {
		return nil, nil
	}
	found.used = true
	if len(found.raw) > 0 && found.raw[0] == '[' {
		var list []string
		if err := json.Unmarshal(found.raw, &list); err != nil {
			return nil, errArgument
		}
		return list, nil
	}
	text, err := decodeText(found.raw)
	if err != nil {
		return nil, err
	}
	found.text[0] = text
	return found.text[:], nil
}

func decodeText(raw []byte) (string, error) {
	if text, ok := plainText(raw); ok {
		return text, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil || raw[0] != '"' {
		return "", errArgument
	}
	return text, nil
}

// plainText reads a JSON string as far as its escapes are those of ASCII, which
// nearly all are. It reports false for any other.
func plainText(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	inside := raw[1 : len(raw)-1]
	escaped, ascii := false, true
	for i, c := range inside {
		if c < ' ' || c == '"' && (i == 0 || inside[i-1] != '\\') {
			return "", false
		}
		escaped = escaped || c == '\\'
		ascii = ascii && c < utf8.RuneSelf
	}
	switch {
	case !ascii && !utf8.Valid(inside):
		return "", false
	case escaped:
		return withoutEscapes(inside)
	}
	return string(inside), true
}

// withoutEscapes decodes what stands between the quotes of valid JSON.
func withoutEscapes(inside []byte) (string, bool) {
	var usual [256]byte
	out := usual[:0]
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		i++
		if i == len(inside) {
			return "", false
		}
		if inside[i] == 'u' {
			code, err := strconv.ParseUint(string(inside[min(i+1, len(inside)):min(i+5, len(inside))]), 16, 16)
			if err != nil || code >= utf8.RuneSelf || i+4 >= len(inside) {
				return "", false
			}
			out = append(out, byte(code))
			i += 4
			continue
		}
		at := strings.IndexByte(`"\/bfnrt`, inside[i])
		if at < 0 {
			return "", false
		}
		out = append(out, "\"\\/\b\f\n\r\t"[at])
	}
	return string(out), true
}

// ignore marks arguments that have no effect.
func (a *arguments) ignore(names []string) {
	for _, name := range names {
		if found := a.find(name); found != nil {
			found.used = true
		}
	}
}

// rest returns the names that nothing has used.
func (a *arguments) rest() []string {
	var out []string
	for i := range *a {
		if !(*a)[i].used {
			out = append(out, (*a)[i].name)
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
